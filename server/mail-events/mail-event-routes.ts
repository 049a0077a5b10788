import type { IRouter, RequestHandler } from 'express';
import { AppError, notFound } from '#server/http/app-error.ts';
import { busy, webhookBody } from '#server/http/webhook-body.ts';
import { goesToOffice, type NamedLetter, readMessageId } from '#server/mail/job.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { WaitingList } from '#server/register/waiting-list.ts';
import type { Logger } from '#server/service/logger.ts';
import {
  MAIL_EVENTS_PATH,
  type MailEvent,
  type MailEventSource,
  type ReadEvents,
  SENDGRID_PATH,
  SignatureError,
  sendgrid,
  standardWebhooks,
} from './mail-event-sources.ts';

/** How many requests are processed at the same time: each may wait some seconds for the register. */
const MOST_IN_FLIGHT = 3;

interface RouteDependencies extends MailEventDependencies {
  /** A provider that is not configured has no route. */
  mailEvents: { sendgridKey: string | undefined; secrets: readonly string[] };
}

/**
 * Accepts the events of mail providers about letters that did not arrive: SendGrid's own, or those signed by
 * Standard Webhooks.
 */
export function addMailEventRoutes(app: IRouter, dependencies: RouteDependencies): void {
  const { sendgridKey, secrets } = dependencies.mailEvents;
  const add = (path: string, source: MailEventSource | undefined) =>
    app.post(path, source ? receiveEvents(source, dependencies) : notFound);
  add(SENDGRID_PATH, sendgridKey === undefined ? undefined : sendgrid(sendgridKey));
  add(MAIL_EVENTS_PATH, secrets.length === 0 ? undefined : standardWebhooks(secrets));
}

function receiveEvents(source: MailEventSource, dependencies: MailEventDependencies): RequestHandler {
  const readBody = webhookBody(source.mostBytes);
  const signed = signedBy(dependencies);
  let inFlight = 0;
  return async (req, res) => {
    const read = signed(() => source.reader((name) => req.get(name) ?? ''));
    const body = await readBody(req, res);
    const events = signed(() => read(body));
    if (inFlight >= MOST_IN_FLIGHT) throw busy();
    inFlight += 1;
    try {
      await takeMailEvents(events, dependencies);
    } finally {
      inFlight -= 1;
    }
    res.json({ received: true });
  };
}

/** Answers and counts requests that are not signed. */
function signedBy({ watcher }: MailEventDependencies) {
  return <Result>(check: () => Result): Result => {
    try {
      return check();
    } catch (cause) {
      if (!(cause instanceof SignatureError)) throw cause;
      watcher.refused();
      const message = 'The signature does not match';
      throw new AppError({ code: 'invalid_signature', status: 400, message, cause });
    }
  };
}

/**
 * The types by which events are counted. `blocked`: a letter is lost although its address works. `unknown`:
 * the event is about nobody who is known here.
 */
export const eventTypes = ['bounce', 'blocked', 'complaint', 'office', 'unknown'] as const;

/** Is notified of events that were not known before. */
export interface MailEventWatcher {
  told(type: (typeof eventTypes)[number]): void;
  /** A request without a valid signature, or an event that cannot be read. */
  refused(): void;
}

export interface MailEventDependencies {
  payments: Pick<Payments, 'recordBounce'>;
  waitingList: Pick<WaitingList, 'recordBounce'>;
  watcher: MailEventWatcher;
  /** The sender of every mail; Message-IDs use its domain. */
  from: string;
  officeEmail: string;
  logger: Logger;
  /** The site's business date. */
  now: () => Date;
}

/**
 * Records the events of a provider, each by itself; an event that is on record already has no further effect.
 * @throws {AppError} when one could not be recorded: the provider sends all of them again
 */
export async function takeMailEvents(
  { events, unreadable }: ReadEvents,
  dependencies: MailEventDependencies,
): Promise<void> {
  const { watcher, logger } = dependencies;
  for (let left = unreadable; left > 0; left -= 1) watcher.refused();
  if (unreadable > 0) logger.error({ events: unreadable }, 'Events of a mail provider cannot be read');
  const different = new Map(events.map((event) => [JSON.stringify(event), event]));
  for (const event of different.values()) await takeOne(event, dependencies);
}

async function takeOne(event: MailEvent, dependencies: MailEventDependencies): Promise<void> {
  const { payments, waitingList, watcher, from, logger, now } = dependencies;
  const { messageId = '', ...facts } = event;
  const letter = readMessageId(messageId, from);
  if (isOfOffice(event, letter, dependencies)) {
    watcher.told('office');
    logger.error(
      { kind: letter?.kind, type: event.type },
      'A letter to the office bounced, or was marked as spam',
    );
    return;
  }
  const { waitingId, paymentIntentId, kind } = letter ?? {};
  const about = { ...facts, ...(kind && { kind }) };
  const nobody = { found: [], marked: [] };
  const registered = waitingId === undefined ? await payments.recordBounce(about, now()) : nobody;
  const waiting =
    paymentIntentId === undefined
      ? await waitingList.recordBounce({ ...about, ...(waitingId && { waitingId }) })
      : nobody;
  if (registered.found.length + waiting.found.length === 0) watcher.told('unknown');
  const subjects = [
    ...registered.marked.map((paymentIntent) => ({ paymentIntent })),
    ...waiting.marked.map((id) => ({ waiting: id })),
  ];
  for (const subject of subjects) {
    watcher.told(typeOf(event));
    logger.warn(
      { ...subject, kind, type: typeOf(event) },
      'A letter bounced, or was marked as spam: the office is told',
    );
  }
}

/** If the letter is not known, the address decides. */
function isOfOffice(
  { address }: MailEvent,
  letter: NamedLetter | undefined,
  { officeEmail }: MailEventDependencies,
): boolean {
  return letter ? goesToOffice(letter) : address.toLowerCase() === officeEmail.toLowerCase();
}

function typeOf({ type, permanent }: MailEvent): 'bounce' | 'blocked' | 'complaint' {
  if (type === 'complaint') return 'complaint';
  return permanent ? 'bounce' : 'blocked';
}
