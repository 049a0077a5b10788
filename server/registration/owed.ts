import type { EntryRow } from '#server/database/schema.ts';
import { type AmountsPaid, type Balance, sumsOf } from '#shared/content/tuition.ts';
import type { BalancePayment } from './balance-payment.ts';
import type { PaidCard } from './card-on-file.ts';
import {
  allocate,
  byCardOf,
  byDay,
  cardEntries,
  feeOn,
  inForce,
  isPaidByCard,
  LEAST_BY_CARD_CENTS,
  leftOf,
  rowOf,
  sumOfCents,
  sumOfFees,
} from './ledger.ts';
import { BALANCE } from './ledger-of-acts.ts';
import { depositPaidBeside, divideReceived, type ReceivedPart, wholePart } from './received.ts';
import type { Noticed, Part, RefundOnRecord, RegistrationRecord } from './registration-record.ts';

/** What is to be paid next after the deposit: the part of her plan, or what is left. */
export function balanceOfRecord(record: RegistrationRecord): Balance {
  if (record.part) return sumsOf(record.part);
  const { cents, feeCents } = amountOf(record, nextNumber(record));
  return sumsOf({ beforeFeeCents: cents, feeCents });
}

/** What is missing because more went back than came has no number: it is asked with the number that is asked next. */
function amountOf({ ledger }: RegistrationRecord, number: number) {
  const amount = byCardOf(ledger, number);
  const { withoutNumberCents } = allocate(ledger);
  if (withoutNumberCents === 0) return amount;
  const fee = feeOn(withoutNumberCents, ledger.installments.at(0)?.cardFeeBasisPoints ?? 0);
  return { cents: amount.cents + withoutNumberCents, feeCents: amount.feeCents + fee };
}

/** All that is left to pay after the deposit. */
export function leftToPay(record: RegistrationRecord): Balance {
  const open = rowsAfterDeposit(record).filter(({ number }) => leftOf(record.ledger, number) > 0);
  const next = nextNumber(record);
  const numbers = [...new Set([next, ...open.map(({ number }) => number)])];
  const total = { beforeFeeCents: 0, feeCents: 0 };
  for (const number of numbers) {
    const { cents, feeCents } = number === next ? amountOf(record, number) : byCardOf(record.ledger, number);
    total.beforeFeeCents += cents;
    total.feeCents += feeCents;
  }
  return sumsOf(total);
}

/** What is asked after the deposit, the oldest first. */
function rowsAfterDeposit({ ledger }: RegistrationRecord) {
  return byDay(inForce(ledger)).filter(({ number }) => number > 0);
}

/** The number that is to be paid next, or was the last one. */
function nextNumber(record: RegistrationRecord): number {
  const rows = rowsAfterDeposit(record);
  const next = rows.find(({ number }) => leftOf(record.ledger, number) > 0) ?? rows.at(-1);
  return next?.number ?? BALANCE;
}

/** What is asked under the number that is to be paid next; undefined once nothing is asked after the deposit. */
export function nextRow(record: RegistrationRecord) {
  return rowOf(record.ledger, partNumber(record) + BALANCE);
}

/** Whether what is left is to come by check: as decided, or because no card can pay so little. */
export function isRestByCheck(record: RegistrationRecord): boolean {
  return record.decisions.check !== undefined || isTooSmallForCard(record);
}

/** A check may leave less than a card can pay: the office takes it off. */
export function isTooSmallForCard(record: RegistrationRecord): boolean {
  const { beforeFeeCents } = balanceOfRecord(record);
  return beforeFeeCents > 0 && beforeFeeCents < LEAST_BY_CARD_CENTS;
}

/** The payments of the balance by card, the oldest first. */
export function paidBalances(record: RegistrationRecord): readonly PaidByCard[] {
  const paid = balancesOf(record).flatMap(({ paidAt, ...one }) => (paidAt ? { ...one, paidAt } : []));
  return paid.toSorted((one, other) => one.paidAt.getTime() - other.paidAt.getTime());
}
type PaidByCard = BalancePayment & { paidAt: Date };

