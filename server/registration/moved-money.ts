import type { PaymentRow, RefundRow } from '#server/database/schema.ts';
import { changeLedger, enterCard, failPayout } from './change-ledger.ts';
import { enter, reverse, splitMoved } from './entries.ts';
import type { Cause, LedgerContext } from './installments.ts';
import { chargeOf, type Ledger } from './ledger.ts';
import { numberOfPart } from './ledger-of-acts.ts';
import { sent } from './payouts.ts';

/** A withdrawal or a reinstatement of a dispute, as Stripe's balance shows it: negative where it was withdrawn. */
export interface DisputeMove {
  /** The balance transaction at Stripe. */
  id: string;
  cents: number;
  movedAt: Date;
}

/** What Stripe says of a payment: its row, what went back of it, and what its disputes moved. */
export interface MovedPayment {
  payment: Pick<
    PaymentRow,
    'id' | 'name' | 'part' | 'status' | 'asMade' | 'cents' | 'beforeFeeCents' | 'charge' | 'paidAt'
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
  const { id, charge, paidAt } = payment;
  if (payment.status !== 'paid' || payment.asMade === 0 || charge === null || paidAt === null) return before;
  const change = (
    ledger: Ledger,
    cause: Omit<Cause, 'isUrgent'>,
    work: (ledger: Ledger, cause: Cause) => Ledger,
  ) => {
    const urgent = { ...cause, isUrgent: true };
    return changeLedger(ledger, urgent, context, (one) => work(one, urgent));
  };
  let ledger = before;
  if (!chargeOf(ledger, id)) {
    const number = payment.name === 'deposit' ? 0 : numberOfPart(payment.part);
    const amount = amountOf(before, payment, number);
    const entry = {
      id: charge,
      kind: 'card',
      movedAt: paidAt,
      payer: context.holder,
      number,
      payment: id,
    } as const;
    ledger = change(ledger, { id: charge, at: paidAt }, (one) =>
      enterCard(one, { ...entry, ...amount }, context),
    );
  }
  const by = chargeOf(ledger, id);
  if (!by) return ledger;
  const about = { payer: by.payer, number: by.number, payment: id };
  for (const { id: refund, cents, status, madeAt, ordered } of refunds) {
    const isKnown = ledger.entries.some((entry) => entry.id === refund);
    const cause = { id: isKnown ? `${refund}-failed` : refund, at: madeAt };
    const payout = ledger.payouts.find((one) => one.id === ordered);
    if (status === 'failed') {
      if (payout)
        ledger = change(ledger, cause, (one, urgent) => failPayout(one, payout.id, urgent, context));
      else if (isKnown) ledger = change(ledger, cause, (one, urgent) => reverse(one, refund, urgent));
    } else if (payout && !isKnown)
      ledger = change(ledger, cause, (one) => sent(one, payout.id, { id: refund, movedAt: madeAt }));
    else if (!isKnown) {
      const kind = ordered === null ? 'refund' : 'payout';
      const split = splitMoved(ledger, id, -cents);
      ledger = change(ledger, cause, (one) =>
        enter(one, { id: refund, kind, movedAt: madeAt, ...about, ...split }),
      );
    }
  }
  for (const { id: move, cents, movedAt } of moves) {
    if (ledger.entries.some((entry) => entry.id === move)) continue;
    const split = splitMoved(ledger, id, cents);
    ledger = change(ledger, { id: move, at: movedAt }, (one) =>
      enter(one, { id: move, kind: 'dispute', movedAt, ...about, ...split }),
    );
  }
  return ledger;
}

/** What of a payment is tuition, and what is its card fee: as its row was announced, or as its metadata say. */
function amountOf(
  { installments }: Ledger,
  { cents: gross, beforeFeeCents }: MovedPayment['payment'],
  number: number,
) {
  const announced = installments.findLast(
    (row) => row.number === number && row.cents + row.cardFeeCents === gross,
  );
  const cents = beforeFeeCents ?? announced?.cents ?? withoutFee(installments, gross);
  return { cents, feeCents: gross - cents };
}

function withoutFee(installments: Ledger['installments'], gross: number): number {
  const basisPoints = installments.at(0)?.cardFeeBasisPoints ?? 0;
  return Math.round((gross * 10_000) / (10_000 + basisPoints));
}
