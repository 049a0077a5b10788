import type { PayoutRow } from '#server/database/database.ts';
import { type Change, lower, refuseIf } from './installments.ts';
import {
  type Amount,
  askedCents,
  type Cause,
  cardEntries,
  chargeOf,
  enter,
  freeSurplus,
  type Ledger,
  leftOfPayment,
  nextPosition,
  owedOf,
  sumOfCents,
  sumOfFees,
  toLeave,
  within,
} from './ledger.ts';

const LIVE: readonly PayoutRow['state'][] = ['ordered', 'claimed', 'sent'];

/** What goes back to a card payment, or by check; `insteadOf` names the payout that failed. */
type Order = Pick<PayoutRow, 'orderedBy' | 'payer' | 'payment'> &
  Amount &
  Partial<Pick<PayoutRow, 'insteadOf'>>;

/** @throws {LedgerRefusal} when it is more than the surplus, or than is left of its payment */
function order(ledger: Ledger, wanted: Order): Ledger {
  const { orderedBy, payer, payment, cents, feeCents, insteadOf = null } = wanted;
  const way = payment === null ? 'check' : 'card';
  refuseIf(
    cents > freeSurplus(ledger),
    'That is more than she has paid beyond what she owes: take it off what is left to pay instead.',
  );
  const left = payment === null ? wanted : leftOfPayment(ledger, payment);
  refuseIf(cents > left.cents || feeCents > left.feeCents, 'That is more than is left of her payment.');
  const base = insteadOf ? `${insteadOf}-again` : [orderedBy, way, payment ?? payer].join('-');
  const count = ledger.payouts.filter(({ id }) => id === base || id.startsWith(`${base}-no-`)).length;
  const charge = payment === null ? undefined : chargeOf(ledger, payment);
  const made: PayoutRow = {
    ...wanted,
    id: count === 0 ? base : `${base}-no-${count + 1}`,
    registration: ledger.registration,
    position: nextPosition(ledger.payouts),
    way,
    paymentCents: charge ? charge.cents + charge.feeCents : null,
    state: 'ordered',
    insteadOf,
    entry: null,
  };
  return { ...ledger, payouts: [...ledger.payouts, made] };
}

/** Orders at most so much of a sum, as far as it is surplus, with its part of the fee. */
export function orderSurplus(ledger: Ledger, sum: Order, mostCents = sum.cents): Ledger {
  const cents = within(mostCents, freeSurplus(ledger));
  return cents > 0 ? order(ledger, { ...sum, ...partOf(sum, cents) }) : ledger;
}

function partOf({ cents: all, feeCents }: Amount, cents: number): Amount {
  return { cents, feeCents: Math.round((feeCents * cents) / all) };
}

export function replacePayout(ledger: Ledger, payout: PayoutRow): Ledger {
  return { ...ledger, payouts: ledger.payouts.map((one) => (one.id === payout.id ? payout : one)) };
}

/** Makes what is ordered fit what can leave: first what a payment no longer has, then what is no surplus any more. */
export function fitOrders(ledger: Ledger): Ledger {
  let fitted = ledger;
  const newest = () => toLeave(fitted, ['ordered']).toReversed();
  for (const one of newest()) {
    if (one.payment === null) continue;
    const { cents, feeCents } = leftOfPayment(fitted, one.payment);
    const fee = Math.max(0, one.feeCents + Math.min(0, feeCents));
    fitted = replacePayout(fitted, lessened({ ...one, feeCents: fee }, -cents));
  }
  for (const one of newest()) fitted = replacePayout(fitted, lessened(one, -freeSurplus(fitted)));
  return fitted;
}

function lessened(payout: PayoutRow, byCents: number): PayoutRow {
  const less = within(byCents, payout.cents);
  if (less === 0) return payout;
  if (less === payout.cents) return { ...payout, state: 'withdrawn' };
  return { ...payout, ...partOf(payout, payout.cents - less) };
}

/** Takes back what was ordered by a cause and has not been claimed. */
export function withdrawOrders(ledger: Ledger, orderedBy: string): Ledger {
  const ordered = toLeave(ledger, ['ordered']).filter((one) => one.orderedBy === orderedBy);
  return ordered.reduce((after, one) => replacePayout(after, { ...one, state: 'withdrawn' }), ledger);
}

/**
 * Gives money back to her cards by the office's will, the newest payment first, the deposit last: the surplus without card
 * fees; beyond it less is asked, and the fee of a payment goes back with it.
 * @param cents with card fees
 * @throws {LedgerRefusal} when it is more than came, or than is left of her payments
 */
export function giveBack(ledger: Ledger, change: Change, cents: number): Ledger {
  const isBeyond = cents > freeSurplus(ledger);
  const orders: Order[] = [];
  let rest = cents;
  for (const { payer, payment } of newestFirst(cardEntries(ledger))) {
    const left = leftOfPayment(ledger, payment);
    const ofTuition = within(left.cents, rest);
    const feeCents = isBeyond ? within(left.feeCents, rest - ofTuition) : 0;
    rest -= ofTuition + feeCents;
    if (ofTuition + feeCents > 0)
      orders.push({ orderedBy: change.id, payer, payment, cents: ofTuition, feeCents });
  }
  refuseIf(rest > 0, 'That is more than is left of her payments by card.');
  const gift = Math.max(0, sumOfCents(orders) - freeSurplus(ledger));
  refuseIf(gift > askedCents(ledger) - owedOf(ledger), 'That is more than came from her.');
  const first = chargeOf(ledger, orders[0]?.payment ?? '')?.number;
  return orders.reduce(order, gift > 0 ? lower(ledger, change, gift, first) : ledger);
}

