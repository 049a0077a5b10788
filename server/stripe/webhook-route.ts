import type { IRouter } from 'express';
import { webhookBody } from '#server/http/webhook-body.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { Logger } from '#server/service/logger.ts';
import type { Payments } from './connect-stripe.ts';
import type { MoneyBack, Taken } from './stripe-events.ts';

/** The path to which Stripe sends its events, as configured in its dashboard. */
export const WEBHOOK_PATH = '/webhooks/stripe';

/** Stripe documents no size: metadata can be the largest part, 50 values of 500 characters. */
const MOST_BYTES = 256 * 1024;

interface WebhookDependencies {
  payments: Payments;
  mailQueue: MailQueue;
  /** The rate limits, which count registrations; a paid registration no longer counts. */
  limits: { giveBack(registration: string): Promise<void> };
  watcher: DepositWatcher;
  /** Is notified of refunds and disputes that the worker did not cause. */
  moneyBack: (change: MoneyBack) => void;
  waitingList: { took(id: string, registration: string): Promise<void> };
  /** Asks the worker for the letters and charges that are due now. */
  askForDueWork: () => Promise<void>;
  logger: Logger;
}

/** Is notified of each event about a deposit, repeated ones too, and of a balance that is held. */
interface DepositWatcher {
  paid(): void;
  /** A payment was paid differently from how it was made: a person must look. */
  held(): void;
  declined(): void;
  /** A payment was closed after too many failed attempts. */
  closed(): void;
}

/**
 * `POST /webhooks/stripe` (R4.6). An event is acknowledged once its effect is on the queue or at Stripe; until then
 * Stripe gets 5xx and sends it again.
 */
export function addWebhookRoute(app: IRouter, dependencies: WebhookDependencies): void {
  const readBody = webhookBody(MOST_BYTES);
  app.post(WEBHOOK_PATH, async (req, res) => {
    const readEvent = dependencies.payments.eventReader(req.get('Stripe-Signature') ?? '');
    const { event, noteTaken } = await readEvent(await readBody(req, res));
    await handleEvent(event, dependencies);
    if (event.type !== 'other') await noteTaken();
    res.json({ received: true });
  });
}

const HELD =
  'A payment was made with another amount or currency than expected: no letter is sent, please look at it';

async function handleEvent(event: Taken, dependencies: WebhookDependencies): Promise<void> {
  const { askForDueWork, watcher, logger } = dependencies;
  switch (event.type) {
    case 'deposit-paid':
      return sendLetters(event, dependencies);
    case 'balance-paid':
      await askForDueWork();
      return logger.info(
        { registration: event.registration, amountCents: event.amountCents },
        'Balance paid',
      );
    case 'payment-held':
      watcher.held();
      return logger.error({ registration: event.registration }, HELD);
    case 'deposit-failed':
    case 'card-failed':
      return tellFailure(event, dependencies);
    case 'money-back':
      return tellMoneyBack(event, dependencies);
    case 'card':
      // The card may have been declined before, and is to be tried again then.
      if (event.isNews) await askForDueWork();
      return undefined;
    case 'other':
      return logger.debug({ event: event.name }, 'Event acknowledged without effect');
  }
}

type EventOf<Type extends Taken['type']> = Extract<Taken, { type: Type }>;

async function sendLetters(
  { registration, waiting, amountCents, letters }: EventOf<'deposit-paid'>,
  { mailQueue, limits, waitingList, watcher, logger }: WebhookDependencies,
): Promise<void> {
  if (letters.length > 0) await mailQueue.add(...letters);
  await limits.giveBack(registration);
  if (waiting !== undefined) await waitingList.took(waiting, registration);
  watcher.paid();
  logger.info({ registration, amountCents }, 'Deposit paid');
}

/**
 * A dispute changes nothing automatically, whether it is opened, won or lost: the office is notified by its
 * digest.
 */
async function tellMoneyBack(
  { registration, change }: EventOf<'money-back'>,
  { askForDueWork, moneyBack, logger }: WebhookDependencies,
): Promise<void> {
  await askForDueWork();
  moneyBack(change);
  switch (change) {
    case 'refund':
      return logger.info({ registration }, 'A refund was made or has changed');
    case 'refund-failed':
      return logger.error({ registration }, 'A refund failed at the bank: the office sends a check');
    case 'dispute-moved':
      return logger.info({ registration }, 'The money of a dispute was withdrawn or given back');
    case 'dispute-opened':
      return logger.error({ registration }, 'A charge is disputed: nothing moves by itself');
    default:
      return logger.warn({ registration, change }, 'A dispute is closed: the office says how it goes on');
  }
}

function tellFailure(
  { type, registration, reason, isClosed }: EventOf<'deposit-failed' | 'card-failed'>,
  { watcher, logger }: WebhookDependencies,
): void {
  if (type === 'card-failed') {
    logger.warn({ registration, reason }, 'A card could not be stored');
    if (isClosed) logger.warn({ registration }, 'No card can be stored today after too many declined ones');
    return;
  }
  watcher.declined();
  logger.warn({ registration, reason }, 'Deposit payment failed');
  if (!isClosed) return;
  watcher.closed();
  logger.warn({ registration }, 'Payment closed after too many declined cards');
}
