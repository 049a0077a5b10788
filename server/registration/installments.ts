import type { InstallmentRow } from '#server/database/schema.ts';
import { AppError } from '#server/http/app-error.ts';
import type { BalanceTerms } from '#shared/content/edition.ts';
import { balanceDueAt } from '#shared/content/moments.ts';
import {
  allocate,
  byDay,
  type CardEntry,
  cardEntries,
  feeOn,
  inForce,
  isPaidByCard,
  LEAST_BY_CARD_CENTS,
  type Ledger,
  leftOf,
  nextPosition,
  sumOfCents,
} from './ledger.ts';

/** What a change of the ledger depends on beside it. */
export interface LedgerContext {
  /** Who has the place: the registration for the first holder, else the act that handed it over. */
  holder: string;
  /** Under which rows may be charged: that to her plan while there is one, else that to the terms. */
  consent?: { id: string; at: Date } | undefined;
  /** When she wrote that she cancels, and whether all goes back, also what the policy keeps. */
  cancelled?: { id: string; at: Date; writtenAt: Date; isWhole: boolean } | undefined;
  /** A dispute of hers is open. */
  isDisputed: boolean;
  /** The numbers that have a try without a result. */
  trying: readonly number[];
  /** What the day of the balance follows from; absent where it was decided otherwise. */
  timing?: Timing | undefined;
}

export interface Timing extends Pick<BalanceTerms, 'balance'> {
  begunAt: Date;
}

/** When the balance is due for a deposit that is paid at a moment. Stripe tells whole seconds: nobody pays before she began. */
export function dueAfter(timing: Timing, paidAt: Date): Date {
  return balanceDueAt(timing, paidAt < timing.begunAt ? timing.begunAt : paidAt);
}

/** What changes a ledger: an act, an entry, or the registration that begins. */
export interface Cause {
  id: string;
  /** When it happened; of an entry, when the money moved. */
  at: Date;
  /** Whether it also replaces rows whose try has no result yet: cancelling, its undo, and what follows from money. */
  isUrgent?: boolean;
}

/** What is asked, or on its way, does not allow a change now; the message tells the office why. */
export class LedgerRefusal extends AppError {}

/** @throws {LedgerRefusal} */
export function refuseIf(condition: boolean, message: string): void {
  if (condition) throw new LedgerRefusal({ code: 'not_possible_now', status: 409, message });
}

/** What a row says, without what made and replaced it. */
export type Asked = Omit<
  InstallmentRow,
  'id' | 'registration' | 'position' | 'madeBy' | 'replacedBy' | 'agreedIn'
>;

/**
 * Replaces the rows in force by others.
 * @param isAnew also rows that say the same, as a consent does; else these stay
 */
export function setRows(
  ledger: Ledger,
  cause: Cause,
  context: LedgerContext,
  wanted: readonly Asked[],
  isAnew = false,
): Ledger {
  const asked = wanted.filter(
    ({ cents, number }) => cents > 0 || number === 0 || isPaidByCard(ledger, number),
  );
  const rows = withAgreement(ledger, context, withFees(ledger, asked));
  const isKept = (row: InstallmentRow) => !isAnew && rows.some((one) => saysSame(one, row));
  const replaced = inForce(ledger).filter((row) => !isKept(row));
  const waits = replaced.some(({ number }) => context.trying.includes(number));
  refuseIf(
    waits && cause.isUrgent !== true,
    'A card is being charged for it at this moment: try again in a few minutes.',
  );
  const stays = ledger.installments
    .filter((row) => !(replaced.includes(row) && row.madeBy === cause.id))
    .map((row) => (replaced.includes(row) ? { ...row, replacedBy: cause.id } : row));
  const isThere = (one: Said) => inForce({ installments: stays }).some(({ number }) => number === one.number);
  const made = rows
    .filter((one) => !isThere(one))
    .map((one, index) => ({
      ...one,
      position: nextPosition(stays) + index,
      id: `${cause.id}-${one.number}`,
      registration: ledger.registration,
      madeBy: cause.id,
      replacedBy: null,
    }));
  return { ...ledger, installments: [...stays, ...made] };
}