function newestFirst<Entry extends { movedAt: Date; number: number | null }>(
  entries: readonly Entry[],
): Entry[] {
  const isDeposit = ({ number }: Entry) => Number(number === 0);
  return entries.toSorted((one, other) => isDeposit(one) - isDeposit(other) || +other.movedAt - +one.movedAt);
}

/**
 * Orders what goes back after a cancellation: from card payments, the newest first, each at most what is left of it beyond
 * what it pays of what is kept; then by check to each payer. What later money brings is ordered under the id of what
 * brought it.
 */
export function orderWhatGoesBack(ledger: Ledger, change: Change): Ledger {
  const { cancelled, holder, acts } = change;
  if (!cancelled) return ledger;
  let ordered = ledger;
  // An act can free money too, after the last that came.
  const causes = [cancelled.id, change.id, ...acts.map(({ id }) => id).toReversed()];
  const add = (sum: Omit<Order, 'orderedBy'>, mostCents: number) => {
    const same = ordered.payouts.filter(
      (one) => one.payment === sum.payment && one.payer === sum.payer && LIVE.includes(one.state),
    );
    const orderedBy = causes.find((cause) => !same.some((one) => one.orderedBy === cause)) ?? change.id;
    ordered = orderSurplus(ordered, { ...sum, orderedBy }, mostCents);
  };
  const { id, writtenAt, whole } = cancelled;
  let keptCents = askedCents(ledger);
  for (const { payment, payer, number, movedAt } of newestFirst(cardEntries(ledger))) {
    const left = leftOfPayment(ordered, payment);
    const pays = number === 0 ? within(left.cents, keptCents) : 0;
    keptCents -= pays;
    const row = ledger.installments.find((one) => one.replacedBy === id && one.number === number);
    const isInTime = row?.refundableUntil ? writtenAt < row.refundableUntil : false;
    const isWithFee = whole || movedAt > writtenAt || (row?.feeRefundable === 1 && isInTime);
    const sum = isWithFee ? left : { ...left, feeCents: 0 };
    add({ payment, payer, ...sum }, left.cents - pays);
  }
  const checks = newestFirst(ledger.entries.filter(({ kind }) => kind === 'check' || kind === 'transfer'));
  for (const payer of new Set([...checks.map((entry) => entry.payer), holder])) {
    const isHis = (one: { payment: string | null; payer: string }) =>
      one.payment === null && one.payer === payer;
    const cents = sumOfCents(ledger.entries.filter(isHis)) - sumOfCents(toLeave(ordered).filter(isHis));
    add({ payment: null, payer, cents, feeCents: 0 }, cents);
  }
  return ordered;
}

/** What was ordered by check, the oldest first, then what else she has paid beyond what she owes. */
export function sendByCheck(ledger: Ledger, change: Change, cents: number, at: Date): Ledger {
  const byCheck = (one: Ledger) => toLeave(one).filter(({ way }) => way === 'check');
  const ordered = byCheck(ledger);
  const beyond = cents - sumOfCents(ordered) - sumOfFees(ordered);
  const check = { orderedBy: change.id, payer: change.holder, payment: null, cents: beyond, feeCents: 0 };
  let after = beyond > 0 ? order(ledger, check) : ledger;
  let rest = cents;
  for (const payout of byCheck(after)) {
    const ofCents = Math.min(rest, payout.cents);
    const part = { cents: ofCents, feeCents: Math.min(rest - ofCents, payout.feeCents) };
    if (ofCents === 0) break;
    rest -= part.cents + part.feeCents;
    const entry = { id: `${change.id}-${payout.id}`, at };
    after = sent(replacePayout(after, { ...payout, ...part }), entry, payout.id);
    const left = { cents: payout.cents - part.cents, feeCents: payout.feeCents - part.feeCents };
    if (left.cents > 0) after = order(after, { ...check, ...left, payer: payout.payer });
  }
  return after;
}

/** Begins to send a payout: nobody withdraws it from then on. */
export function claim(ledger: Ledger, id: string): Ledger {
  const payout = ledger.payouts.find((one) => one.id === id);
  return payout?.state === 'ordered' ? replacePayout(ledger, { ...payout, state: 'claimed' }) : ledger;
}

/** It has left; later entries may take it back. */
export function sent(ledger: Ledger, cause: Cause, id: string): Ledger {
  const payout = ledger.payouts.find((one) => one.id === id);
  if (!payout || payout.state === 'sent' || payout.state === 'failed') return ledger;
  const { payer, payment, cents, feeCents } = payout;
  const number = chargeOf(ledger, payment ?? '')?.number ?? null;
  const moved = { payer, payment, number, cents: 0 - cents, feeCents: 0 - feeCents };
  const entered = enter(ledger, cause, { kind: 'payout', ...moved });
  return replacePayout(entered, { ...payout, state: 'sent', entry: cause.id });
}
