import type { IRouter, Request } from 'express';
import { allow } from '#server/http/allow-methods.ts';
import { createOwnPageLinks, type OwnPageToken } from '#server/links/own-page-links.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { type ConfirmDependencies, createConfirmAddress } from './confirm-address.ts';
import { addFormActs, type FormActsDependencies } from './form-acts.ts';
import { createForms } from './forms.ts';
import { createHandOver, type HandOverDependencies } from './hand-over-acts.ts';
import { linkPages } from './link-pages.ts';
import { addMoneyActs, type MoneyActsDependencies } from './money-acts.ts';
import { createNews } from './news.ts';
import { createOwnPageDocuments, formNames } from './own-page-documents.ts';
import { createProofs } from './proofs.ts';
import { addProvenActs, type ProvenActsDependencies } from './proven-acts.ts';
import { addQuestionActs, type QuestionActsDependencies } from './question-acts.ts';
import { addReadPages, type PagesDependencies } from './read-pages.ts';
import { createSessions } from './sessions.ts';
import { createVisits } from './visits.ts';

const { open, link, letter, pay, card, cardStored, takeCard, close, leave, receipts, calendar, enter } =
  ownPagePaths;
const { addressConfirmed, timeZone, healthRemoved } = formPaths;

/** The paths of her page that accept only POST. */
export const OWN_PAGE_POST_PATHS: readonly string[] = [
  ...[open, link, letter, pay, card, cardStored, close, leave],
  ...[addressConfirmed, timeZone, healthRemoved, takeCard],
];

/** Those that show a form, and accept what it sends. */
const FORM_PATHS: string[] = [...formNames.map((form) => formPaths[form]), formPaths.takePlace];

/** The paths that can be opened with GET; those of forms also accept POST. */
const READ_PATHS: readonly string[] = [OWN_PAGE_PATH, receipts, calendar, ...FORM_PATHS];

/** The name in logs for paths that contain a token. */
const TOKEN_NAME = `${enter}:token`;

/** The names that may be logged whatever the status of the answer. */
export const OWN_PAGE_NAMES: readonly string[] = [...READ_PATHS, TOKEN_NAME];

/**
 * The name under which a path is logged: a path below her page that is not a known one may contain a token.
 */
export function nameOfOwnPagePath(path: string): string {
  if (READ_PATHS.includes(path) || OWN_PAGE_POST_PATHS.includes(path)) return path;
  // Express matches paths in upper and lower case.
  return path.toLowerCase().startsWith(enter) ? TOKEN_NAME : path;
}

type Dependencies = Omit<
  MoneyActsDependencies &
    FormActsDependencies &
    ProvenActsDependencies &
    QuestionActsDependencies &
    ConfirmDependencies &
    HandOverDependencies &
    PagesDependencies,
  | 'confirmAddress'
  | 'handOver'
  | 'links'
  | 'sessions'
  | 'visits'
  | 'proofs'
  | 'news'
  | 'forms'
  | 'documents'
  | 'sendLinkPage'
>;

/**
 * The routes of her page. Its acts (POST) are added before the handler that refuses all methods but GET and
 * HEAD, its pages after it.
 */
export function createOwnPageRoutes(dependencies: Dependencies): {
  addActs(app: IRouter): void;
  addPages(app: IRouter): void;
  /** Whose page a browser has opened by a link, which shows that it has the mailbox. */
  readOpenPage(req: Request): OwnPageToken | undefined;
} {
  const { config, assets, now } = dependencies;
  const links = createOwnPageLinks(config.linkSecrets, config.publicUrl);
  const sessions = createSessions(links, config.publicUrl, now);
  const visits = createVisits({ ...dependencies, links, sessions });
  const news = createNews(config.publicUrl);
  const documents = createOwnPageDocuments({ ...dependencies, links });
  const proofs = createProofs(dependencies);
  const base = { ...dependencies, links, sessions, visits, proofs, news, documents };
  const sendLinkPage = linkPages(config, assets);
  const withForms = { ...base, sendLinkPage, forms: createForms({ ...base, sendLinkPage }) };
  const confirmAddress = createConfirmAddress(withForms);
  const handOver = createHandOver(withForms);
  const shared = { ...withForms, confirmAddress, handOver };
  return {
    addActs(app) {
      addMoneyActs(app, shared);
      addFormActs(app, shared);
      addProvenActs(app, shared);
      addQuestionActs(app, shared);
      confirmAddress.addActs(app);
      handOver.addActs(app);
      app.all(FORM_PATHS, allow('GET', 'HEAD', 'POST'));
    },
    addPages: (app) => addReadPages(app, shared),
    readOpenPage(req) {
      const session = sessions.read(req);
      return typeof session !== 'string' && session.token.scope === 'session' ? session.token : undefined;
    },
  };
}
