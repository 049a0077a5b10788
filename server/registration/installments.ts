import type { ActRow, InstallmentRow } from '#server/database/database.ts';
import { AppError } from '#server/web/app-error.ts';
import type { BalanceTerms } from '#shared/content/edition.ts';
import { balanceDueAt } from '#shared/content/moments.ts';
import type { Decision } from './decisions.ts';
import {
  allocate,
  askedCents,
  byDay,
  type CardEntry,
  type Cause,
  cardEntries,
  feeOn,
  inForce,
  isPaidByCard,
  LEAST_BY_CARD_CENTS,
  type Ledger,
  leftOf,
  nextPosition,
  sumOfCents,
  within,
} from './ledger.ts';

export interface LedgerRecord {
  registration: string;
  begunAt: Date;
  acts: readonly ActRow[];
  terms: BalanceTerms;
  /** Those that she had agreed to before the last act. */
  termsBefore?: BalanceTerms | undefined;
  trying: readonly number[];
}

export interface LedgerContext extends LedgerRecord {
  /** Who has the place: the registration for the first holder, else the act that handed it over. */
  holder: string;
  /** Under which rows may be charged: that to her plan while there is one, else that to the terms. */
  consent: { id: string; at: Date } | undefined;
  cancelled: (Pick<Decision<'cancel'>, 'at' | 'writtenAt' | 'whole'> & { id: string }) | undefined;
  /** The day of the balance follows from the terms, and neither from a plan nor from a postponement. */
  isDueByTerms: boolean;
}

export interface Change extends LedgerContext, Cause {
  /** Whether it also replaces rows whose try has no result yet: cancelling, its undo, and what follows from money. */
  isUrgent: boolean;
}

/** What is asked, or on its way, does not allow a change now; the message tells the office why. */
export class LedgerRefusal extends AppError {}

export function refuseIf(condition: boolean, message: string): void {
  if (condition) throw new LedgerRefusal({ code: 'not_possible_now', status: 409, message });
}

/** Stripe tells whole seconds: nobody pays before she began. */
export function dueAfter({ terms, begunAt }: LedgerRecord, paidAt: Date): Date {
  return balanceDueAt(terms, paidAt < begunAt ? begunAt : paidAt);
}

export type Asked = Omit<InstallmentRow, 'id' | 'registration' | 'position' | 'madeBy' | 'replacedBy'>;

/** Replaces the rows in force. @param isAnew also rows that say the same, as a consent does */
export function setRows(ledger: Ledger, change: Change, wanted: readonly Asked[], isAnew = false): Ledger {
  const rows = withAgreement(ledger, change, withFees(ledger, thatStay(ledger, wanted)));
  const isSame = (one: Asked) => (other: Asked) => !isAnew && sayingOf(one) === sayingOf(other);
  const replaced = inForce(ledger).filter((row) => !rows.some(isSame(row)));
  refuseIf(
    !change.isUrgent && replaced.some(({ number }) => change.trying.includes(number)),
    'A card is being charged for it at this moment: try again in a few minutes.',
  );
  // Of a change that replaces what it has made itself, such as a cancellation, only the last was ever asked.
  const stays = ledger.installments
    .filter((row) => !(replaced.includes(row) && row.madeBy === change.id))
    .map((row) => (replaced.includes(row) ? { ...row, replacedBy: change.id } : row));
  const made = rows
    .filter((row) => !inForce(ledger).some(isSame(row)))
    .map((row, index) => ({
      ...row,
      position: nextPosition(stays) + index,
      id: `${change.id}-${row.number}`,
      registration: ledger.registration,
      madeBy: change.id,
      replacedBy: null,
    }));
  return { ...ledger, installments: [...stays, ...made] };
}

/** A row of nothing stays only for the deposit, and where a card has paid its number. */
function thatStay<Row extends Asked>(ledger: Ledger, rows: readonly Row[]): readonly Row[] {
  return rows.filter(({ cents, number }) => cents > 0 || number === 0 || isPaidByCard(ledger, number));
}

