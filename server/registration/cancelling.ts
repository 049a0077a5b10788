import type { PayoutRow } from '#server/database/database.ts';
import type {
  CancelledState,
  Cancelling,
  CancellingState,
  OwnPageRefund,
} from '#shared/content/own-page-view.ts';
import type { PaymentLine, Refund, RefundLine } from '#shared/content/tuition.ts';
import { HERSELF } from './act-kinds.ts';
import { lastAct } from './acts.ts';
import { cardOfBalance, owedByCheck } from './balance.ts';
import { balanceTermsOf } from './cards.ts';
import { cancelRows, changeLedger, urgent } from './change-ledger.ts';
import type { Decision } from './decisions.ts';
import { freeSurplus, sumOfCents, toLeave } from './ledger.ts';
import { orderWhatGoesBack } from './payouts.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { stateOf } from './registration-state.ts';
import { paidLines } from './statement.ts';

const HOUR_MS = 60 * 60 * 1000;

const UNDO_MS = 24 * HOUR_MS;
/** How long after it the worker carries it out: the hour in between ensures that undo and refund never overlap. */
const WORKED_OFF_MS = 25 * HOUR_MS;

/** What she gets back for cancelling in writing at a moment (R8), with the lines that explain the sum. */
export function refundAt(record: RegistrationRecord, writtenAt: Date): Refund {
  const isWhole = record.decisions.cancel?.whole === true;
  const sums = sumsBackAt(record, writtenAt, isWhole);
  const lines = isWhole ? wholeLines(record) : linesByPolicy(record, writtenAt);
  const cents = sums.byCardCents + sums.byCheckCents - sumOfCents(lines);
  if (cents > 0) lines.push({ of: 'balance', words: 'paid beyond what was owed', cents, paidCents: cents });
  if (cents < 0) lines.push({ of: 'given-back', words: 'given back before', cents, paidCents: 0 });
  return { ...sums, lines };
}

function sumsBackAt(
  { ledger, context, cancelled, acts }: RegistrationRecord,
  writtenAt: Date,
  isWhole: boolean,
): Pick<Refund, 'byCardCents' | 'byCheckCents'> {
  if (cancelled) {
    const order = lastAct(acts, 'cancel')?.id;
    return sumsOfPayouts(ledger.payouts.filter((one) => one.orderedBy === order && one.insteadOf === null));
  }
  const known = new Set(ledger.payouts.map(({ id }) => id));
  const preview = { id: 'cancel', at: writtenAt, writtenAt, ...(isWhole && { whole: true as const }) };
  const cancel = { ...urgent(context, 'cancel', writtenAt), cancelled: context.cancelled ?? preview };
  const rows = context.cancelled ? ledger : changeLedger(ledger, cancel, cancelRows);
  const ordered = orderWhatGoesBack(rows, { ...cancel, id: 'goes back' });
  return sumsOfPayouts(ordered.payouts.filter(({ id }) => !known.has(id)));
}

function sumsOfPayouts(payouts: readonly PayoutRow[]): Pick<Refund, 'byCardCents' | 'byCheckCents'> {
  const sum = (way: PayoutRow['way']) =>
    payouts
      .filter((one) => one.way === way && one.state !== 'withdrawn')
      .reduce((cents, one) => cents + one.cents + one.feeCents, 0);
  return { byCardCents: sum('card'), byCheckCents: sum('check') };
}

type Paid = Pick<PaymentLine, 'what' | 'way' | 'at' | 'cents' | 'feeCents'>;

function paymentsOf(record: RegistrationRecord): readonly Paid[] {
  const { deposit, depositCents: cents, cancelled, paidAt, begunAt } = record;
  const balance = paidLines(record).filter(
    ({ what, at }) => what === 'balance' && (!cancelled || at <= cancelled.at),
  );
  if (deposit !== 'paid' || cents === 0) return balance;
  return [{ what: 'deposit', way: 'card', at: paidAt ?? begunAt, cents, feeCents: 0 }, ...balance];
}

const wordsOf = ({ what, way }: Paid): string => (what === 'deposit' ? what : `balance by ${way}`);

const STAYS = 'not refunded';

/** R8: the balance until its due day ends, the deposit never; what was charged after she cancelled, whole. */
function linesByPolicy(record: RegistrationRecord, writtenAt: Date): RefundLine[] {
  const { refundsEndAt, feeRefundable } = balanceTermsOf(record).balance;
  const isInTime = writtenAt < new Date(refundsEndAt);
  return paymentsOf(record).flatMap((paid): RefundLine[] => {
    const { what: of, at, feeCents } = paid;
    const [words, paidCents] = [wordsOf(paid), paid.cents - feeCents];
    if (of === 'deposit') return [{ of, words, paidCents, keptCents: paidCents, why: STAYS, cents: 0 }];
    const isAfter = at > writtenAt;
    const after = isAfter && ({ afterCancelling: true } as const);
    const why = isAfter
      ? 'paid after the cancellation'
      : isInTime
        ? 'cancelled in time'
        : 'cancelled too late';
    const tuition = { of, words, why, paidCents, ...after, cents: isAfter || isInTime ? paidCents : 0 };
    if (feeCents === 0) return [tuition];
    const fee = { of: 'fee', words: 'its card fee', paidCents: feeCents, ...after } as const;
    const isFeeBack = isAfter || (isInTime && feeRefundable);
    return [
      tuition,
      isFeeBack ? { ...fee, cents: feeCents } : { ...fee, keptCents: feeCents, why: STAYS, cents: 0 },
    ];
  });
}

