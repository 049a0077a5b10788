import type { PayoutRow } from '#server/database/schema.ts';
import { enter } from './entries.ts';
import { type Cause, type LedgerContext, lower, refuseIf } from './installments.ts';
import {
  type Amount,
  askedCents,
  type CardEntry,
  cardEntries,
  chargeOf,
  freeSurplus,
  inForce,
  type Ledger,
  LIVE_PAYOUTS,
  leftOfPayment,
  nextPosition,
  owedOf,
  sumOfCents,
  sumOfFees,
  toLeave,
} from './ledger.ts';

type Order = Pick<PayoutRow, 'orderedBy' | 'payer' | 'way' | 'payment'> &
  Amount & { insteadOf?: PayoutRow | undefined };

/**
 * Orders money to leave.
 * @throws {LedgerRefusal} when it is more than the surplus, more than is left of its payment, or ordered already
 */
function order(ledger: Ledger, { insteadOf, ...wanted }: Order): Ledger {
  const { orderedBy, payer, way, payment, cents, feeCents } = wanted;
  refuseIf(
    cents > freeSurplus(ledger),
    'That is more than she has paid beyond what she owes: take it off what is left to pay instead.',
  );
  const charge = payment === null ? undefined : chargeOf(ledger, payment);
  if (payment !== null) {
    const left = leftOfPayment(ledger, payment);
    refuseIf(cents > left.cents || feeCents > left.feeCents, 'That is more than is left of her payment.');
  }
  const isSame = (one: PayoutRow) =>
    one.orderedBy === orderedBy && one.way === way && one.payment === payment && one.payer === payer;
  const isLive = (one: PayoutRow) => one.insteadOf === null && LIVE_PAYOUTS.includes(one.state);
  refuseIf(!insteadOf && ledger.payouts.some((one) => isSame(one) && isLive(one)), 'It is ordered already.');
  const base = insteadOf ? `${insteadOf.id}-again` : [orderedBy, way, payment ?? payer].join('-');
  const count = ledger.payouts.filter(({ id }) => id === base || id.startsWith(`${base}-no-`)).length;
  const made: PayoutRow = {
    ...wanted,
    id: count === 0 ? base : `${base}-no-${count + 1}`,
    registration: ledger.registration,
    position: nextPosition(ledger.payouts),
    paymentCents: charge ? charge.cents + charge.feeCents : null,
    state: 'ordered',
    insteadOf: insteadOf?.id ?? null,
    entry: null,
  };
  return { ...ledger, payouts: [...ledger.payouts, made] };
}

/** Makes what is ordered fit what can leave: first what a payment no longer has, then what is no surplus any more. */
export function fitOrders(ledger: Ledger): Ledger {
  let fitted = ledger;
  const newest = () => toLeave(fitted, ['ordered']).toReversed();
  for (const one of newest()) {
    if (one.payment === null) continue;
    const { cents, feeCents } = leftOfPayment(fitted, one.payment);
    const fee = Math.max(0, one.feeCents + Math.min(0, feeCents));
    fitted = replacePayout(fitted, lessened({ ...one, feeCents: fee }, Math.max(0, -cents)));
  }
  for (const one of newest())
    fitted = replacePayout(fitted, lessened(one, Math.max(0, -freeSurplus(fitted))));
  return fitted;
}

function lessened(payout: PayoutRow, byCents: number): PayoutRow {
  const cents = payout.cents - Math.min(payout.cents, byCents);
  if (cents === payout.cents) return payout;
  const feeCents = Math.round((payout.feeCents * cents) / payout.cents);
  // A withdrawn one says what was ordered.
  return cents === 0 ? { ...payout, state: 'withdrawn' } : { ...payout, cents, feeCents };
}

export function replacePayout(ledger: Ledger, payout: PayoutRow): Ledger {
  return { ...ledger, payouts: ledger.payouts.map((one) => (one.id === payout.id ? payout : one)) };
}

