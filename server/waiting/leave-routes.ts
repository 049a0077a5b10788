import type { IRouter, RequestHandler } from 'express';
import { allow } from '#server/http/allow-methods.ts';
import { privately } from '#server/http/privately.ts';
import { visitorAddress } from '#server/http/visitor-address.ts';
import type { WaitingLinks } from '#server/links/waiting-links.ts';
import type { WaitingList } from '#server/register/waiting-list.ts';
import type { RegistrationLimits } from '#server/registration/registration-limits.ts';
import type { Logger } from '#server/service/logger.ts';
import { WAITING_PATH } from '#shared/waiting.ts';
import type { SendWaitingPage } from './waiting-pages.ts';

interface LeaveRoutesDependencies {
  waitingList: Pick<WaitingList, 'leave'>;
  limits: Pick<RegistrationLimits, 'countRequest'>;
  links: Pick<WaitingLinks, 'read'>;
  sendPage: SendWaitingPage;
  logger: Logger;
  now: () => Date;
}

const PATH = `${WAITING_PATH}/:token`;

/**
 * The page with the button that takes somebody off the list, and the press: hers, or that of her mail client,
 * which sends neither cookie nor origin. The token in the URL is the proof, so the posted body is not read.
 * @see https://www.rfc-editor.org/rfc/rfc8058
 */
export function leaveRoutes({ waitingList, links, sendPage, limits, logger, now }: LeaveRoutesDependencies) {
  const show: RequestHandler = (req, res) => {
    const text = String(req.params.token);
    if (links.read(text, 'waiting', now())) sendPage(res, 'leave', `${WAITING_PATH}/${text}`);
    else sendPage(res, 'invalid');
  };
  const leave: RequestHandler = async (req, res) => {
    const token = links.read(String(req.params.token), 'waiting', now());
    if (!token) return sendPage(res, 'invalid');
    await limits.countRequest({ address: visitorAddress(req) });
    const { waitingId } = token;
    const outcome = await waitingList.leave(waitingId);
    if (outcome === 'left') logger.info({ waiting: waitingId }, 'Somebody has left the waiting list');
    sendPage(res, outcome);
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
