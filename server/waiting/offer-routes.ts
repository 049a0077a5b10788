import type { RequestHandler } from 'express';
import { isMarked, redirectMarked } from '#server/http/kept-cookie.ts';
import { requireSameOrigin } from '#server/http/require-same-origin.ts';
import { visitorAddress } from '#server/http/visitor-address.ts';
import type { WaitingLinks } from '#server/links/waiting-links.ts';
import { waitingStateOf } from '#server/record/waiting-record.ts';
import { isSameOffer, type WaitingList } from '#server/register/waiting-list.ts';
import type { RegistrationLimits } from '#server/registration/registration-limits.ts';
import type { TakenOffer, Taking } from '#server/registration/taking.ts';
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
  publicUrl: string;
  sendPage: SendWaitingPage;
  now: () => Date;
}

const OPEN_PAGE = `${OFFER_PATH}#${REGISTER_SECTION_ID}`;

/**
 * The link of an offer redirects at once to the landing page with its stepper open: Stripe.js sends the
 * page's URL to Stripe, so the token goes into a cookie. Opening the link changes nothing, and the page
 * contains nothing about her. A browser in which another place is still kept keeps that one until a press: the link may
 * be somebody else's.
 */
export function offerRoutes(dependencies: OfferRoutesDependencies) {
  const { links, waitingList, limits, taking, openPage, publicUrl, sendPage, now } = dependencies;
  const stateOf = async ({ waitingId, until }: TakenOffer): Promise<'kept' | 'used' | 'over'> => {
    const record = await waitingList.find(waitingId);
    if (record && waitingStateOf(record, now()) === 'took') return 'used';
    const isKept = record && isSameOffer(record, until) && waitingStateOf(record, now()) === 'offered';
    return isKept ? 'kept' : 'over';
  };
  const enter =
    (isPressed: boolean): RequestHandler =>
    async (req, res) => {
      const token = links.readExpired(String(req.params.token), 'offer');
      if (!token) return sendPage(res, 'invalid');
      await limits.countRequest({ address: visitorAddress(req) });
      const offer = { waitingId: token.waitingId, until: token.expiresAt };
      const state = await stateOf(offer);
      if (state !== 'kept') return sendPage(res, `offer-${state}`);
      const other = taking.read(req);
      const isAnother = !isPressed && other !== undefined && other.waitingId !== offer.waitingId;
      if (isAnother && (await stateOf(other)) === 'kept')
        return sendPage(res, 'replace', `${OFFER_PATH}/${String(req.params.token)}`);
      taking.open(res, offer);
      redirectMarked(res, OPEN_PAGE);
    };
  const showOpen: RequestHandler = (req, res, next) => {
    const isKept = taking.read(req) !== undefined;
    if (isMarked(req)) return isKept ? res.redirect(303, OPEN_PAGE) : sendPage(res, 'no-cookie');
    if (!isKept) return res.redirect(303, '/');
    res.set('X-Robots-Tag', 'noindex');
    return openPage(req, res, next);
  };
  const fromHere = requireSameOrigin(publicUrl, { allowNullOrigin: true });
  return { show: enter(false), press: [fromHere, enter(true)], showOpen };
}
