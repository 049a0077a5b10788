import type Stripe from 'stripe';
import * as v from 'valibot';
import type { ActRow } from '#server/database/schema.ts';
import { factsOfAct, moment } from './acts.ts';
import { ACTS } from './on-record.ts';

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

const givenSchema = v.pipe(
  v.object({ ...v.omit(cardSchema, ['since']).entries, at: moment }),
  v.transform(({ at: since, ...card }) => ({ ...card, since })),
);

/** The card that she gave last, after the one that paid the deposit. */
export function readCard(acts: readonly ActRow[]): CardOnFile | undefined {
  const act = acts.findLast(({ kind }) => kind === ACTS.card);
  return act && factsOfAct(act, givenSchema);
}

/** The card that paid the deposit; undefined while nothing is paid. Its charge must be expanded. */
export function readFirstCard({ latest_charge: charge }: Stripe.PaymentIntent): CardOnFile | undefined {
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