type Said = Asked & Pick<InstallmentRow, 'agreedIn'>;

function saysSame(one: Said, other: Said): boolean {
  return (
    one.number === other.number &&
    one.cents === other.cents &&
    one.cardFeeCents === other.cardFeeCents &&
    one.agreedIn === other.agreedIn &&
    one.reliefCents === other.reliefCents &&
    +one.dueAt === +other.dueAt &&
    one.refundableUntil?.getTime() === other.refundableUntil?.getTime()
  );
}

/** The fee of a part is the fee through it less the fee through the part before it, so that the parts add up. */
function withFees(ledger: Ledger, rows: readonly Asked[]): readonly Asked[] {
  let through = 0;
  return byDay(rows).map((row) => {
    if (row.number === 0) return { ...row, cardFeeCents: feeOfDeposit(ledger, row) };
    const before = feeOn(through, row.cardFeeBasisPoints);
    through += row.cents;
    return { ...row, cardFeeCents: feeOn(through, row.cardFeeBasisPoints) - before };
  });
}

/** The fee of the whole deposit is announced as a sum, which a smaller one never exceeds. */
function feeOfDeposit({ installments }: Ledger, { cents, cardFeeCents, cardFeeBasisPoints }: Asked): number {
  const same = installments.findLast((row) => row.number === 0 && row.cents === cents);
  const most = Math.max(
    cardFeeCents,
    ...installments.filter(({ number }) => number === 0).map((row) => row.cardFeeCents),
  );
  return (
    same?.cardFeeCents ??
    (installments.some(({ number }) => number === 0)
      ? Math.min(most, feeOn(cents, cardFeeBasisPoints))
      : cardFeeCents)
  );
}

/**
 * What asks for more than she agreed to, by any day, has no consent: it is asked, and never charged. What her card was
 * charged under a number uses up what she agreed to, also where it went back.
 */
function withAgreement(ledger: Ledger, { consent }: LedgerContext, rows: readonly Asked[]): readonly Said[] {
  const within = consent ? withinConsent(ledger, consent, rows) : new Set();
  return byDay(rows).map((row) => ({
    ...row,
    agreedIn: consent && within.has(row.number) ? consent.id : null,
  }));
}

type Part = Pick<Asked, 'number' | 'dueAt' | 'cents'>;

/** The numbers of the rows that a consent covers: the deposit, which only she pays, and what it asked for of the balance by each day. */
function withinConsent(
  ledger: Ledger,
  { id, at }: NonNullable<LedgerContext['consent']>,
  rows: readonly Asked[],
): ReadonlySet<number> {
  const made = ledger.installments.filter(({ madeBy }) => madeBy === id);
  // In the consent's own change nothing is made yet: it covers what it replaces the rows by.
  const covered: readonly Part[] = made.length > 0 ? made : rows;
  const charges = cardEntries(ledger).filter(({ number }) => number > 0);
  const before = charges.filter(({ movedAt }) => movedAt <= at);
  const numbers = new Set([...covered, ...before].map(({ number }) => number).filter((number) => number > 0));
  const agreed = [...numbers].map((number) => {
    const { dueAt = new Date(0), cents = 0 } = covered.find((row) => row.number === number) ?? {};
    return { dueAt, cents: Math.max(cents, sumFor(before, number)) };
  });
  const gone = charges.filter(({ number }) => !rows.some((row) => row.number === number));
  const accepted: Part[] = [];
  for (const { number, dueAt, cents } of byDay(rows)) {
    if (number === 0) continue;
    const candidate = [...accepted, { number, dueAt, cents: Math.max(cents, sumFor(charges, number)) }];
    const isWithin = candidate.every(
      (one) => sumOfCents(gone) + through(candidate, one.dueAt) <= through(agreed, one.dueAt),
    );
    if (isWithin) accepted.push(...candidate.slice(-1));
  }
  return new Set([0, ...accepted.map(({ number }) => number)]);
}

const through = (parts: readonly Pick<Part, 'dueAt' | 'cents'>[], day: Date): number =>
  sumOfCents(parts.filter(({ dueAt }) => dueAt <= day));

const sumFor = (entries: readonly Pick<CardEntry, 'number' | 'cents'>[], number: number): number =>
  sumOfCents(entries.filter((entry) => entry.number === number));