/**
 * Gives money back to her cards by the office's will, the newest payment first, the deposit last: the surplus without card
 * fees; beyond it less is asked, and the fee of a payment goes back with it.
 * @param cents with card fees
 * @throws {LedgerRefusal} when it is more than came, or than is left of her payments
 */
export function giveBack(ledger: Ledger, cause: Cause, context: LedgerContext, cents: number): Ledger {
  const isBeyond = cents > freeSurplus(ledger);
  let rest = cents;
  const parts = newestFirst(cardEntries(ledger)).flatMap(({ number, payer, payment }) => {
    const left = leftOfPayment(ledger, payment);
    const ofTuition = Math.min(Math.max(0, left.cents), rest);
    const feeCents = isBeyond ? Math.min(Math.max(0, left.feeCents), rest - ofTuition) : 0;
    rest -= ofTuition + feeCents;
    return ofTuition + feeCents > 0 ? [{ number, payer, payment, cents: ofTuition, feeCents }] : [];
  });
  refuseIf(rest > 0, 'That is more than is left of her payments by card.');
  const gift = Math.max(0, sumOfCents(parts) - freeSurplus(ledger));
  refuseIf(gift > askedCents(ledger) - owedOf(ledger), 'That is more than came from her.');
  const lowered = gift > 0 ? lower(ledger, cause, context, gift, parts[0]?.number) : ledger;
  return parts.reduce(
    (ordered, { number: _, ...part }) => order(ordered, { orderedBy: cause.id, way: 'card', ...part }),
    lowered,
  );
}

/** By their moments, the deposit last. */
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
export function orderWhatGoesBack(
  ledger: Ledger,
  cause: Cause,
  { cancelled, holder }: LedgerContext,
): Ledger {
  if (!cancelled) return ledger;
  let ordered = ledger;
  const add = (wanted: Omit<Order, 'orderedBy'>) => {
    const isTaken = ordered.payouts.some(
      (one) =>
        one.orderedBy === cancelled.id &&
        one.way === wanted.way &&
        one.payment === wanted.payment &&
        one.payer === wanted.payer &&
        LIVE_PAYOUTS.includes(one.state),
    );
    ordered = order(ordered, { ...wanted, orderedBy: isTaken ? cause.id : cancelled.id });
  };
  let keptCents = sumOfCents(inForce(ledger));
  for (const { payment, payer, number, movedAt } of newestFirst(cardEntries(ledger))) {
    const left = leftOfPayment(ordered, payment);
    const pays = number === 0 ? Math.max(0, Math.min(left.cents, keptCents)) : 0;
    keptCents -= pays;
    const cents = Math.min(Math.max(0, left.cents - pays), Math.max(0, freeSurplus(ordered)));
    if (cents === 0) continue;
    const isWithFee =
      cancelled.isWhole || movedAt > cancelled.writtenAt || isFeeRefundable(ledger, number, cancelled);
    const feeCents = isWithFee ? Math.round((left.feeCents * cents) / left.cents) : 0;
    add({ way: 'card', payment, payer, cents, feeCents });
  }
  const checks = newestFirst(ledger.entries.filter(({ kind }) => kind === 'check' || kind === 'transfer'));
  for (const payer of new Set([...checks.map((entry) => entry.payer), holder])) {
    const came = sumOfCents(
      ledger.entries.filter((entry) => entry.payment === null && entry.payer === payer),
    );
    const leaving = toLeave(ordered).filter((one) => one.payment === null && one.payer === payer);
    const cents = Math.min(Math.max(0, came - sumOfCents(leaving)), Math.max(0, freeSurplus(ordered)));
    if (cents > 0) add({ way: 'check', payment: null, payer, cents, feeCents: 0 });
  }
  return ordered;
}

function isFeeRefundable(
  { installments }: Ledger,
  number: number,
  { id, writtenAt }: NonNullable<LedgerContext['cancelled']>,
): boolean {
  const row = installments.find((one) => one.replacedBy === id && one.number === number);
  if (!row || row.feeRefundable === 0 || row.refundableUntil === null) return false;
  return number > 0 && writtenAt < row.refundableUntil;
}

