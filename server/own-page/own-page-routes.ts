import type { IRouter, Request, Response } from 'express';
import { isSession } from '#server/stripe/checkout.ts';
import { isMarked, redirectMarked } from '#server/web/cookies.ts';
import { allow } from '#server/web/request-guards.ts';
import { createRetreatCalendar } from '#server/web/retreat-calendar.ts';
import { privately } from '#server/web/security-headers.ts';
import { formPaths, OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import { addFormActs } from './form-acts.ts';
import { createLinkActs, type LinkActs } from './link-acts.ts';
import { createMoneyActs, type MoneyActs } from './money-acts.ts';
import { addOfferPage } from './offer.ts';
import type { OwnPageDependencies } from './own-page-base.ts';
import { createOwnPageContext, type OwnPageContext } from './own-page-context.ts';
import { type FormName, formNames } from './own-page-documents.ts';
import { addProvenActs } from './proven-acts.ts';
import type { Visit } from './visits.ts';

const { enter, letter, receipts, calendar, go, back, ...presses } = ownPagePaths;
const { addressConfirmed, timeZone, takersCard, takersGo, ...forms } = formPaths;

export const OWN_PAGE_POST_PATHS: readonly string[] = [
  ...Object.values(presses),
  addressConfirmed,
  timeZone,
  takersCard,
];

const FORM_PATHS = Object.values(forms);
const READ_PATHS: readonly string[] = [
  OWN_PAGE_PATH,
  receipts,
  calendar,
  letter,
  go,
  back,
  takersGo,
  ...FORM_PATHS,
];

const TOKEN_NAME = `${enter}:token`;

export const OWN_PAGE_NAMES: readonly string[] = [...READ_PATHS, TOKEN_NAME];

/** The name under which a path is logged: one below her page that is not known may contain a token. */
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
  const linkActs = createLinkActs(context);
  const moneyActs = createMoneyActs(context);
  return {
    addActs(app: IRouter): void {
      moneyActs.addActs(app);
      addFormActs(app, context);
      addProvenActs(app, context);
      linkActs.addActs(app);
      addOfferPage(app, context);
      app.all(FORM_PATHS, allow('GET', 'HEAD', 'POST'));
    },
    addPages: (app: IRouter): void => addReadPages(app, context, linkActs, moneyActs),
  };
}

const TELL_OF_CHANGES: readonly FormName[] = ['pay', 'cancel', 'plan'];

const isAtStripe = (id: unknown): id is string =>
  typeof id === 'string' && (isSession(id) || /^pi_\w{1,200}$/.test(id));

/** The `GET` and `HEAD` routes, which change nothing but the cookie of the browser that opens a link. */
function addReadPages(app: IRouter, context: OwnPageContext, linkActs: LinkActs, moneyActs: MoneyActs): void {
  const { config, links, sessions, visits, news, documents, sendLinkPage, now } = context;

  const page = (
    path: string,
    answer: (visit: Visit, res: Response, req: Request) => Promise<string | undefined> | string | undefined,
  ) =>
    app.get(path, async (req, res) => {
      const visit = await visits.find(req);
      if (typeof visit !== 'string') {
        const text = await answer(visit, res, req);
        return text === undefined ? res.redirect(303, OWN_PAGE_PATH) : res.send(text);
      }
      if (visit === 'invalid') sessions.close(res);
      sendLinkPage(res, visit, visit === 'too-many' ? closeTokenOf(req) : undefined);
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
  page(OWN_PAGE_PATH, (visit, res, req) => documents.ownPage(visit, now(), news.take(req, res)));
  page(go, async (visit, res, { query: { to } }) => {
    if (!visit.mayAct || !isAtStripe(to)) return undefined;
    const found = await moneyActs.look(visit, to);
    if (found && 'url' in found) return documents.onTheWay(visit.record, found.to, found.url);
    if (found?.told) news.tell(res, found.told);
    return undefined;
  });
  app.get(back, async (req, res) => {
    const { session, payment_intent: payment } = req.query;
    const id = session ?? payment;
    const visit = await visits.find(req);
    if (typeof visit === 'string') return sendLinkPage(res, visit === 'too-many' ? visit : 'returned');
    const found = isAtStripe(id) ? await moneyActs.lookBack(visit, id) : { told: undefined };
    // It is of somebody whose page is not the one that is open.
    if (!found) return sendLinkPage(res, 'returned');
    const told = 'told' in found ? found.told : found.to === 'bank' ? 'bank-waits' : undefined;
    if (told) news.tell(res, told);
    res.redirect(303, OWN_PAGE_PATH);
  });
  page(receipts, (visit) => documents.receipts(visit, now()));
  page(letter, (visit, _res, { query: { id } }) =>
    typeof id === 'string' ? documents.letter(visit, now(), id) : undefined,
  );
  for (const form of formNames)
    page(formPaths[form], (visit, res, req) => {
      const render = documents.form(form, visit, now());
      const isChanged = render && TELL_OF_CHANGES.includes(form) && news.take(req, res) === 'changed';
      return render?.({ told: isChanged ? 'changed' : undefined });
    });
  page(calendar, ({ record: { edition } }, res) => {
    const { fileName, content } = createRetreatCalendar(edition, new URL('/', config.publicUrl).href);
    res.attachment(fileName).type('text/calendar; charset=utf-8');
    return content;
  });
  app.get(formPaths.takePlace, linkActs.showTake);
  app.get(takersGo, linkActs.goToStripe);
  app.get(`${enter}:token`, async (req, res) => {
    const text = String(req.params.token);
    const token = links.read(text, now(), 'place');
    if (!token) return linkActs.open(text, res);
    sessions.open(res, { ...token, scope: 'session' });
    redirectMarked(res, OWN_PAGE_PATH);
  });
}
