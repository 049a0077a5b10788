import type { EntryRow } from '#server/database/schema.ts';
import { enter, type NewEntry, reverse } from './entries.ts';
import {
  type Cause,
  dueAfter,
  type LedgerContext,
  lower,
  moveDue,
  refuseIf,
  setRows,
} from './installments.ts';
import {
  allocate,
  askedCents,
  type CardEntry,
  chargeOf,
  freeSurplus,
  inForce,
  isPaidByCard,
  LEAST_BY_CARD_CENTS,
  type Ledger,
  leftOf,
  owedOf,
  sumOfCents,
  toLeave,
} from './ledger.ts';
import { fitOrders, orderBack, orderInstead, replacePayout } from './payouts.ts';

/**
 * A ledger after a change: what follows from it is written with it.
 * @param work what the cause does itself
 * @throws {LedgerRefusal} when an act is not possible now; what comes from Stripe is never refused
 */
export function changeLedger(
  before: Ledger,
  cause: Cause,
  context: LedgerContext,
  work: (ledger: Ledger) => Ledger,
): Ledger {
  const follow = { ...cause, isUrgent: true };
  let ledger = work(before);
  ledger = judgeRefunds(ledger, follow, context);
  ledger = keepByPolicy(ledger, follow, context);
  // A deposit that a card has paid once is late no more, whatever is refunded of it, or taken and given back by her bank.
  const isFirst = !isPaidByCard(before, 0) && leftOf(before, 0) > 0;
  if (context.timing && isFirst && leftOf(ledger, 0) === 0)
    ledger = moveDue(ledger, follow, context, dueAfter(context.timing, cause.at));
  ledger = fitOrders(ledger);
  if (cause.isUrgent) return ledger;
  refuseIf(
    freeSurplus(ledger) < Math.min(0, freeSurplus(before)),
    'Money is on its way to her: wait until it has come to its end.',
  );
  const { left } = allocate(before);
  const isTooSmall = [...allocate(ledger).left].some(
    ([number, cents]) => cents > 0 && cents < LEAST_BY_CARD_CENTS && cents !== left.get(number),
  );
  refuseIf(isTooSmall, 'Less than 50 cents would be left, which no card can pay.');
  return ledger;
}

/**
 * What somebody refunds at Stripe lowers what is ordered, then the surplus, then what is asked. It is judged once nothing is
 * on its way.
 */
function judgeRefunds(ledger: Ledger, cause: Cause, context: LedgerContext): Ledger {
  const open = ledger.entries.filter(isUnjudged);
  if (open.length === 0 || context.trying.length > 0 || toLeave(ledger, ['claimed']).length > 0)
    return ledger;
  let judged = ledger;
  for (const [index, { id, cents, number }] of open.entries()) {
    const later = sumOfCents(open.slice(index));
    const over = sumOfCents(ledger.entries) - later - askedCents(judged);
    const relief = Math.min(-cents - Math.max(0, Math.min(over, -cents)), askedCents(judged));
    judged = {
      ...judged,
      entries: judged.entries.map((entry) => (entry.id === id ? { ...entry, reliefCents: relief } : entry)),
    };
    if (relief > 0) judged = lower(judged, cause, context, relief, number ?? undefined);
  }
  return judged;
}

const isUnjudged = ({ kind, reliefCents }: EntryRow): boolean => kind === 'refund' && reliefCents === null;

/** Judges what was refunded by hand while a try had no result, once it has one. */
export function judgeOnceTried(ledger: Ledger, context: LedgerContext): Ledger {
  const first = ledger.entries.find(isUnjudged);
  if (!first || context.trying.length > 0) return ledger;
  const cause = { id: `${first.id}-judged`, at: first.movedAt, isUrgent: true };
  return changeLedger(ledger, cause, context, (one) => one);
}

