import type Stripe from 'stripe';
import * as v from 'valibot';
import { AppError } from '#server/errors.ts';
import { messages } from '#shared/registration.ts';
import { findPackage } from '#shared/retreat-package.ts';

/** Whom a paid deposit is from, as `payments.ts` wrote it into the metadata; the form's rules were applied then. */
const paidContactSchema = v.object({
  firstName: v.pipe(v.string(), v.nonEmpty()),
  email: v.pipe(v.string(), v.nonEmpty()),
});

/** What a webhook event means to this site. */
export type PaymentEvent =
  | {
      type: 'deposit-paid';
      paymentIntentId: string;
      /** US cents. */
      amountCents: number;
      contact: v.InferOutput<typeof paidContactSchema>;
    }
  | { type: 'deposit-failed'; paymentIntentId: string; code: string | undefined }
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
    return { type: 'deposit-failed', paymentIntentId: id, code: last_payment_error?.code };
  }
  return { type: 'other', name: event.type };
}

function isOurs({ metadata }: Stripe.PaymentIntent): boolean {
  return findPackage(metadata.package ?? '') !== undefined;
}

function depositPaid({ id, amount_received, metadata }: Stripe.PaymentIntent): PaymentEvent {
  const contact = v.safeParse(paidContactSchema, metadata);
  if (!contact.success) {
    throw new AppError({
      code: 'unreadable_payment',
      status: 500,
      message: messages.unexpected,
      cause: new Error(`The metadata of ${id} lacks the registrant`),
    });
  }
  return { type: 'deposit-paid', paymentIntentId: id, amountCents: amount_received, contact: contact.output };
}
