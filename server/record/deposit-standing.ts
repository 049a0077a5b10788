import type { Edition } from '#shared/content/edition.ts';
import { type Decisions, readDecisions } from './decisions.ts';
import { agreedBalanceOf, depositOf, type OnRecord } from './on-record.ts';
import {
  divideReceived,
  type ReceivedOnRecord,
  type ReceivedPart,
  readReceived,
  sumOfParts,
} from './received.ts';

/** What decides whether a deposit that no card paid is paid in another way. */
export interface DepositOwed {
  /** What the deposit is without a card fee, as it was agreed, in US cents. */
  dueCents: number;
  /** The balance before its fee, from which what is not asked of her is taken first. */
  balanceBeforeFeeCents: number;
  decisions: Pick<Decisions, 'waived'>;
  received: ReceivedOnRecord;
}

/** The deposit, less what of it is not asked of her, in US cents. */
export function owedOfDeposit({ dueCents, balanceBeforeFeeCents, decisions }: DepositOwed): number {
  const notAsked = Math.max(0, (decisions.waived?.cents ?? 0) - balanceBeforeFeeCents);
  return Math.max(0, dueCents - notAsked);
}

/** Divides what came by check or transfer: for the deposit first, and the rest for the balance, once the deposit is paid. */
export function divideForDeposit(owed: DepositOwed) {
  const all = owed.received.counting.map((one): ReceivedPart => ({ ...one, ofCents: one.cents }));
  return divideReceived(all, owedOfDeposit(owed));
}

/** What paid a deposit without a card: what came, or what is not asked of her; undefined if it is not paid so. */
export function coveredDeposit(owed: DepositOwed): { cents: number; paidAt: Date } | undefined {
  const cents = owedOfDeposit(owed);
  const { taken } = divideForDeposit(owed);
  const paidAt = taken.at(-1)?.on ?? owed.decisions.waived?.at;
  return sumOfParts(taken) === cents && paidAt ? { cents, paidAt } : undefined;
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
  const { balanceBeforeFeeCents } = (agreedBalanceOf(onRecord) ?? edition.facts).prices;
  const depositDueCents = decisions.held?.cents ?? edition.facts.prices.depositBeforeFeeCents;
  const owed = { dueCents: depositDueCents, balanceBeforeFeeCents, decisions, received: readReceived(acts) };
  const { cents, paidAt } = coveredDeposit(owed) ?? {};
  if (cents !== undefined && paidAt)
    return { deposit: 'paid' as const, depositCents: cents, paidAt, depositDueCents };
  const isClosed = deposit?.status === 'cancelled' && !decisions.held;
  return { deposit: isClosed ? ('closed' as const) : ('unpaid' as const), depositCents: 0, depositDueCents };
}