/** What Stripe refused, or what came back, leaves another way: by check to its payer. */
export function orderInstead(ledger: Ledger, failed: PayoutRow): Ledger {
  const cents = Math.min(failed.cents, Math.max(0, freeSurplus(ledger)));
  if (cents === 0) return ledger;
  const { orderedBy, payer } = failed;
  const feeCents = Math.round((failed.feeCents * cents) / failed.cents);
  return order(ledger, { orderedBy, payer, way: 'check', payment: null, cents, feeCents, insteadOf: failed });
}

/** Orders so much of a card payment back that came just now, with its part of the fee. */
export function orderBack(
  ledger: Ledger,
  {
    id,
    payer,
    payment,
    cents: ofCents,
    feeCents: ofFee,
  }: Pick<CardEntry, 'id' | 'payer' | 'payment' | 'cents' | 'feeCents'>,
  cents: number,
): Ledger {
  const feeCents = Math.round((ofFee * cents) / ofCents);
  return order(ledger, { orderedBy: id, payer, way: 'card', payment, cents, feeCents });
}

/**
 * A check that the office has sent: what was ordered by check, the oldest first, and what else she has paid beyond what she
 * owes.
 * @throws {LedgerRefusal} when it is more
 */
export function sendByCheck(
  ledger: Ledger,
  cause: Cause,
  { holder }: LedgerContext,
  cents: number,
  movedAt: Date,
): Ledger {
  const ordered = toLeave(ledger).filter(({ way }) => way === 'check');
  const beyond = cents - sumOfCents(ordered) - sumOfFees(ordered);
  const amount = { payer: holder, way: 'check' as const, payment: null, cents: beyond, feeCents: 0 };
  const all = beyond > 0 ? order(ledger, { ...amount, orderedBy: cause.id }) : ledger;
  let rest = cents;
  let after = all;
  for (const payout of toLeave(all).filter(({ way }) => way === 'check')) {
    const ofCents = Math.min(rest, payout.cents);
    const feeCents = Math.min(rest - ofCents, payout.feeCents);
    if (ofCents === 0) break;
    rest -= ofCents + feeCents;
    const part = { ...payout, cents: ofCents, feeCents };
    after = sent(replacePayout(after, part), payout.id, { id: `${cause.id}-${payout.id}`, movedAt });
    const left = { cents: payout.cents - ofCents, feeCents: payout.feeCents - feeCents };
    if (left.cents === 0) continue;
    const { payer, way, payment } = payout;
    after = order(after, { orderedBy: cause.id, payer, way, payment, ...left });
  }
  return after;
}

/** Begins to send a payout: nobody withdraws it from then on. */
export function claim(ledger: Ledger, id: string): Ledger {
  return withState(ledger, id, 'claimed');
}

/** It has left; later entries may take it back. */
export function sent(ledger: Ledger, id: string, entry: { id: string; movedAt: Date }): Ledger {
  const payout = ledger.payouts.find((one) => one.id === id);
  if (!payout || payout.state === 'sent' || payout.state === 'failed') return ledger;
  const { payer, payment, cents, feeCents } = payout;
  const number = payment === null ? null : (chargeOf(ledger, payment)?.number ?? null);
  const moved = { kind: 'payout' as const, payer, payment, number, cents: 0 - cents, feeCents: 0 - feeCents };
  return replacePayout(enter(ledger, { ...entry, ...moved }), { ...payout, state: 'sent', entry: entry.id });
}

function withState(ledger: Ledger, id: string, state: 'claimed'): Ledger {
  const payout = ledger.payouts.find((one) => one.id === id);
  return payout?.state === 'ordered' ? replacePayout(ledger, { ...payout, state }) : ledger;
}

/** Takes back what was ordered by a cause and has not been claimed. */
export function withdrawOrders(ledger: Ledger, orderedBy: string): Ledger {
  const ordered = toLeave(ledger, ['ordered']).filter((one) => one.orderedBy === orderedBy);
  return ordered.reduce((after, one) => replacePayout(after, { ...one, state: 'withdrawn' }), ledger);
}
