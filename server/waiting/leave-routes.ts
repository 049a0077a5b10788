import type { IRouter, RequestHandler } from 'express';
import { allow } from '#server/http/allow-methods.ts';
import { privately } from '#server/http/privately.ts';
import { visitorAddress } from '#server/http/visitor-address.ts';
import type { WaitingLinks } from '#server/links/waiting-links.ts';
import type { RegistrationLimits } from '#server/registration/registration-limits.ts';
import { WAITING_PATH } from '#shared/waiting.ts';
import { type LeaveDependencies, leaveWaitingList } from './leave.ts';
import type { SendWaitingPage } from './waiting-pages.ts';

interface LeaveRoutesDependencies extends LeaveDependencies {
  limits: Pick<RegistrationLimits, 'countRequest'>;
  links: Pick<WaitingLinks, 'read'>;
  sendPage: SendWaitingPage;
}

const PATH = `${WAITING_PATH}/:token`;

/**
 * The page with the button that takes somebody off the list, and the press: hers, or that of her mail client,
 * which sends neither cookie nor origin. The token in the URL is the proof, so the posted body is not read.
 * @see https://www.rfc-editor.org/rfc/rfc8058
 */
export function leaveRoutes({ links, sendPage, limits, ...dependencies }: LeaveRoutesDependencies) {
  const { now } = dependencies;
  const show: RequestHandler = (req, res) => {
    const text = String(req.params.token);
    if (links.read(text, 'waiting', now())) sendPage(res, 'leave', `${WAITING_PATH}/${text}`);
    else sendPage(res, 'invalid');
  };
  const leave: RequestHandler = async (req, res) => {
    const token = links.read(String(req.params.token), 'waiting', now());
    if (!token) return sendPage(res, 'invalid');
    // Limited, because each request calls Stripe.
    await limits.countRequest({ address: visitorAddress(req) });
    sendPage(res, await leaveWaitingList(token.waitingId, dependencies));
  };
  return {
    addActs(app: IRouter): void {
      app.post(PATH, privately, leave);
      app.all(PATH, allow('GET', 'HEAD', 'POST'));
    },
    addPages(app: IRouter): void {
      app.get(PATH, privately, show);
    },
  };
}
