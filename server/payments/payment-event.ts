import type Stripe from 'stripe';
import * as v from 'valibot';
import { contactSchema } from '#shared/registration.ts';

const paidContactSchema = v.pick(contactSchema, ['firstName', 'lastName', 'email']);

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
 * Reads a verified Stripe event. An intent without this site's contact metadata is somebody else's: `other`.
 * @see https://docs.stripe.com/api/events/types
 */
export function paymentEventOf(event: Stripe.Event): PaymentEvent {
  if (event.type === 'payment_intent.succeeded') {
    const intent = event.data.object;
    const contact = v.safeParse(paidContactSchema, intent.metadata);
    if (contact.success) {
      return {
        type: 'deposit-paid',
        paymentIntentId: intent.id,
        amountCents: intent.amount_received,
        contact: contact.output,
      };
    }
  }
  if (event.type === 'payment_intent.payment_failed') {
    const intent = event.data.object;
    return { type: 'deposit-failed', paymentIntentId: intent.id, code: intent.last_payment_error?.code };
  }
  return { type: 'other', name: event.type };
}