/** When the money moved that an entry belongs to: a reversal or a dispute belongs to what it takes back. */
function movedFirst(ledger: Ledger, entry: EntryRow): Date {
  const reversed = ledger.entries.find(({ id }) => id === entry.reverses);
  if (reversed) return movedFirst(ledger, reversed);
  const charge =
    entry.kind === 'dispute' && entry.payment !== null ? chargeOf(ledger, entry.payment) : undefined;
  return charge?.movedAt ?? entry.movedAt;
}

/**
 * What is kept after a cancellation: what is not refundable, as far as money from before she wrote had settled what was
 * asked, less later relief.
 */
function keepByPolicy(ledger: Ledger, cause: Cause, context: LedgerContext): Ledger {
  const { cancelled } = context;
  const [kept] = inForce(ledger);
  if (!cancelled || !kept) return ledger;
  const { id, writtenAt, isWhole } = cancelled;
  const rows = ledger.installments.filter(({ replacedBy }) => replacedBy === id);
  const isKept = ({ refundableUntil }: (typeof rows)[number]) =>
    refundableUntil === null || refundableUntil <= writtenAt;
  const notRefundable = isWhole ? 0 : sumOfCents(rows.filter(isKept));
  const entries = ledger.entries.filter((entry) => movedFirst(ledger, entry) <= writtenAt);
  const asked = rows.map((row) => ({ ...row, replacedBy: null }));
  const open = [...allocate({ installments: asked, entries }).left.values()];
  const settled = sumOfCents(asked) - open.reduce((sum, cents) => sum + cents, 0);
  const cents = Math.max(0, Math.min(notRefundable, settled) - kept.reliefCents);
  return cents === kept.cents ? ledger : setRows(ledger, cause, context, [{ ...kept, cents }]);
}

/** Replaces all that is asked by what is kept. */
export function cancelRows(ledger: Ledger, cause: Cause, context: LedgerContext): Ledger {
  const [deposit] = inForce(ledger);
  if (!deposit) return ledger;
  // How much is kept follows from the money, see `keepByPolicy`.
  const kept = { ...deposit, number: 0, reliefCents: 0 };
  return setRows(ledger, { ...cause, isUrgent: true }, context, [kept], true);
}

/** Asks again for what a cancellation replaced. */
export function undoCancel(ledger: Ledger, cause: Cause, context: LedgerContext, cancel: string): Ledger {
  const rows = ledger.installments.filter(({ replacedBy }) => replacedBy === cancel);
  const ordered = toLeave(ledger, ['ordered']).filter(({ orderedBy }) => orderedBy === cancel);
  const withdrawn = ordered.reduce(
    (after, one) => replacePayout(after, { ...one, state: 'withdrawn' }),
    ledger,
  );
  return setRows(withdrawn, { ...cause, isUrgent: true }, context, rows);
}

/** Records a payment by card. What it brings beyond what was owed goes back with its fee, unless a cancellation decides that. */
export function enterCard(
  ledger: Ledger,
  entry: NewEntry & Pick<CardEntry, 'number' | 'payment' | 'feeCents'>,
  { cancelled }: LedgerContext,
): Ledger {
  const isThere = ledger.entries.some(({ id }) => id === entry.id);
  const entered = enter(ledger, entry);
  if (isThere || cancelled) return entered;
  const beyond = Math.min(entry.cents - owedOf(ledger), freeSurplus(entered));
  return beyond > 0 ? orderBack(entered, entry, beyond) : entered;
}

/** Refused, or it came back: it leaves by check instead. */
export function failPayout(ledger: Ledger, id: string, cause: Cause, context: LedgerContext): Ledger {
  const payout = ledger.payouts.find((one) => one.id === id);
  if (!payout || payout.state === 'failed' || payout.state === 'withdrawn') return ledger;
  const follow = { ...cause, isUrgent: true };
  const back = payout.entry === null ? ledger : reverse(ledger, payout.entry, cause);
  const failed = replacePayout(back, { ...payout, state: 'failed' });
  const judged = keepByPolicy(judgeRefunds(failed, follow, context), follow, context);
  return orderInstead(judged, payout);
}
