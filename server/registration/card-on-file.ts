import * as v from 'valibot';
import type { ActRow, PaymentRow } from '#server/database/database.ts';
import type { BalanceTerms, Edition } from '#shared/content/edition.ts';
import { type ActFacts, actsOfHolder, factsOfAct, hasKind, unreadablePayment } from './acts.ts';

export type CardOnFile = ActFacts<'card'>;

export type PaidCard = Pick<CardOnFile, 'brand' | 'last4'>;

/** When a card has expired in every time zone: the first moment after its last month, in the westernmost zone. */
export function expiryOf({ expMonth, expYear }: Pick<CardOnFile, 'expMonth' | 'expYear'>): Date {
  return new Date(Date.UTC(expYear, expMonth, 1, 12));
}

/** The card that paid: its brand and last digits, and the rest if it can be charged again. */
const chargedCardSchema = v.object({
  brand: v.string(),
  last4: v.string(),
  id: v.exactOptional(v.string()),
  expMonth: v.exactOptional(v.number()),
  expYear: v.exactOptional(v.number()),
  /** Of the bank that issued it, as two letters. */
  country: v.exactOptional(v.string()),
});

export type ChargedCard = v.InferOutput<typeof chargedCardSchema>;

/**
 * The card that paid a payment on record.
 * @throws {AppError} when it is not what this site writes
 */
export function chargedCardOf({ id, card }: Pick<PaymentRow, 'id' | 'card'>): ChargedCard | undefined {
  if (card === null) return undefined;
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), chargedCardSchema), card);
  if (!read.success) throw unreadablePayment(`${id} was paid with a card that cannot be read`);
  return read.output;
}

interface Agreed {
  edition: Edition;
  agreed?: BalanceTerms | undefined;
}

/** The rules of her balance: as she agreed to them, or those of the edition while she has agreed to none. */
export function balanceTermsOf({ agreed, edition: { facts } }: Agreed): BalanceTerms {
  return agreed ?? facts;
}

/**
 * The card that is charged: the one that who has the place gave last, or paid the deposit with; none since it was detached
 * at Stripe. Before the deposit is paid, it is charged by her own press only.
 */
export function cardOnFileOf(
  acts: readonly ActRow[],
  deposit: PaymentRow | undefined,
  state: 'unpaid' | 'paid' | 'closed',
): CardOnFile | undefined {
  if (state === 'closed') return undefined;
  const last = actsOfHolder(acts).findLast(({ kind }) => kind === 'card' || kind === 'card-detached');
  if (last) return last.kind === 'card' ? factsOfAct(last, 'card') : undefined;
  return deposit && !hasKind(acts, 'handed-over') ? firstCardOf(deposit) : undefined;
}

function firstCardOf(deposit: PaymentRow): CardOnFile | undefined {
  const { id, brand, last4, expMonth, expYear } = chargedCardOf(deposit) ?? {};
  if (!id || !brand || !last4 || !expMonth || !expYear || deposit.paidAt === null) return undefined;
  return { id, brand, last4, expMonth, expYear, since: new Date(deposit.paidAt) };
}
