import { type RequestHandler, Router, raw } from 'express';
import type { Logger } from '#server/logger.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { PaymentEvent } from './payment-event.ts';
import type { Payments } from './payments.ts';

/** Where Stripe's dashboard is told to send its events. */
export const WEBHOOK_PATH = '/webhooks/stripe';

interface WebhookDependencies {
  payments: Payments;
  mailQueue: MailQueue;
  logger: Logger;
}

/**
 * `POST /webhooks/stripe` (R4.6). An event is acknowledged once its effect is on the queue; until then Stripe
 * gets 5xx and sends it again.
 */
export function webhookRoute(dependencies: WebhookDependencies): Router {
  const router = Router();
  router.post(WEBHOOK_PATH, raw({ type: 'application/json', limit: '256kb' }), receiveEvent(dependencies));
  return router;
}

function receiveEvent({ payments, mailQueue, logger }: WebhookDependencies): RequestHandler {
  return async (req, res) => {
    const body = Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
    const event = payments.readEvent(body, req.get('Stripe-Signature') ?? '');
    await handleEvent(event, mailQueue, logger);
    res.json({ received: true });
  };
}

async function handleEvent(event: PaymentEvent, mailQueue: MailQueue, logger: Logger): Promise<void> {
  switch (event.type) {
    case 'deposit-paid': {
      const { paymentIntentId, amountCents, contact } = event;
      await mailQueue.add({
        kind: 'welcome',
        paymentIntentId,
        amountCents,
        firstName: contact.firstName,
        email: contact.email,
      });
      logger.info({ paymentIntent: paymentIntentId, amountCents }, 'Deposit paid');
      return;
    }
    case 'deposit-failed':
      logger.warn({ paymentIntent: event.paymentIntentId, reason: event.code }, 'Deposit payment failed');
      return;
    case 'other':
      logger.debug({ event: event.name }, 'Event acknowledged without effect');
  }
}