function sayingOf(row: Asked): string {
  const { number, cents, cardFeeCents, agreedIn, reliefCents, dueAt, refundableUntil } = row;
  return JSON.stringify([number, cents, cardFeeCents, agreedIn, reliefCents, dueAt, refundableUntil]);
}

/** The fee of a part is the fee through it less the fee through the part before it, so that the parts add up. */
function withFees(ledger: Ledger, rows: readonly Asked[]): readonly Asked[] {
  return byDay(rows).map((row, index, all) => {
    if (row.number === 0) return { ...row, cardFeeCents: feeOfDeposit(ledger, row) };
    const before = sumOfCents(all.slice(0, index).filter(({ number }) => number > 0));
    const feeThrough = (cents: number) => feeOn(cents, row.cardFeeBasisPoints);
    return { ...row, cardFeeCents: feeThrough(before + row.cents) - feeThrough(before) };
  });
}

/** The fee of the whole deposit is announced as a sum, which a smaller one never exceeds. */
function feeOfDeposit({ installments }: Ledger, { cents, cardFeeCents, cardFeeBasisPoints }: Asked): number {
  const before = installments.filter(({ number }) => number === 0);
  if (before.length === 0) return cardFeeCents;
  const most = Math.max(cardFeeCents, ...before.map((row) => row.cardFeeCents));
  const same = before.findLast((row) => row.cents === cents);
  return same?.cardFeeCents ?? Math.min(most, feeOn(cents, cardFeeBasisPoints));
}

type Part = Pick<Asked, 'dueAt' | 'cents'>;

const through = (parts: readonly Part[], day: Date): number =>
  sumOfCents(parts.filter(({ dueAt }) => dueAt <= day));

/** A row with what her card was charged under its number: that is used up, also where it went back. */
const withCharges = ({ number, dueAt, cents }: Asked, charges: readonly CardEntry[]): Part => ({
  dueAt,
  cents: Math.max(cents, sumOfCents(charges.filter((entry) => entry.number === number))),
});

/**
 * What asks for more than she agreed to, by any day, has no consent: it is asked, and never charged. What her card was
 * charged before she agreed counts as agreed. The deposit only she herself pays.
 */
function withAgreement(ledger: Ledger, { consent }: Change, rows: readonly Asked[]): readonly Asked[] {
  const sorted = byDay(rows);
  if (!consent) return sorted.map((row) => ({ ...row, agreedIn: null }));
  const made = ledger.installments.filter(({ madeBy }) => madeBy === consent.id);
  // In the consent's own change nothing is made yet: it covers what it replaces the rows by.
  const covered: readonly Asked[] = (made.length > 0 ? made : rows).filter(({ number }) => number > 0);
  const charges = cardEntries(ledger).filter(({ number }) => number > 0);
  const before = charges.filter(({ movedAt }) => movedAt <= consent.at);
  const agreed = [
    ...covered.map((row) => withCharges(row, before)),
    ...without(before, covered).map(({ cents }) => ({ dueAt: new Date(0), cents })),
  ];
  const gone = sumOfCents(without(charges, rows));
  const accepted: Part[] = [];
  return sorted.map((row) => {
    if (row.number === 0) return { ...row, agreedIn: consent.id };
    const parts = [...accepted, withCharges(row, charges)];
    const isWithin = parts.every(({ dueAt }) => gone + through(parts, dueAt) <= through(agreed, dueAt));
    if (isWithin) accepted.push(...parts.slice(-1));
    return { ...row, agreedIn: isWithin ? consent.id : null };
  });
}

function without(charges: readonly CardEntry[], rows: readonly Asked[]): readonly CardEntry[] {
  return charges.filter(({ number }) => !rows.some((row) => row.number === number));
}

