import type { RequestHandler } from 'express';
import { causeOf } from '#server/http/app-error.ts';
import { visitorAddress } from '#server/http/visitor-address.ts';
import type { OwnPageLinks } from '#server/links/own-page-links.ts';
import type { WaitingLinks } from '#server/links/waiting-links.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { Payments } from '#server/payments/payments.ts';
import { waitingLettersDue } from '#server/register/waiting-letters.ts';
import type { WaitingList } from '#server/register/waiting-list.ts';
import type { RegistrationLimits } from '#server/registration/registration-limits.ts';
import type { Logger } from '#server/service/logger.ts';
import type { WaitingPress, WaitingReason } from '#shared/content/waiting-words.ts';
import type { SendWaitingPage } from './waiting-pages.ts';

/** A page with a button, and what a press of it does; returns which page answers it. */
interface PressPage {
  page: WaitingPress;
  press(): Promise<WaitingReason>;
}

interface PressDependencies {
  limits: Pick<RegistrationLimits, 'countRequest'>;
  sendPage: SendWaitingPage;
}

/**
 * A page with a button, and the press: hers, or that of her mail client, which sends neither cookie nor origin. Opening a
 * link changes nothing, since programs that look for harm in letters open it too. The token in the URL is the proof, so
 * the posted body is not read.
 * @param pageOf the page to which a token leads; undefined for one that this site did not make, or that has expired
 * @see https://www.rfc-editor.org/rfc/rfc8058
 */
export function pressRoutes(
  path: string,
  pageOf: (token: string) => PressPage | undefined,
  { limits, sendPage }: PressDependencies,
) {
  const show: RequestHandler = (req, res) => {
    const token = String(req.params.token);
    const found = pageOf(token);
    if (found) sendPage(res, found.page, `${path}/${token}`);
    else sendPage(res, 'invalid');
  };
  const press: RequestHandler = async (req, res) => {
    const found = pageOf(String(req.params.token));
    if (!found) return sendPage(res, 'invalid');
    await limits.countRequest({ address: visitorAddress(req) });
    sendPage(res, await found.press());
  };
  return { show, press };
}

interface WaitingDependencies {
  waitingList: Pick<WaitingList, 'confirm' | 'leave'>;
  mailQueue: Pick<MailQueue, 'add'>;
  links: Pick<WaitingLinks, 'read'>;
  logger: Logger;
  now: () => Date;
}

/** The pages that confirm that somebody waits, or take her off the list. */
export function waitingPageOf({ waitingList, mailQueue, links, logger, now }: WaitingDependencies) {
  /** Puts an entry on the list, and queues the letter that tells the office; who is off it already stays so. */
  const confirm = async (waiting: string) => {
    const record = await waitingList.confirm(waiting);
    if (!record) return 'left';
    if (record.took !== undefined) return 'took';
    await mailQueue.add(...waitingLettersDue(record, now())).catch((error: unknown) => {
      const told = { err: causeOf(error), waiting };
      logger.error(told, 'The letter about who waits could not be queued: the worker will send it later');
    });
    return 'confirmed';
  };
  const leave = async (waiting: string) => {
    const outcome = await waitingList.leave(waiting);
    if (outcome === 'left') logger.info({ waiting }, 'Somebody has left the waiting list');
    return outcome;
  };
  return (token: string): PressPage | undefined => {
    const confirming = links.read(token, 'confirm', now());
    if (confirming) return { page: 'confirm', press: () => confirm(confirming.waitingId) };
    const leaving = links.read(token, 'waiting', now());
    return leaving && { page: 'leave', press: () => leave(leaving.waitingId) };
  };
}

interface EndDependencies {
  ownPageLinks: Pick<OwnPageLinks, 'readEnd'>;
  payments: Pick<Payments, 'endUnpaid'>;
  logger: Logger;
  now: () => Date;
}

const ENDED = { ended: 'ended', paid: 'end-paid', gone: 'invalid' } as const;

/** The page that ends a registration that is not paid. */
export function endPageOf({ ownPageLinks, payments, logger, now }: EndDependencies) {
  return (text: string): PressPage | undefined => {
    const token = ownPageLinks.readEnd(text, now());
    if (!token) return undefined;
    const { deposit: paymentIntent, digest } = token;
    const press = async () => {
      const outcome = await payments.endUnpaid(paymentIntent, digest, now());
      if (outcome === 'ended') logger.info({ paymentIntent }, 'Somebody has ended her unpaid registration');
      return ENDED[outcome];
    };
    return { page: 'end', press };
  };
}
