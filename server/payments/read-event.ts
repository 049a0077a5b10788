import type Stripe from 'stripe';
import { noteTaken } from './catch-up.ts';
import type { Records } from './find-registration.ts';
import { type PaymentEvent, paymentEventOf } from './payment-event.ts';
import { invalidSignature } from './provider-errors.ts';

/** How old a webhook may be: Stripe's own recommendation against replays. */
const TOLERANCE_S = 300;

/** A header that Stripe may have sent: a time, and at least one signature of the current scheme. */
const TIME = /(?:^|,)t=(\d{1,12})(?:,|$)/;
const SIGNATURE = /(?:^|,)v1=[\da-f]{64}(?:,|$)/;

/** An event that a webhook brought. */
export interface ReceivedEvent {
  event: PaymentEvent;
  /** To be called once its effects are on record, so that it is not read again. */
  noteTaken(): Promise<void>;
}

/**
 * Checks what the header of a webhook request shows without its body; the returned function checks the body against it,
 * and reads the event.
 * @throws {AppError} when the header is missing, malformed or too old; later, when the signature is not Stripe's
 * @see https://docs.stripe.com/webhooks/signature
 */
export function eventReader(
  records: Records,
  header: string,
  secret: string,
): (rawBody: Buffer) => Promise<ReceivedEvent> {
  const [, time] = TIME.exec(header) ?? [];
  if (time === undefined || !SIGNATURE.test(header))
    throw invalidSignature(new Error('The Stripe-Signature header is missing or malformed'));
  if (Date.now() / 1000 - Number(time) > TOLERANCE_S)
    throw invalidSignature(new Error('The Stripe-Signature header is more than five minutes old'));
  return async (rawBody) => {
    const event = verified(records.stripe, rawBody, header, secret);
    return {
      event: await paymentEventOf(records, event),
      noteTaken: () => noteTaken(records.database, event),
    };
  };
}

function verified(stripe: Stripe, rawBody: Buffer, header: string, secret: string): Stripe.Event {
  try {
    return stripe.webhooks.constructEvent(rawBody, header, secret, TOLERANCE_S);
  } catch (error) {
    throw invalidSignature(error);
  }
}
