import type { Transaction } from '#server/database/engine.ts';
import type { DueRow } from '#server/database/schema.ts';
import type { BalanceTerms } from '#shared/content/edition.ts';

/** The acts about some registrations, in their order, with what was agreed in them. */
export function readActsWithDues(transaction: Transaction, ids: readonly string[]) {
  return transaction
    .selectFrom('acts')
    .leftJoin('dues', 'dues.agreedIn', 'acts.id')
    .selectAll('acts')
    .select(['beforeFeeCents', 'cardFeePerMille', 'chargeAt', 'lateDays', 'refundsEndAt', 'feeRefundable'])
    .where('subject', 'in', ids)
    .orderBy('number')
    .execute();
}

type ActWithDue = Awaited<ReturnType<typeof readActsWithDues>>[number];

export function duesIn(acts: readonly ActWithDue[]): ReadonlyMap<string, BalanceTerms> {
  const dues = acts.flatMap((act) => (isDue(act) ? [[act.id, termsOf(act)] as const] : []));
  return new Map(dues);
}

type Due = Pick<
  DueRow,
  'beforeFeeCents' | 'cardFeePerMille' | 'chargeAt' | 'lateDays' | 'refundsEndAt' | 'feeRefundable'
>;
const isDue = (act: ActWithDue): act is ActWithDue & Due => act.beforeFeeCents !== null;

function termsOf({ beforeFeeCents, cardFeePerMille, chargeAt, refundsEndAt, ...due }: Due): BalanceTerms {
  const { lateDays, feeRefundable } = due;
  return {
    prices: { balanceBeforeFeeCents: beforeFeeCents, cardFeePerMille },
    balance: {
      chargeAt: chargeAt.toISOString(),
      refundsEndAt: refundsEndAt.toISOString(),
      lateDays,
      feeRefundable: feeRefundable === 1,
    },
  };
}
