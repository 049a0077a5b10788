import type { EntryRow } from '#server/database/database.ts';
import {
  type Change,
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
  enter,
  freeSurplus,
  inForce,
  isPaidByCard,
  LEAST_BY_CARD_CENTS,
  type Ledger,
  leftOf,
  owedOf,
  reverse,
  sumOfCents,
  toLeave,
  within,
} from './ledger.ts';
import { fitOrders, orderSurplus, replacePayout } from './payouts.ts';

/** A change with all that follows. @throws {LedgerRefusal} when an act is not possible now */
export function changeLedger<Of extends Change>(
  before: Ledger,
  change: Of,
  work: (ledger: Ledger, change: Of) => Ledger,
): Ledger {
  const worked = work(before, change);
  if (worked === before) return before;
  const follow = { ...change, isUrgent: true };
  let ledger = keepByPolicy(judgeRefunds(worked, follow), follow);
  // A deposit that a card has paid once is late no more, whatever is refunded of it, or taken and given back by her bank.
  const wasOpen = !isPaidByCard(before, 0) && leftOf(before, 0) > 0;
  if (change.isDueByTerms && wasOpen && leftOf(ledger, 0) === 0)
    ledger = moveDue(ledger, follow, dueAfter(change, change.at));
  ledger = fitOrders(ledger);
  if (change.isUrgent) return ledger;
  refuseIf(
    freeSurplus(ledger) < Math.min(0, freeSurplus(before)),
    'Money is on its way to her: wait until it has come to its end.',
  );
  const isTooSmall = [...allocate(ledger).left].some(
    ([number, cents]) => cents > 0 && cents < LEAST_BY_CARD_CENTS && cents !== leftOf(before, number),
  );
  refuseIf(isTooSmall, 'Less than 50 cents would be left, which no card can pay.');
  return ledger;
}

export function urgent(context: LedgerContext, id: string, at: Date): Change {
  return { ...context, id, at, isUrgent: true };
}

const isUnjudged = ({ kind, reliefCents }: EntryRow): boolean => kind === 'refund' && reliefCents === null;

/** What is refunded by hand lowers what is ordered, then the surplus, then what is asked; see rule 5. */
function judgeRefunds(ledger: Ledger, change: Change): Ledger {
  if (change.trying.length > 0 || toLeave(ledger, ['claimed']).length > 0) return ledger;
  const open = ledger.entries.filter(isUnjudged);
  let judged = ledger;
  for (const [index, { id, cents, number }] of open.entries()) {
    const before = sumOfCents(ledger.entries) - sumOfCents(open.slice(index));
    const over = within(before - askedCents(judged), -cents);
    const reliefCents = Math.min(-cents - over, askedCents(judged));
    const entries = judged.entries.map((entry) => (entry.id === id ? { ...entry, reliefCents } : entry));
    judged = { ...judged, entries };
    if (reliefCents > 0) judged = lower(judged, change, reliefCents, number ?? undefined);
  }
  return judged;
}

export function judgeOnceTried(ledger: Ledger, context: LedgerContext): Ledger {
  const first = ledger.entries.find(isUnjudged);
  if (!first || context.trying.length > 0) return ledger;
  return changeLedger(ledger, urgent(context, `${first.id}-judged`, first.movedAt), judgeRefunds);
}

/** When the money moved that an entry belongs to: a reversal or a dispute belongs to what it takes back. */
function movedFirst(ledger: Ledger, entry: EntryRow): Date {
  const reversed = ledger.entries.find(({ id }) => id === entry.reverses);
  if (reversed) return movedFirst(ledger, reversed);
  const disputed = entry.kind === 'dispute' ? chargeOf(ledger, entry.payment ?? '') : undefined;
  return (disputed ?? entry).movedAt;
}

/** Rule 4: what is not refundable, as far as money before she wrote had settled it, less later relief. */
function keepByPolicy(ledger: Ledger, change: Change): Ledger {
  const { cancelled } = change;
  const [kept] = inForce(ledger);
  if (!cancelled || !kept) return ledger;
  const { id, writtenAt, whole } = cancelled;
  const rows = ledger.installments.filter(({ replacedBy }) => replacedBy === id);
  const notRefundable = rows.filter(
    (row) => row.refundableUntil === null || row.refundableUntil <= writtenAt,
  );
  const entries = ledger.entries.filter((entry) => movedFirst(ledger, entry) <= writtenAt);
  const asked = rows.map((row) => ({ ...row, replacedBy: null }));
  const { left } = allocate({ installments: asked, entries });
  const settled = asked.reduce((sum, { number, cents }) => sum + cents - (left.get(number) ?? 0), 0);
  const most = whole ? 0 : Math.min(sumOfCents(notRefundable), settled);
  const cents = Math.max(0, most - kept.reliefCents);
  return cents === kept.cents ? ledger : setRows(ledger, change, [{ ...kept, cents }]);
}

export function cancelRows(ledger: Ledger, change: Change): Ledger {
  const [deposit] = inForce(ledger);
  return deposit ? setRows(ledger, change, [{ ...deposit, number: 0, reliefCents: 0 }], true) : ledger;
}

/** What a card payment brings beyond what was owed goes back with its fee; a cancellation decides alone. */
export function enterCard(
  ledger: Ledger,
  change: Change,
  { number, ...paid }: Pick<CardEntry, 'number' | 'payment' | 'cents' | 'feeCents'>,
): Ledger {
  const payer = change.holder;
  const entered = enter(ledger, change, { kind: 'card', number, payer, ...paid });
  if (entered === ledger || change.cancelled) return entered;
  return orderSurplus(entered, { orderedBy: change.id, payer, ...paid }, paid.cents - owedOf(ledger));
}

/** A payout was refused, or it came back: it leaves by check instead, to its payer. */
export function failPayout(ledger: Ledger, change: Change, id: string): Ledger {
  const payout = ledger.payouts.find((one) => one.id === id);
  if (!payout || payout.state === 'failed' || payout.state === 'withdrawn') return ledger;
  const back = payout.entry === null ? ledger : reverse(ledger, change, payout.entry);
  const failed = replacePayout(back, { ...payout, state: 'failed' });
  const check = { ...payout, payment: null, insteadOf: id };
  return orderSurplus(keepByPolicy(judgeRefunds(failed, change), change), check);
}
