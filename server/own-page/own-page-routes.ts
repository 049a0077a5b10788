import type { IRouter, Request } from 'express';
import { allow } from '#server/http/request-guards.ts';
import type { OwnPageToken } from '#server/links/links.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { createConfirmAddress } from './confirm-address.ts';
import { addFormActs } from './form-acts.ts';
import { createHandOver } from './hand-over-acts.ts';
import { addMoneyActs } from './money-acts.ts';
import { createOwnPageContext, type OwnPageDependencies } from './own-page-context.ts';
import { formNames } from './own-page-documents.ts';
import { addProvenActs } from './proven-acts.ts';
import { addQuestionActs } from './question-acts.ts';
import { addReadPages } from './read-pages.ts';

const { open, link, letter, pay, card, cardStored, takeCard, close, leave, receipts, calendar, enter } =
  ownPagePaths;
const { addressConfirmed, timeZone, healthRemoved } = formPaths;

/** The paths of her page that accept only POST. */
export const OWN_PAGE_POST_PATHS: readonly string[] = [
  open,
  link,
  letter,
  pay,
  card,
  cardStored,
  close,
  leave,
  addressConfirmed,
  timeZone,
  healthRemoved,
  takeCard,
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

/**
 * The routes of her page. Its acts (POST) are added before the handler that refuses all methods but GET and
 * HEAD, its pages after it.
 */
export function createOwnPageRoutes(dependencies: OwnPageDependencies) {
  const context = createOwnPageContext(dependencies);
  const confirmAddress = createConfirmAddress(context);
  const handOver = createHandOver(context);
  return {
    addActs(app: IRouter): void {
      addMoneyActs(app, context);
      addFormActs(app, context);
      addProvenActs(app, context);
      addQuestionActs(app, context);
      confirmAddress.addActs(app);
      handOver.addActs(app);
      app.all(FORM_PATHS, allow('GET', 'HEAD', 'POST'));
    },
    addPages: (app: IRouter): void => addReadPages(app, context, { confirmAddress, handOver }),
    /** Whose page a browser has opened by a link, which shows that it has the mailbox. */
    readOpenPage: (req: Request): OwnPageToken | undefined => context.sessions.readActing(req)?.token,
  };
}