/** The card with which she paid the balance; undefined if there was none, more than one, or that of who had the place before. */
export function cardOfBalance(record: RegistrationRecord): PaidCard | undefined {
  const paid = paidBalances(record);
  const isHers = cardEntries(record.ledger).every(
    ({ number, payer }) => number === 0 || payer === record.context.holder,
  );
  return isHers ? theOneOf(paid.map(({ paidWith }) => paidWith)) : undefined;
}

/** The card that all of these are; undefined where they are not the same. */
export function theOneOf(cards: readonly (PaidCard | undefined)[]): PaidCard | undefined {
  const [first] = cards;
  return cards.every((card) => card?.brand === first?.brand && card?.last4 === first?.last4)
    ? first
    : undefined;
}

export function balancesOf({
  balance,
  otherBalances,
}: Pick<RegistrationRecord, 'balance' | 'otherBalances'>): readonly BalancePayment[] {
  return balance ? [balance, ...otherBalances] : otherBalances;
}

/** What came by check or transfer for the balance, or beyond it. */
export function partsOfBalance(record: RegistrationRecord): readonly ReceivedPart[] {
  return divideForDeposit(record).rest;
}

/** Divides what came by check or transfer: for a deposit that no card paid first, and the rest for the balance. */
export function divideForDeposit({ depositDueCents = 0, received }: RegistrationRecord) {
  return divideReceived(received.counting.map(wholePart), depositDueCents);
}

/** What is left of the deposit, before the card fee, in US cents: 0 once it is paid. */
export function depositLeftOf({ deposit, ledger }: RegistrationRecord): number {
  return deposit === 'paid' ? 0 : leftOf(ledger, 0);
}

/** What the deposit is by card, with the card fee, in US cents. */
export function depositByCardOf({ ledger }: RegistrationRecord): number {
  const { cents = 0, cardFeeCents = 0 } = rowOf(ledger, 0) ?? {};
  return cents + cardFeeCents;
}

/** Whether a card can pay the deposit: its payment is open or not made yet, and nothing came for it otherwise. */
export function canPayDeposit({ depositPayment, received }: RegistrationRecord): boolean {
  const isOpen = depositPayment === undefined || depositPayment.status === 'open';
  return isOpen && received.counting.length === 0;
}

/** A registration as it is after its ledger was changed. */
export function afterChange(record: RegistrationRecord): RegistrationRecord {
  if (record.deposit === 'closed' || record.depositDueCents === undefined) return withNextPart(record);
  const { cents: depositCents = 0, paidAt } = depositPaidBeside(record) ?? {};
  const depositDueCents = rowOf(record.ledger, 0)?.cents ?? 0;
  const deposit = paidAt ? 'paid' : 'unpaid';
  return withNextPart({ ...record, deposit, depositCents, depositDueCents, paidAt });
}

/** The parts of her plan, each as a registration whose balance is that part; without a plan the registration itself. */
export function partsOf(record: RegistrationRecord): readonly RegistrationRecord[] {
  const parts = plannedParts(record);
  return parts.length > 0 ? parts.map((part) => withPart(record, part.number, part)) : [record];
}

/** How payments and letters name what is asked next: 0 for the balance as it was agreed, and the parts of plans from 1. */
export function partNumber(record: RegistrationRecord): number {
  return record.part?.number ?? nextNumber(record) - BALANCE;
}

export function withNextPart(record: RegistrationRecord): RegistrationRecord {
  const parts = plannedParts(record);
  const next = parts.find(({ beforeFeeCents, isPaid }) => beforeFeeCents > 0 && !isPaid) ?? parts.at(-1);
  return withPart(record, next?.number ?? nextNumber(record) - BALANCE, next);
}

