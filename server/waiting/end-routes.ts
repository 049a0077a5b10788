import type { RequestHandler } from 'express';
import { visitorAddress } from '#server/http/visitor-address.ts';
import type { OwnPageLinks } from '#server/links/own-page-links.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { RegistrationLimits } from '#server/registration/registration-limits.ts';
import type { Logger } from '#server/service/logger.ts';
import { UNFINISHED_PATH } from '#shared/own-page.ts';
import type { SendWaitingPage } from './waiting-pages.ts';

interface EndRoutesDependencies {
  ownPageLinks: Pick<OwnPageLinks, 'readEnd'>;
  payments: Pick<Payments, 'endUnpaid'>;
  limits: Pick<RegistrationLimits, 'countRequest'>;
  sendPage: SendWaitingPage;
  logger: Logger;
  now: () => Date;
}

/**
 * The page with the button that ends a registration that is not paid, and the press. As on the waiting list, opening the
 * link changes nothing, and its token is the proof.
 */
export function endRoutes({ ownPageLinks, payments, limits, sendPage, logger, now }: EndRoutesDependencies) {
  const show: RequestHandler = (req, res) => {
    const token = String(req.params.token);
    if (ownPageLinks.readEnd(token, now())) sendPage(res, 'end', `${UNFINISHED_PATH}/${token}`);
    else sendPage(res, 'invalid');
  };
  const press: RequestHandler = async (req, res) => {
    const token = ownPageLinks.readEnd(String(req.params.token), now());
    if (!token) return sendPage(res, 'invalid');
    await limits.countRequest({ address: visitorAddress(req) });
    const { deposit: paymentIntent, address } = token;
    const outcome = await payments.endUnpaid(paymentIntent, address, now());
    if (outcome === 'ended') logger.info({ paymentIntent }, 'Somebody has ended her unpaid registration');
    sendPage(res, ({ ended: 'ended', paid: 'end-paid', gone: 'invalid' } as const)[outcome]);
  };
  return { show, press };
}
