import type Stripe from 'stripe';
import * as v from 'valibot';
import { moment } from './decisions.ts';
import { unreadablePayment } from './provider-errors.ts';

/** The card that the balance is charged to. */
export const cardSchema = v.object({
  /** The id of the Stripe payment method. */
  id: v.string(),
  /** As Stripe names it, such as `visa`. */
  brand: v.string(),
  last4: v.string(),
  expMonth: v.number(),
  expYear: v.number(),
  /** When she gave it. */
  since: moment,
});
export type CardOnFile = v.InferOutput<typeof cardSchema>;

/** The card that a payment was made with. */
export const paidCardSchema = v.pick(cardSchema, ['brand', 'last4']);
export type PaidCard = v.InferOutput<typeof paidCardSchema>;

/** The card that a payment was made with, if any. Its charge must be expanded. */
export function readPaidCard({ latest_charge: charge }: Stripe.PaymentIntent): PaidCard | undefined {
  const paid = typeof charge === 'object' ? charge?.payment_method_details?.card : undefined;
  return paid?.brand && paid.last4 ? { brand: paid.brand, last4: paid.last4 } : undefined;
}

/** In the metadata of the deposit: a card that she gave after paying the deposit. */
export const CARD_MARK = 'card';

const markSchema = v.pipe(v.string(), v.parseJson(), cardSchema);

/** The card that she gave last; undefined while nothing is paid. Its charge must be expanded. */
export function readCard({
  id,
  metadata,
  latest_charge: charge,
}: Stripe.PaymentIntent): CardOnFile | undefined {
  const text = metadata[CARD_MARK];
  if (text !== undefined) {
    const read = v.safeParse(markSchema, text);
    if (!read.success) throw unreadablePayment(`${id} has metadata under ${CARD_MARK} that cannot be read`);
    return read.output;
  }
  if (!charge || typeof charge === 'string' || charge.status !== 'succeeded') return undefined;
  const { payment_method: paymentMethod, payment_method_details: details, created } = charge;
  const { brand, last4, exp_month: expMonth, exp_year: expYear } = details?.card ?? {};
  if (!paymentMethod || !brand || !last4 || !expMonth || !expYear) return undefined;
  return { id: paymentMethod, brand, last4, expMonth, expYear, since: new Date(created * 1000) };
}

/**
 * When a card has expired in every time zone: the first moment after its last month, in the westernmost zone.
 */
export function expiryOf({ expMonth, expYear }: Pick<CardOnFile, 'expMonth' | 'expYear'>): Date {
  return new Date(Date.UTC(expYear, expMonth, 1, 12));
}
