import type { PaymentRow, RefundRow } from '#server/database/database.ts';
import { changeLedger, enterCard, failPayout, urgent } from './change-ledger.ts';
import { enterMoved, reverse } from './entries.ts';
import type { Change, LedgerContext } from './installments.ts';
import { type Amount, chargeOf, type Ledger } from './ledger.ts';
import { sent } from './payouts.ts';

/** A withdrawal or a reinstatement of a dispute, as Stripe's balance shows it: negative where it was withdrawn. */
export interface DisputeMove {
  id: string;
  cents: number;
  movedAt: Date;
}

/** What Stripe says of a payment: its row, what went back of it, and what its disputes moved. */
export interface MovedPayment {
  payment: Pick<
    PaymentRow,
    'id' | 'number' | 'status' | 'asMade' | 'cents' | 'beforeFeeCents' | 'charge' | 'paidAt'
  >;
  refunds: readonly RefundRow[];
  moves: readonly DisputeMove[];
}

/** A ledger with the money that moved by a payment. What Stripe reports is never refused. */
export function withMovedMoney(
  before: Ledger,
  { payment, refunds, moves }: MovedPayment,
  context: LedgerContext,
): Ledger {
  const { id, number, charge, paidAt } = payment;
  if (payment.status !== 'paid' || payment.asMade === 0) return before;
  if (number === null || charge === null || paidAt === null) return before;
  let ledger = before;
  const change = (cause: string, at: Date, work: (one: Ledger, change: Change) => Ledger) => {
    ledger = changeLedger(ledger, urgent(context, cause, at), work);
  };
  const isKnown = (entry: string) => ledger.entries.some((one) => one.id === entry);
  if (!chargeOf(ledger, id)) {
    const paid = { number, payment: id, ...amountOf(before, payment, number) };
    change(charge, paidAt, (one, own) => enterCard(one, own, paid));
  }
  const by = chargeOf(ledger, id);
  if (!by) return ledger;
  for (const { id: refund, cents, status, madeAt, ordered } of refunds) {
    const payout = ledger.payouts.find((one) => one.id === ordered);
    if (status === 'failed') {
      const failed = isKnown(refund) ? `${refund}-failed` : refund;
      if (payout) change(failed, madeAt, (one, own) => failPayout(one, own, payout.id));
      else if (isKnown(refund)) change(failed, madeAt, (one, own) => reverse(one, own, refund));
    } else if (isKnown(refund)) continue;
    else if (payout) change(refund, madeAt, (one, own) => sent(one, own, payout.id));
    else {
      const kind = ordered === null ? 'refund' : 'payout';
      change(refund, madeAt, (one, own) => enterMoved(one, own, kind, by, -cents));
    }
  }
  for (const { id: move, cents, movedAt } of moves)
    if (!isKnown(move)) change(move, movedAt, (one, own) => enterMoved(one, own, 'dispute', by, cents));
  return ledger;
}

/** What of a payment is tuition, and what is its card fee: as its row was announced, or as its metadata say. */
function amountOf(
  { installments }: Ledger,
  { cents: gross, beforeFeeCents }: MovedPayment['payment'],
  number: number,
): Amount {
  const announced = installments.findLast(
    (row) => row.number === number && row.cents + row.cardFeeCents === gross,
  );
  const basisPoints = installments.at(0)?.cardFeeBasisPoints ?? 0;
  const withoutFee = Math.round((gross * 10_000) / (10_000 + basisPoints));
  const cents = beforeFeeCents ?? announced?.cents ?? withoutFee;
  return { cents, feeCents: gross - cents };
}