function withPart(
  record: RegistrationRecord,
  part: number,
  planned: PlannedPart | undefined,
): RegistrationRecord {
  const [balances, notices] = [balancesOf(record), noticesOf(record)];
  const isOfPart = (one: { part?: number | undefined }) => (one.part ?? 0) === part;
  const own = balances.filter(isOfPart);
  const noticed = notices.find(isOfPart);
  const isOpen = leftOf(record.ledger, part + BALANCE) > 0;
  const unpaid = own.find(({ status }) => status !== 'paid');
  // A number that a card has paid and that is open again has another payment.
  const balance = isOpen ? unpaid : (own.find(({ status }) => status === 'paid') ?? unpaid);
  const { isPaid: _, ...shown } = planned ?? { isPaid: false };
  return {
    ...record,
    part: planned && 'number' in shown ? shown : undefined,
    balance,
    noticed,
    otherBalances: balances.filter((one) => one !== balance),
    otherNotices: notices.filter((one) => one !== noticed),
  };
}

/** The notices of the charges of her balance, of all parts of her plans too. */
export function noticesOf({ noticed, otherNotices }: RegistrationRecord): readonly Noticed[] {
  return noticed ? [noticed, ...otherNotices] : otherNotices;
}

type PlannedPart = Part & { isPaid: boolean };

/** The parts of her plan as they are asked for now; none without one, while she pays by check, and where something else is owed. */
function plannedParts(record: RegistrationRecord): readonly PlannedPart[] {
  const { ledger, decisions } = record;
  if (!decisions.plan || decisions.check) return [];
  const rows = rowsAfterDeposit(record);
  const { left, withoutNumberCents } = allocate(ledger);
  const isDone = rows.every(({ number }) => left.get(number) === 0);
  if (isDone && withoutNumberCents > 0) return [];
  return rows.map((row, index) => {
    const isPaid = isPaidByCard(ledger, row.number) && leftOf(ledger, row.number) === 0;
    const { cents, feeCents } = isPaid
      ? { cents: row.cents, feeCents: row.cardFeeCents }
      : byCardOf(ledger, row.number);
    const { number, dueAt } = row;
    return {
      number: number - BALANCE,
      position: index + 1,
      count: rows.length,
      dueAt,
      beforeFeeCents: cents,
      feeCents,
      isPaid,
    };
  });
}

/** What she paid, for the lines that explain a refund. */
export function paymentsOf(record: RegistrationRecord): AmountsPaid {
  const { depositCents, ledger } = record;
  const cards = cardEntries(ledger)
    .filter(({ number }) => number > 0)
    .map(({ payment, cents, feeCents, movedAt: at }) => {
      const back = ledger.entries.filter(
        (entry) => entry.payment === payment && entry.kind !== 'card' && !isSinceCancelled(record, entry),
      );
      const refundedCents = 0 - sumOfCents(back) - sumOfFees(back);
      return { by: 'card' as const, beforeFeeCents: cents, feeCents, at, refundedCents };
    });
  const received = partsOfBalance(record).map(({ way: by, ofCents: beforeFeeCents, on: at }) => ({
    by,
    beforeFeeCents,
    feeCents: 0,
    at,
    refundedCents: 0,
  }));
  return { depositCents, balance: [...cards, ...received] };
}

/** Whether her cancellation gave it back, or it moved once that was carried out. */
function isSinceCancelled(
  { ledger, context, cancelled }: RegistrationRecord,
  { id, movedAt }: EntryRow,
): boolean {
  const payout = ledger.payouts.find(({ entry }) => entry === id);
  const isOfCancelling = payout !== undefined && payout.orderedBy === context.cancelled?.id;
  return isOfCancelling || (cancelled !== undefined && movedAt > cancelled.at);
}

/** How much of the deposit is not asked of her, in US cents: what the scholarship is beyond the balance. */
export function notAskedOfDeposit({ ledger, decisions, context }: RegistrationRecord): number {
  if (!decisions.waived || context.cancelled) return 0;
  const agreed = ledger.installments.find(({ number }) => number === 0)?.cents ?? 0;
  return Math.max(0, agreed - (rowOf(ledger, 0)?.cents ?? agreed));
}

export function sumOf(refunds: readonly Pick<RefundOnRecord, 'cents'>[]): number {
  return refunds.reduce((sum, { cents }) => sum + cents, 0);
}