/**
 * Asks for so much less: of one number first, then of the last.
 * @throws {LedgerRefusal} when less is asked
 */
export function lower(
  ledger: Ledger,
  cause: Cause,
  context: LedgerContext,
  cents: number,
  first?: number,
): Ledger {
  let rest = cents;
  const latest = byDay(inForce(ledger)).toReversed();
  const order = [
    ...latest.filter(({ number }) => number === first),
    ...latest.filter(({ number }) => number !== first),
  ];
  const rows = order.map((row) => {
    const less = Math.min(row.cents, rest);
    rest -= less;
    const relief = context.cancelled ? less : 0;
    return { ...row, cents: row.cents - less, reliefCents: row.reliefCents + relief };
  });
  refuseIf(rest > 0, 'That is more than is asked of her.');
  return setRows(ledger, cause, context, rows);
}

/**
 * Asks for so much more: by the last row that no card has paid, as far as she agreed to that, else by a row of its own
 * that is asked and never charged.
 */
export function raise(ledger: Ledger, cause: Cause, context: LedgerContext, cents: number): Ledger {
  if (cents === 0) return ledger;
  const rows = inForce(ledger);
  const last = byDay(rows).at(-1);
  if (!last) throw new Error(`Nothing is asked of ${ledger.registration}`);
  if (last.number > 0 && !isPaidByCard(ledger, last.number)) {
    const wanted = rows.map((row) => (row === last ? { ...row, cents: row.cents + cents } : row));
    const raised = setRows(ledger, cause, context, wanted);
    const isAgreed = inForce(raised).some(
      ({ number, agreedIn }) => number === last.number && agreedIn !== null,
    );
    if (isAgreed || last.agreedIn === null) return raised;
  }
  const number = unusedNumber(ledger);
  const balance = ledger.installments.find((row) => row.number > 0) ?? last;
  const { refundableUntil, feeRefundable } = balance;
  return setRows(ledger, cause, context, [
    ...rows,
    { ...last, number, cents, refundableUntil, feeRefundable },
  ]);
}

function unusedNumber({ installments }: Ledger, ...others: readonly number[]): number {
  return Math.max(0, ...installments.map(({ number }) => number), ...others) + 1;
}

export interface PlannedPart {
  number: number;
  cents: number;
  dueAt: Date;
}

/**
 * Asks for what is left after the deposit in other parts; what is settled stays under its number.
 * @param parts their sum is what is left
 */
export function split(
  ledger: Ledger,
  cause: Cause,
  context: LedgerContext,
  partsOf: (leftCents: number) => readonly PlannedPart[],
): Ledger {
  const { left } = allocate(ledger);
  const open = (row: InstallmentRow) => (row.number > 0 ? (left.get(row.number) ?? 0) : 0);
  const rows = inForce(ledger);
  const total = rows.reduce((sum, row) => sum + open(row), 0);
  const like = rows.find((row) => row.number > 0) ?? rows[0];
  if (!like || total === 0) return ledger;
  const settled = rows.map((row) => ({ ...row, cents: row.cents - open(row) }));
  const kept = settled.filter(
    ({ number, cents }) => number === 0 || cents > 0 || isPaidByCard(ledger, number),
  );
  const taken = new Set(kept.map(({ number }) => number));
  const made = partsOf(total).map((part) => {
    const number = taken.has(part.number) ? unusedNumber(ledger, ...taken) : part.number;
    taken.add(number);
    return { ...like, ...part, number, reliefCents: 0 };
  });
  refuseIf(
    made.some(({ cents }) => cents < LEAST_BY_CARD_CENTS),
    'No card can pay a part that is so small.',
  );
  return setRows(ledger, cause, context, [...kept, ...made]);
}

/** Moves the day of what is open after the deposit. */
export function moveDue(ledger: Ledger, cause: Cause, context: LedgerContext, dueAt: Date): Ledger {
  const moved = inForce(ledger).map((row) =>
    row.number > 0 && leftOf(ledger, row.number) > 0 ? { ...row, dueAt } : row,
  );
  return setRows(ledger, cause, context, moved);
}
