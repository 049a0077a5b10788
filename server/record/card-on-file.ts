import * as v from 'valibot';
import type { ActRow } from '#server/database/schema.ts';
import { lastOfKind, moment } from './acts.ts';
import { ACTS } from './on-record.ts';

/** The card that the balance is charged to. */
const cardSchema = v.object({
  /** The id of the Stripe payment method. */
  id: v.string(),
  /** As Stripe names it, such as `visa`. */
  brand: v.string(),
  last4: v.string(),
  expMonth: v.number(),
  expYear: v.number(),
  /** `credit`, `debit`, `prepaid` or `unknown`, as Stripe says. */
  funding: v.exactOptional(v.string()),
  /** When she gave it. */
  since: moment,
});
export type CardOnFile = v.InferOutput<typeof cardSchema>;

/** The card that a payment was made with. */
export type PaidCard = Pick<CardOnFile, 'brand' | 'last4'>;

const givenSchema = v.pipe(
  v.object({ ...v.omit(cardSchema, ['since']).entries, at: moment }),
  v.transform(({ at: since, ...card }) => ({ ...card, since })),
);

/** The card that she gave last, after the one that paid the deposit. */
export function readCard(acts: readonly ActRow[]): CardOnFile | undefined {
  return lastOfKind(acts, ACTS.card, givenSchema);
}

/**
 * When a card has expired in every time zone: the first moment after its last month, in the westernmost zone.
 */
export function expiryOf({ expMonth, expYear }: Pick<CardOnFile, 'expMonth' | 'expYear'>): Date {
  return new Date(Date.UTC(expYear, expMonth, 1, 12));
}
