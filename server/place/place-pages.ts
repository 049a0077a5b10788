import type { IRouter, Request, RequestHandler, Response } from 'express';
import { renderLinkDocument } from '#client/entry.server.tsx';
import { createRetreatCalendar } from '#server/calendar/retreat-calendar.ts';
import type { Config } from '#server/config/config.ts';
import { contactOf } from '#server/config/office.ts';
import type { PlaceLinks } from '#server/links/place-links.ts';
import type { Assets } from '#server/page/assets.ts';
import { PLACE_PATH, placePaths } from '#shared/place.ts';
import { offerNow } from './cancel-view.ts';
import type { ConfirmAddress } from './confirm-address.ts';
import type { News } from './news.ts';
import type { PlaceDocuments } from './place-documents.ts';
import { OPENINGS_WINDOW_S } from './place-limits.ts';
import type { Sessions } from './sessions.ts';
import type { NoVisit, Visit, Visits } from './visits.ts';

/** What is never kept, indexed, or told to other sites: who is registered, and under which address. */
export const privately: RequestHandler = (_req, res, next) => {
  res.set({ 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex', 'Referrer-Policy': 'no-referrer' });
  next();
};

/** Why somebody gets the page that offers a new link instead of hers. */
type LinkReason = NoVisit | 'asked' | 'asked-too-often' | 'unconfirmed';

/** Of a link or cookie that opens nothing the same, whatever it is that is wrong with it. */
const STATUS: Readonly<Record<LinkReason, number>> = {
  none: 200,
  invalid: 403,
  unconfirmed: 403,
  asked: 200,
  'asked-too-often': 429,
  'too-many': 429,
};

/** Answers with the page that offers a new link. */
export type SendLinkPage = (res: Response, reason: LinkReason) => void;

/** They never change. */
export function linkPages({ office }: Pick<Config, 'office'>, { placeStyle }: Assets): SendLinkPage {
  const render = (reason: LinkReason) =>
    renderLinkDocument({ reason, office: contactOf(office), styles: [placeStyle] });
  const pages = {
    none: render('none'),
    invalid: render('invalid'),
    unconfirmed: render('unconfirmed'),
    asked: render('asked'),
    'asked-too-often': render('asked-too-often'),
    'too-many': render('too-many'),
  };
  return (res, reason) => {
    if (reason === 'too-many') res.set('Retry-After', String(OPENINGS_WINDOW_S));
    res.status(STATUS[reason]).type('html').send(pages[reason]);
  };
}

export interface PagesDependencies {
  config: Pick<Config, 'publicUrl'>;
  links: PlaceLinks;
  sessions: Sessions;
  visits: Visits;
  news: News;
  documents: PlaceDocuments;
  confirmAddress: ConfirmAddress;
  sendLinkPage: SendLinkPage;
  now: () => Date;
}

/** What is opened of her page: `GET` and `HEAD`, which change nothing but the cookie of the browser that opens a link. */
export function addPlacePages(app: IRouter, dependencies: PagesDependencies): void {
  const { config, links, sessions, visits, news, documents, confirmAddress, sendLinkPage, now } =
    dependencies;

  /** A page for who is let in; for everybody else the one that offers a link. */
  const page =
    (answer: (visit: Visit, res: Response, req: Request) => Promise<void>): RequestHandler =>
    async (req, res) => {
      const visit = await visits.find(req);
      if (typeof visit !== 'string') return answer(visit, res, req);
      if (visit === 'invalid') sessions.close(res);
      sendLinkPage(res, visit);
    };

  app.get([PLACE_PATH, `${PLACE_PATH}/{*rest}`], privately);
  app.get(
    PLACE_PATH,
    page(async (visit, res, req) => {
      const told = news.take(req, res);
      res.type('html').send(await documents.place(visit, { at: now(), told }));
    }),
  );
  app.get(
    placePaths.receipts,
    page(async (visit, res) => {
      res.type('html').send(await documents.receipts(visit, { at: now() }));
    }),
  );
  app.get(
    placePaths.cancel,
    page(async (visit, res, req) => {
      const at = now();
      const offer = offerNow(visit.record, at);
      if (!offer) return res.redirect(303, PLACE_PATH);
      const told = news.take(req, res) === 'changed' ? 'changed' : undefined;
      res.type('html').send(documents.cancel(visit, offer, { at, told }));
    }),
  );
  for (const form of ['details', 'address'] as const) {
    app.get(
      placePaths[form],
      page(async (visit, res) => {
        res.type('html').send(documents[form](visit, { at: now() }));
      }),
    );
  }
  app.get(
    placePaths.calendar,
    page(async ({ record: { edition } }, res) => {
      const { fileName, content } = createRetreatCalendar(edition, new URL('/', config.publicUrl).href);
      res.attachment(fileName).type('text/calendar; charset=utf-8').send(content);
    }),
  );
  app.get(`${placePaths.enter}:token`, async (req, res) => {
    const text = String(req.params.token);
    const token = links.read(text, now());
    if (token?.scope !== 'place') {
      if (!(await confirmAddress.show(text, res))) sendLinkPage(res, 'invalid');
      return;
    }
    sessions.open(res, { ...token, scope: 'session' });
    res.redirect(303, PLACE_PATH);
  });
}