function wholeLines(record: RegistrationRecord): RefundLine[] {
  return paymentsOf(record).map((paid) => {
    const { what: of, cents } = paid;
    return { of, words: wordsOf(paid), paidCents: cents, cents };
  });
}

export function undoUntil({ decisions: { cancel } }: RegistrationRecord): Date | undefined {
  return cancel && !cancel.whole ? new Date(cancel.at.getTime() + UNDO_MS) : undefined;
}

export function canUndoCancel(record: RegistrationRecord, now: Date): boolean {
  const until = undoUntil(record);
  const endsAt = new Date(record.edition.facts.endsAt);
  return until !== undefined && stateOf(record, now) === 'cancelling' && now < until && now < endsAt;
}

export function workedOffFrom({ decisions: { cancel } }: RegistrationRecord): Date | undefined {
  return cancel && new Date(cancel.at.getTime() + (cancel.whole ? 0 : WORKED_OFF_MS));
}

export function isToBeWorkedOff(record: RegistrationRecord, now: Date): boolean {
  const from = workedOffFrom(record);
  return from !== undefined && now >= from;
}

export type RefundStop = 'nothing-due' | 'can-be-undone' | 'disputed';

export function refundStop(record: RegistrationRecord, now: Date): RefundStop | undefined {
  const isCancelling = stateOf(record, now) === 'cancelling';
  const isOrdered = toLeave(record.ledger).some(({ way }) => way === 'card');
  const isLater = record.cancelled !== undefined && freeSurplus(record.ledger) > 0;
  if (!isCancelling && !isOrdered && !isLater) return 'nothing-due';
  if (record.disputed) return 'disputed';
  return isCancelling && !isOrdered && !isToBeWorkedOff(record, now) ? 'can-be-undone' : undefined;
}

export function refundOf(record: RegistrationRecord, writtenAt: Date): OwnPageRefund {
  const { byCardCents, byCheckCents: checkCents, lines } = refundAt(record, writtenAt);
  const card = cardOfBalance(record);
  return { cents: byCardCents + checkCents, checkCents, ...(card && { card }), lines };
}

export function cancelState(
  record: RegistrationRecord,
  now: Date,
): CancellingState | CancelledState | undefined {
  const { decisions, cancelled: mark } = record;
  const { cancel } = decisions;
  if (mark) return cancelledState(record, mark);
  if (!cancel) return undefined;
  const until = undoUntilOf(record, now);
  return {
    kind: 'cancelling',
    cancelled: cancellingOf(cancel),
    ...(until && { undoUntil: until }),
    refund: refundOf(record, cancel.writtenAt),
  };
}

function undoUntilOf(record: RegistrationRecord, now: Date): Date | undefined {
  const until = undoUntil(record);
  if (!until || !canUndoCancel(record, now)) return undefined;
  const endsAt = new Date(record.edition.facts.endsAt);
  return until < endsAt ? until : endsAt;
}

const cancellingOf = ({ writtenAt, onPage, whole, by }: Decision<'cancel'>): Cancelling => ({
  at: writtenAt,
  onPage: onPage === true || by === HERSELF,
  ...(whole && { whole }),
});

type Mark = NonNullable<RegistrationRecord['cancelled']>;

function cancelledState(record: RegistrationRecord, mark: Mark): CancelledState {
  const { cancel } = record.decisions;
  const cents = mark.cents + mark.checkCents;
  const refund = cancel && refundOf(record, cancel.writtenAt);
  return {
    kind: 'cancelled',
    cancelled: cancel ? cancellingOf(cancel) : { at: mark.at, onPage: false },
    ...repaymentOf(record, mark),
    cents,
    ...(refund?.cents === cents && { refund }),
  };
}

/** A check that is owed counts for the cancellation only if its refund did not go to her card. */
function repaymentOf(
  record: RegistrationRecord,
  { cents, checkCents, refund }: Mark,
): Pick<CancelledState, 'repayment' | 'at'> {
  if (cents + checkCents === 0) return { repayment: 'nothing' };
  const { checkSent } = record.decisions;
  if (cents > 0 && refund !== 'failed') {
    if (refund === undefined) return { repayment: 'in-work' };
    const made = record.refunds.findLast(({ orderedBy }) => orderedBy === lastAct(record.acts, 'cancel')?.id);
    return { repayment: refund === 'succeeded' ? 'refunded' : 'pending', ...(made && { at: made.at }) };
  }
  if (owedByCheck(record) > 0) return { repayment: refund === 'failed' ? 'failed' : 'check-due' };
  return { repayment: 'check-sent', ...(checkSent && { at: checkSent.sentAt }) };
}
