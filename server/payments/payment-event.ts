import type Stripe from 'stripe';
import { AppError } from '#server/errors.ts';
import type { MailJob } from '#server/mail/queue.ts';
import { messages } from '#shared/registration.ts';
import { isOurs, welcomeOf } from './outbox.ts';

/** Stripe's code for a 3-D Secure challenge that was not passed. */
export const AUTHENTICATION_FAILURE = 'payment_intent_authentication_failure';

/** An attempt to pay a deposit that failed. */
export interface DepositFailure {
  paymentIntentId: string;
  /** Stripe's, the same however often it is told. */
  eventId: string;
  /** Stripe's reason. */
  code: string | undefined;
}

/** What a webhook event means to this site. */
export type PaymentEvent =
  | {
      type: 'deposit-paid';
      /** Its name, see `registrationName`. */
      registration: string | undefined;
      welcome: Extract<MailJob, { kind: 'welcome' }>;
    }
  | ({ type: 'deposit-failed' } & DepositFailure)
  | { type: 'other'; name: string };

/**
 * Reads a verified Stripe event. An intent that names no package of this site is somebody else's: `other`.
 * @throws {AppError} when a paid deposit of this site cannot be read, so that it is noticed and comes again
 * @see https://docs.stripe.com/api/events/types
 */
export function paymentEventOf(event: Stripe.Event): PaymentEvent {
  if (event.type === 'payment_intent.succeeded' && isOurs(event.data.object))
    return depositPaid(event.data.object);
  if (event.type === 'payment_intent.payment_failed' && isOurs(event.data.object)) {
    const { id, last_payment_error } = event.data.object;
    return {
      type: 'deposit-failed',
      paymentIntentId: id,
      eventId: event.id,
      code: last_payment_error?.code,
    };
  }
  return { type: 'other', name: event.type };
}

function depositPaid(intent: Stripe.PaymentIntent): PaymentEvent {
  const welcome = welcomeOf(intent);
  if (!welcome) {
    throw new AppError({
      code: 'unreadable_payment',
      status: 500,
      message: messages.unexpected,
      cause: new Error(`The metadata of ${intent.id} lacks the registrant`),
    });
  }
  return { type: 'deposit-paid', registration: intent.metadata.registration, welcome };
}