/** Asks for so much less: of one number first, then of the last. */
export function lower(ledger: Ledger, change: Change, cents: number, first?: number): Ledger {
  const latest = byDay(inForce(ledger)).toReversed();
  const isFirst = ({ number }: Asked) => Number(number === first);
  refuseIf(cents > sumOfCents(latest), 'That is more than is asked of her.');
  const rows = latest
    .toSorted((one, other) => isFirst(other) - isFirst(one))
    .map((row, index, all) => {
      const less = within(cents - sumOfCents(all.slice(0, index)), row.cents);
      const relief = change.cancelled ? less : 0;
      return { ...row, cents: row.cents - less, reliefCents: row.reliefCents + relief };
    });
  return setRows(ledger, change, rows);
}

/**
 * Asks for so much more, or less where it is negative: by the last row that no card has paid, as far as she agreed to that,
 * else by a row of its own that is asked and never charged.
 */
export function raise(ledger: Ledger, change: Change, cents: number): Ledger {
  const rows = inForce(ledger);
  const last = byDay(rows).at(-1);
  if (!last || cents === 0) return ledger;
  if (cents < 0) return lower(ledger, change, 0 - cents);
  const { refundableUntil, feeRefundable } = ledger.installments.find((row) => row.number > 0) ?? last;
  const { cancelled } = change;
  const isKept =
    !cancelled?.whole && (refundableUntil === null || refundableUntil <= (cancelled?.writtenAt ?? change.at));
  // What a cancellation gives back is not kept because less of it was asked before.
  if (cancelled && (!isKept || last.reliefCents >= cents)) {
    const back = Math.min(cents, last.reliefCents);
    const kept = { ...last, cents: last.cents + back, reliefCents: last.reliefCents - back };
    return setRows(ledger, change, [kept]);
  }
  if (last.number > 0 && !isPaidByCard(ledger, last.number)) {
    const wanted = rows.map((row) => (row === last ? { ...row, cents: row.cents + cents } : row));
    const raised = setRows(ledger, change, wanted);
    const isAgreed = inForce(raised).some(({ number, agreedIn }) => number === last.number && agreedIn);
    if (isAgreed || last.agreedIn === null) return raised;
  }
  const made = { ...last, number: unusedNumber(ledger), cents, refundableUntil, feeRefundable };
  return setRows(ledger, change, [...rows, made]);
}

function unusedNumber({ installments }: Ledger, ...others: readonly number[]): number {
  return Math.max(0, ...installments.map(({ number }) => number), ...others) + 1;
}

/**
 * Asks for what is left after the deposit in other parts; what is settled stays under its number.
 * @param parts the last of them become less, or the very last one more, so that they add up to what is left
 */
export function split(
  ledger: Ledger,
  change: Change,
  parts: readonly Pick<Asked, 'number' | 'dueAt' | 'cents'>[],
): Ledger {
  const { left } = allocate(ledger);
  const settled = inForce(ledger).map((row) => ({
    ...row,
    cents: row.number > 0 ? row.cents - (left.get(row.number) ?? 0) : row.cents,
  }));
  const total = askedCents(ledger) - sumOfCents(settled);
  const like = settled.find((row) => row.number > 0);
  if (!like || total === 0) return ledger;
  const over = sumOfCents(parts) - total;
  const sized = parts.toReversed().map((part, index, all) => {
    const less =
      index === 0 ? Math.min(over, part.cents) : within(over - sumOfCents(all.slice(0, index)), part.cents);
    return { ...part, cents: part.cents - less };
  });
  const rows: Asked[] = [...thatStay(ledger, settled)];
  for (const part of sized.toReversed().filter(({ cents }) => cents > 0)) {
    refuseIf(part.cents < LEAST_BY_CARD_CENTS, 'No card can pay a part that is so small.');
    const taken = rows.map(({ number }) => number);
    const number = taken.includes(part.number) ? unusedNumber(ledger, ...taken) : part.number;
    rows.push({ ...like, ...part, number, reliefCents: 0 });
  }
  return setRows(ledger, change, rows);
}

export function moveDue(ledger: Ledger, change: Change, dueAt: Date): Ledger {
  const moved = inForce(ledger).map((row) =>
    row.number > 0 && leftOf(ledger, row.number) > 0 ? { ...row, dueAt } : row,
  );
  return setRows(ledger, change, moved);
}
