import type { IRouter, Request, RequestHandler, Response } from 'express';
import { createRetreatCalendar } from '#server/calendar/retreat-calendar.ts';
import { causeOf } from '#server/http/app-error.ts';
import { isMarked, redirectMarked } from '#server/http/cookies.ts';
import { allow } from '#server/http/request-guards.ts';
import { privately } from '#server/http/security-headers.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { recordReturn } from '#server/stripe/pay.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';
import { addFormActs, addQuestionActs } from './form-acts.ts';
import { type ConfirmAddress, createConfirmAddress, createHandOver, type HandOver } from './link-acts.ts';
import { addMoneyActs } from './money-acts.ts';
import { createOwnPageContext, type OwnPageContext, type OwnPageDependencies } from './own-page-context.ts';
import { type FormName, formNames } from './own-page-documents.ts';
import { addProvenActs } from './proven-acts.ts';
import type { Visit } from './visits.ts';

const { open, link, letter, pay, card, cardStored, takeCard, close, leave, receipts, calendar, enter } =
  ownPagePaths;
const { addressConfirmed, timeZone } = formPaths;

export const OWN_PAGE_POST_PATHS: readonly string[] = [
  open,
  link,
  pay,
  card,
  cardStored,
  close,
  leave,
  addressConfirmed,
  timeZone,
  takeCard,
];

/** Those that show something, and accept what is sent there. */
const FORM_PATHS: string[] = [...formNames.map((form) => formPaths[form]), formPaths.takePlace, letter];

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
  };
}

/** The forms to which a press leads back if what they showed has changed. */
const TELL_OF_CHANGES: readonly FormName[] = ['cancel', 'plan'];

/**
 * The `GET` and `HEAD` routes of her page, which change nothing but the cookie of the browser that opens a
 * link.
 */
function addReadPages(
  app: IRouter,
  context: OwnPageContext,
  { confirmAddress, handOver }: { confirmAddress: ConfirmAddress; handOver: HandOver },
): void {
  const { config, payments, links, sessions, visits, news, documents, sendLinkPage, logger, now } = context;

  /** A page for visitors who are let in; everybody else gets the page that offers a new link. */
  const page =
    (answer: (visit: Visit, res: Response, req: Request) => Promise<void>): RequestHandler =>
    async (req, res) => {
      const visit = await visits.find(req);
      if (typeof visit !== 'string') return answer(visit, res, req);
      if (visit === 'invalid') sessions.close(res);
      sendLinkPage(res, visit, visit === 'too-many' ? closeTokenOf(req) : undefined);
    };
  /** The webhook may come later; while Stripe is away her page shows what is on record. */
  const recordAfterPaying = (record: RegistrationRecord): Promise<RegistrationRecord> =>
    payments.ask(recordReturn, record).catch((error: unknown) => {
      const facts = { err: causeOf(error), registration: record.id };
      logger.warn(facts, 'Her payment could not be read when she returned from paying');
      return record;
    });
  /** Somebody else may use up the reads of her page: she can close it all the same. */
  const closeTokenOf = (req: Request): string | undefined => {
    const session = sessions.readActing(req);
    return session && links.pressToken(session.text);
  };

  app.get([OWN_PAGE_PATH, `${OWN_PAGE_PATH}/{*rest}`], privately);
  app.get(OWN_PAGE_PATH, (req, res, next) => {
    if (!isMarked(req)) return next();
    return sessions.read(req) === 'none' ? sendLinkPage(res, 'no-cookie') : res.redirect(303, OWN_PAGE_PATH);
  });
  app.get(
    OWN_PAGE_PATH,
    page(async (visit, res, req) => {
      const told = news.take(req, res);
      const record = told === 'paid' ? await recordAfterPaying(visit.record) : visit.record;
      res.type('html').send(await documents.ownPage({ ...visit, record }, now(), told));
    }),
  );
  app.get(
    ownPagePaths.receipts,
    page(async (visit, res) => {
      res.type('html').send(documents.receipts(visit, now()));
    }),
  );
  app.get(
    ownPagePaths.letter,
    page(async (visit, res, req) => {
      const { id } = req.query;
      const shown = typeof id === 'string' && (await documents.letter(visit, now(), id));
      if (shown) res.type('html').send(shown);
      else res.redirect(303, OWN_PAGE_PATH);
    }),
  );
  for (const form of formNames)
    app.get(
      formPaths[form],
      page(async (visit, res, req) => {
        const render = documents.form(form, visit, now());
        if (!render) return res.redirect(303, OWN_PAGE_PATH);
        const isChanged = TELL_OF_CHANGES.includes(form) && news.take(req, res) === 'changed';
        res.type('html').send(render({ told: isChanged ? 'changed' : undefined }));
      }),
    );
  app.get(formPaths.takePlace, handOver.showTake);
  app.get(
    ownPagePaths.calendar,
    page(async ({ record: { edition } }, res) => {
      const { fileName, content } = createRetreatCalendar(edition, new URL('/', config.publicUrl).href);
      res.attachment(fileName).type('text/calendar; charset=utf-8').send(content);
    }),
  );
  app.get(`${ownPagePaths.enter}:token`, async (req, res) => {
    const text = String(req.params.token);
    const token = links.read(text, now(), 'place', 'look');
    if (token?.scope === 'place') sessions.open(res, { ...token, scope: 'session' });
    else if (token) {
      if (sessions.readActing(req)) return sendLinkPage(res, 'other-open');
      sessions.open(res, { ...token, scope: 'office' });
    } else {
      const isShown = handOver.keepTake(text, res) || (await confirmAddress.show(text, res));
      if (!isShown) sendLinkPage(res, 'invalid');
      return;
    }
    redirectMarked(res, OWN_PAGE_PATH);
  });
}
