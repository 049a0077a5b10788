import type { IRouter, RequestHandler } from 'express';
import type { Logger } from '#server/config/logger.ts';
import type { MailQueue } from '#server/letters/queue.ts';
import { lettersAtOnce } from '#server/letters/table.ts';
import type { Metrics } from '#server/ops/metrics.ts';
import { bytesOf, webhookBody } from '#server/web/request-guards.ts';
import type { Payments } from './connect-stripe.ts';
import {
  CHANGES,
  type Change,
  invalidSignature,
  noteTaken,
  type Taken,
  takeSigned,
} from './stripe-events.ts';

export const WEBHOOK_PATH = '/webhooks/stripe';

interface WebhookDependencies {
  payments: Payments;
  secret: string;
  mailQueue: MailQueue;
  /** The rate limits, which count registrations; a paid registration no longer counts. */
  limits: { giveBack(registration: string): Promise<void> };
  metrics: Pick<Metrics, 'count'>;
  askForDueWork: () => Promise<void>;
  logger: Logger;
}

/** R4.6: an event is acknowledged once its effect is on record; until then Stripe gets 5xx and sends it again. */
export function addWebhookRoute(app: IRouter, dependencies: WebhookDependencies): void {
  const { payments, secret, logger } = dependencies;
  const requireSignature: RequestHandler = (req, _res, next) => {
    if (!req.get('Stripe-Signature'))
      throw invalidSignature(new Error('The Stripe-Signature header is missing'));
    next();
  };
  app.post(WEBHOOK_PATH, requireSignature, webhookBody, async (req, res) => {
    const signature = req.get('Stripe-Signature') ?? '';
    const { event, taken } = await payments.ask(takeSigned, bytesOf(req), signature, secret);
    if (taken) {
      await follow(taken, dependencies);
      await noteTaken(payments.database, event);
    } else logger.debug({ event: event.type }, 'Event acknowledged without effect');
    res.json({ received: true });
  });
}

const DEPOSIT_EVENTS: Readonly<Partial<Record<Change, readonly string[]>>> = {
  'deposit-paid': ['paid'],
  'payment-held': ['held'],
  'deposit-failed': ['declined'],
  'deposit-closed': ['declined', 'closed'],
};

function countChange(change: Change, metrics: WebhookDependencies['metrics']): void {
  for (const event of DEPOSIT_EVENTS[change] ?? []) metrics.count('deposits_total', { event });
  if (change === 'refund-failed') metrics.count('refunds_total', { outcome: 'failed' });
  if (change.startsWith('dispute-') && change !== 'dispute-moved')
    metrics.count('disputes_total', { event: change.slice('dispute-'.length) });
}

async function follow(
  { change, registration, facts, paid }: Taken,
  { askForDueWork, mailQueue, limits, metrics, logger }: WebhookDependencies,
): Promise<void> {
  if (paid) {
    await mailQueue.add(...lettersAtOnce(paid));
    await limits.giveBack(registration);
  }
  // A card may have been declined before, and is to be tried again then.
  else await askForDueWork();
  countChange(change, metrics);
  const [level, message] = CHANGES[change];
  logger[level]({ registration, ...facts }, message);
}
