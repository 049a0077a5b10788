import type { IRouter, RequestHandler } from 'express';
import { isMarked, redirectMarked } from '#server/http/kept-cookie.ts';
import { privately } from '#server/http/privately.ts';
import { visitorAddress } from '#server/http/visitor-address.ts';
import type { WaitingLinks } from '#server/links/waiting-links.ts';
import { waitingStateOf } from '#server/record/waiting-record.ts';
import { isSameOffer, type WaitingList } from '#server/register/waiting-list.ts';
import type { RegistrationLimits } from '#server/registration/registration-limits.ts';
import type { Taking } from '#server/registration/taking.ts';
import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { OFFER_PATH } from '#shared/waiting.ts';
import type { SendWaitingPage } from './waiting-pages.ts';

interface OfferRoutesDependencies {
  links: Pick<WaitingLinks, 'readExpired'>;
  waitingList: Pick<WaitingList, 'find'>;
  limits: Pick<RegistrationLimits, 'countRequest'>;
  taking: Pick<Taking, 'open' | 'read'>;
  /** Answers with the landing page that is shown while there are places. */
  openPage: RequestHandler;
  sendPage: SendWaitingPage;
  now: () => Date;
}

const OPEN_PAGE = `${OFFER_PATH}#${REGISTER_SECTION_ID}`;

/**
 * The link of an offer redirects at once to the landing page with its stepper open: Stripe.js sends the
 * page's URL to Stripe, so the token goes into a cookie. Opening the link changes nothing, and the page
 * contains nothing about her.
 */
export function addOfferRoutes(
  app: IRouter,
  { links, waitingList, limits, taking, openPage, sendPage, now }: OfferRoutesDependencies,
): void {
  const enter: RequestHandler = async (req, res) => {
    const token = links.readExpired(String(req.params.token), 'offer');
    if (!token) return sendPage(res, 'invalid');
    const { waitingId, expiresAt: until } = token;
    await limits.countRequest({ address: visitorAddress(req) });
    const record = await waitingList.find(waitingId);
    if (record && waitingStateOf(record, now()) === 'took') return sendPage(res, 'offer-used');
    if (!record || !isSameOffer(record, until) || waitingStateOf(record, now()) !== 'offered')
      return sendPage(res, 'offer-over');
    taking.open(res, { waitingId, until });
    redirectMarked(res, OPEN_PAGE);
  };
  const show: RequestHandler = (req, res, next) => {
    const isKept = taking.read(req) !== undefined;
    if (isMarked(req)) return isKept ? res.redirect(303, OPEN_PAGE) : sendPage(res, 'no-cookie');
    if (!isKept) return res.redirect(303, '/');
    res.set('X-Robots-Tag', 'noindex');
    return openPage(req, res, next);
  };
  app.get(`${OFFER_PATH}/:token`, privately, enter);
  app.get(OFFER_PATH, show);
}
