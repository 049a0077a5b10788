import type { Request, RequestHandler } from 'express';
import { causeOf } from '#server/http/app-error.ts';
import { visitorAddress } from '#server/http/visitor-address.ts';
import type { WaitingLinks, WaitingToken } from '#server/links/waiting-links.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import { waitingLettersDue } from '#server/register/waiting-letters.ts';
import type { WaitingList } from '#server/register/waiting-list.ts';
import type { RegistrationLimits } from '#server/registration/registration-limits.ts';
import type { Logger } from '#server/service/logger.ts';
import { WAITING_PATH } from '#shared/waiting.ts';
import type { SendWaitingPage } from './waiting-pages.ts';

interface PressRoutesDependencies {
  waitingList: Pick<WaitingList, 'confirm' | 'leave'>;
  mailQueue: Pick<MailQueue, 'add'>;
  limits: Pick<RegistrationLimits, 'countRequest'>;
  links: Pick<WaitingLinks, 'read'>;
  sendPage: SendWaitingPage;
  logger: Logger;
  now: () => Date;
}

/**
 * The pages with the button that confirms that somebody waits or takes her off the list, and the press: hers,
 * or that of her mail client, which sends neither cookie nor origin. Opening a link changes nothing, since
 * programs that look for harm in letters open it too. The token in the URL is the proof, so the posted body is
 * not read.
 * @see https://www.rfc-editor.org/rfc/rfc8058
 */
export function pressRoutes(dependencies: PressRoutesDependencies) {
  const { waitingList, links, sendPage, limits, now } = dependencies;
  const tokenOf = (req: Request, scope: 'confirm' | 'waiting'): WaitingToken | undefined =>
    links.read(String(req.params.token), scope, now());
  const show: RequestHandler = (req, res) => {
    const path = `${WAITING_PATH}/${String(req.params.token)}`;
    if (tokenOf(req, 'confirm')) sendPage(res, 'confirm', path);
    else if (tokenOf(req, 'waiting')) sendPage(res, 'leave', path);
    else sendPage(res, 'invalid');
  };
  const press: RequestHandler = async (req, res) => {
    const [confirming, leaving] = [tokenOf(req, 'confirm'), tokenOf(req, 'waiting')];
    if (!confirming && !leaving) return sendPage(res, 'invalid');
    await limits.countRequest({ address: visitorAddress(req) });
    if (confirming) return sendPage(res, await confirm(confirming.waitingId, dependencies));
    if (!leaving) return;
    const outcome = await waitingList.leave(leaving.waitingId);
    const { waitingId: waiting } = leaving;
    if (outcome === 'left') dependencies.logger.info({ waiting }, 'Somebody has left the waiting list');
    sendPage(res, outcome);
  };
  return { show, press };
}

/** Puts an entry on the list, and queues the letter that tells the office; who is off it already stays so. */
async function confirm(
  waitingId: string,
  { waitingList, mailQueue, logger, now }: PressRoutesDependencies,
): Promise<'confirmed' | 'left' | 'took'> {
  const record = await waitingList.confirm(waitingId);
  if (!record) return 'left';
  if (record.took !== undefined) return 'took';
  await mailQueue.add(...waitingLettersDue(record, now())).catch((error: unknown) => {
    const told = { err: causeOf(error), waiting: waitingId };
    logger.error(told, 'The letter about who waits could not be queued: the worker will send it later');
  });
  return 'confirmed';
}
