import type { IRouter } from 'express';
import { webhookBody } from '#server/http/webhook-body.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { Logger } from '#server/service/logger.ts';
import type { Payments } from './connect-stripe.ts';
import type { Change, Taken } from './stripe-events.ts';

/** The path to which Stripe sends its events, as configured in its dashboard. */
export const WEBHOOK_PATH = '/webhooks/stripe';

/** Stripe documents no size: metadata can be the largest part, 50 values of 500 characters. */
const MOST_BYTES = 256 * 1024;

interface WebhookDependencies {
  payments: Payments;
  mailQueue: MailQueue;
  /** The rate limits, which count registrations; a paid registration no longer counts. */
  limits: { giveBack(registration: string): Promise<void> };
  /** Is notified of each change, of repeated ones too. */
  counted: (change: Change) => void;
  /** Asks the worker for the letters and charges that are due now. */
  askForDueWork: () => Promise<void>;
  logger: Logger;
}

/** A dispute changes nothing automatically: the office is told by its digest. */
const LOGGED: Readonly<Record<Change, readonly ['info' | 'warn' | 'error', string]>> = {
  'deposit-paid': ['info', 'Deposit paid'],
  'balance-paid': ['info', 'Balance paid'],
  'payment-held': [
    'error',
    'A payment was made with another amount or currency than expected: no letter is sent, please look at it',
  ],
  'deposit-failed': ['warn', 'Deposit payment failed'],
  'deposit-closed': ['warn', 'Payment closed after too many declined cards'],
  'card-failed': ['warn', 'A card could not be stored'],
  'card-closed': ['warn', 'No card can be stored today after too many declined ones'],
  card: ['info', 'A card was stored or renewed'],
  refund: ['info', 'A refund was made or has changed'],
  'refund-failed': ['error', 'A refund failed at the bank: the office sends a check'],
  'dispute-opened': ['error', 'A charge is disputed: nothing moves by itself'],
  'dispute-moved': ['info', 'The money of a dispute was withdrawn or given back'],
  'dispute-won': ['warn', 'A dispute is won: the office says how it goes on'],
  'dispute-lost': ['warn', 'A dispute is lost: the office says how it goes on'],
  'dispute-closed': ['warn', 'A dispute is closed: the office says how it goes on'],
};

/**
 * `POST /webhooks/stripe` (R4.6). An event is acknowledged once its effect is on the queue or at Stripe; until then
 * Stripe gets 5xx and sends it again.
 */
export function addWebhookRoute(app: IRouter, dependencies: WebhookDependencies): void {
  const { payments, logger } = dependencies;
  const readBody = webhookBody(MOST_BYTES);
  app.post(WEBHOOK_PATH, async (req, res) => {
    const readEvent = payments.eventReader(req.get('Stripe-Signature') ?? '');
    const { type, taken, noteTaken } = await readEvent(await readBody(req, res));
    if (taken) {
      await follow(taken, dependencies);
      await noteTaken();
    } else logger.debug({ event: type }, 'Event acknowledged without effect');
    res.json({ received: true });
  });
}

async function follow(
  { change, registration, facts, letters = [] }: Taken,
  { askForDueWork, mailQueue, limits, counted, logger }: WebhookDependencies,
): Promise<void> {
  if (letters.length > 0) await mailQueue.add(...letters);
  if (change === 'deposit-paid') await limits.giveBack(registration);
  // A card may have been declined before, and is to be tried again then.
  if (change !== 'deposit-paid') await askForDueWork();
  counted(change);
  const [level, message] = LOGGED[change];
  logger[level]({ registration, ...facts }, message);
}
