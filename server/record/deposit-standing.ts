import type { BalanceTerms, Edition } from '#shared/content/edition.ts';
import { type Decisions, readDecisions } from './decisions.ts';
import { agreedBalanceOf, depositOf, type OnRecord } from './on-record.ts';
import {
  divideReceived,
  paidByParts,
  type ReceivedOnRecord,
  readReceived,
  sumOfParts,
  wholePart,
} from './received.ts';

/** What decides whether a deposit that no card paid is paid in another way. */
export interface DepositOwed {
  /** What the deposit is without a card fee, as it was agreed, in US cents. */
  dueCents: number;
  /** Of the balance, from which what is not asked of her is taken first; and what is less by check. */
  prices: BalanceTerms['prices'];
  decisions: Pick<Decisions, 'waived'>;
  received: ReceivedOnRecord;
}

/** The deposit, less what of it is not asked of her, in US cents. */
export function owedOfDeposit({ dueCents, prices, decisions }: DepositOwed): number {
  const notAsked = Math.max(0, (decisions.waived?.cents ?? 0) - prices.balanceBeforeFeeCents);
  return Math.max(0, dueCents - notAsked);
}

/** Divides what came by check or transfer: for the deposit first, and the rest for the balance, once the deposit is paid. */
export function divideForDeposit(owed: DepositOwed) {
  const { checkDiscountPerMille } = owed.prices;
  const all = owed.received.counting.map((one) => wholePart(one, checkDiscountPerMille));
  return divideReceived(all, owedOfDeposit(owed), checkDiscountPerMille);
}

/** What paid a deposit without a card: the cents that came, or what is not asked of her; undefined if it is not paid so. */
export function coveredDeposit(owed: DepositOwed): { cents: number; paidAt: Date } | undefined {
  const { taken } = divideForDeposit(owed);
  const paidAt = taken.at(-1)?.on ?? owed.decisions.waived?.at;
  const isPaid = paidByParts(taken) === owedOfDeposit(owed);
  return isPaid && paidAt ? { cents: sumOfParts(taken), paidAt } : undefined;
}

/** How the deposit of a registration stands, whichever way it was paid; `depositDueCents` is absent once a card paid it. */
export function depositStandingOf(onRecord: OnRecord, edition: Edition) {
  const deposit = depositOf(onRecord);
  if (deposit?.status === 'paid') {
    const paidAt = deposit.paidAt === null ? {} : { paidAt: new Date(deposit.paidAt) };
    return { deposit: 'paid' as const, depositCents: deposit.cents, ...paidAt };
  }
  const { acts } = onRecord;
  const decisions = readDecisions(acts);
  const { prices } = agreedBalanceOf(onRecord) ?? edition.facts;
  const depositDueCents = decisions.held?.cents ?? edition.facts.prices.depositBeforeFeeCents;
  const owed = { dueCents: depositDueCents, prices, decisions, received: readReceived(acts) };
  const { cents, paidAt } = coveredDeposit(owed) ?? {};
  if (cents !== undefined && paidAt)
    return { deposit: 'paid' as const, depositCents: cents, paidAt, depositDueCents };
  const isClosed = deposit?.status === 'cancelled' && !decisions.held;
  return { deposit: isClosed ? ('closed' as const) : ('unpaid' as const), depositCents: 0, depositDueCents };
}
