import type { IRouter } from 'express';
import { allow } from '#server/http/allow-methods.ts';
import { createPlaceLinks } from '#server/links/place-links.ts';
import { PLACE_PATH, placePaths } from '#shared/place.ts';
import { formPaths } from '#shared/place-forms.ts';
import { addCancelActs } from './cancel-acts.ts';
import { type ConfirmDependencies, createConfirmAddress } from './confirm-address.ts';
import { addCorrectActs, type CorrectActsDependencies } from './correct-acts.ts';
import { addFormActs, type FormActsDependencies } from './form-acts.ts';
import { createForms } from './forms.ts';
import { linkPages } from './link-pages.ts';
import { addMoneyActs, type MoneyActsDependencies } from './money-acts.ts';
import { createNews } from './news.ts';
import { createPlaceDocuments } from './place-documents.ts';
import { addPlacePages, type PagesDependencies } from './place-pages.ts';
import { createSessions } from './sessions.ts';
import { createVisits } from './visits.ts';

const { open, link, letter, pay, card, cardStored, leave, receipts, calendar, enter } = placePaths;
const { cancel, undo, details, address, addressDropped, addressConfirmed } = formPaths;

/** What only takes something of her page. */
export const PLACE_POST_PATHS: readonly string[] = [
  ...[open, link, letter, pay, card, cardStored, leave],
  ...[undo, addressDropped, addressConfirmed],
];

/** What is opened; the pages of forms take these, too. */
const READ_PATHS: readonly string[] = [PLACE_PATH, receipts, calendar, cancel, details, address];

/** What stands in logs for the paths that hold a token. */
const TOKEN_NAME = `${enter}:token`;

/** What may be logged of her page, whatever it is answered with. */
export const PLACE_NAMES: readonly string[] = [...READ_PATHS, TOKEN_NAME];

/** What a path is logged as: whatever lies below her page and is none of its own addresses may be a token. */
export function nameOfPlacePath(path: string): string {
  if (READ_PATHS.includes(path) || PLACE_POST_PATHS.includes(path)) return path;
  // Express takes an address in any case.
  return path.toLowerCase().startsWith(enter) ? TOKEN_NAME : path;
}

type Dependencies = Omit<
  MoneyActsDependencies &
    FormActsDependencies &
    CorrectActsDependencies &
    ConfirmDependencies &
    PagesDependencies,
  'confirmAddress' | 'links' | 'sessions' | 'visits' | 'news' | 'forms' | 'documents' | 'sendLinkPage'
>;

/** Her page: what is pressed there stands before, and what is opened after the line that refuses all but reading. */
export function createPlaceRoutes(dependencies: Dependencies): {
  addActs(app: IRouter): void;
  addPages(app: IRouter): void;
} {
  const { config, assets, now } = dependencies;
  const links = createPlaceLinks(config.linkSecrets, config.publicUrl);
  const sessions = createSessions(links, config.publicUrl, now);
  const visits = createVisits({ ...dependencies, links, sessions });
  const news = createNews(config.publicUrl);
  const documents = createPlaceDocuments({ ...dependencies, links });
  const room = { ...dependencies, links, sessions, visits, news, documents };
  const sendLinkPage = linkPages(config, assets);
  const withForms = { ...room, sendLinkPage, forms: createForms({ ...room, sendLinkPage }) };
  const confirmAddress = createConfirmAddress(withForms);
  const shared = { ...withForms, confirmAddress };
  return {
    addActs(app) {
      addMoneyActs(app, shared);
      addFormActs(app, shared);
      addCancelActs(app, shared);
      addCorrectActs(app, shared);
      confirmAddress.addActs(app);
      app.all([cancel, details, address], allow('GET', 'HEAD', 'POST'));
    },
    addPages: (app) => addPlacePages(app, shared),
  };
}
