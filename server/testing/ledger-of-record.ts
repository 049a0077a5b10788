import {
  balanceTermsOf,
  beginLedger,
  contextOf,
  type Ledger,
  LedgerRefusal,
  ledgerAfterAct,
  type MovedPayment,
  type RefundOnRecord,
  type RegistrationRecord,
  withMovedMoney,
} from '#server/registration/registration.ts';
import { actRows, type Recorded } from './recorded-registrations.ts';

/** A registration with the ledger that it has if what is on record of it happened in the order of its moments. */
export function withLedger(recorded: Recorded): RegistrationRecord {
  const all = actRows(recorded);
  const terms = balanceTermsOf(recorded);
  const { id: registration, begunAt, cancelled } = recorded;
  const about = (acts: typeof all) => ({
    registration,
    begunAt,
    acts,
    terms,
    termsBefore: terms,
    trying: [],
  });
  const until = (at: Date) => all.filter(({ happenedAt }) => happenedAt <= at);
  const acts = all.map((act) => ({
    at: act.happenedAt,
    change(ledger: Ledger): Ledger {
      const known = all.slice(0, all.indexOf(act) + 1);
      return ledgerAfterAct(ledger, act, about(known));
    },
  }));
  const payments = paymentsOf(recorded).map((payment) => ({
    at: payment.payment.paidAt ?? begunAt,
    change: (ledger: Ledger) =>
      withMovedMoney(ledger, payment, contextOf(about(until(payment.payment.paidAt ?? begunAt)))),
  }));
  const named = recorded.refunds.map((refund) => ({
    ...refund,
    orderedBy: all.find(({ id }) => id === `${refund.orderedBy} of ${registration}`)?.id ?? refund.orderedBy,
  }));
  const orderedAt = ({ orderedBy }: RefundOnRecord) => {
    const act = all.find(({ id }) => id === orderedBy);
    return (act?.kind === 'refund' ? act.happenedAt : cancelled?.at) ?? begunAt;
  };
  const refunds = named.map((refund) => ({
    at: new Date(Math.max(refund.at.getTime(), orderedAt(refund).getTime())),
    change(ledger: Ledger): Ledger {
      const payment = paymentsOf(recorded).find((one) => one.payment.id === refund.payment);
      if (!payment) return ledger;
      const payout = ledger.payouts.find(
        (one) => one.orderedBy === refund.orderedBy && one.payment === refund.payment,
      );
      const paymentCents = payment.payment.cents;
      const row = {
        ...refund,
        paymentCents,
        madeAt: refund.at,
        ordered: payout?.id ?? refund.orderedBy ?? null,
      };
      const made = withMovedMoney(
        ledger,
        { ...payment, refunds: [{ ...row, status: 'pending' }] },
        contextOf(about(all)),
      );
      return refund.status === 'failed'
        ? withMovedMoney(made, { ...payment, refunds: [row] }, contextOf(about(all)))
        : made;
    },
  }));
  const events = [...acts, ...payments, ...refunds].toSorted((one, other) => +one.at - +other.at);
  const ledger = events.reduce(
    (after, { change }) => changedUnlessRefused(after, change),
    beginLedger({ registration, begunAt }, recorded.edition.facts),
  );
  return {
    ...recorded,
    refunds: named,
    acts: all,
    ledger,
    context: contextOf(about(all)),
  };
}

/** Lives by chance decide what the office could not. */
function changedUnlessRefused(ledger: Ledger, change: (ledger: Ledger) => Ledger): Ledger {
  try {
    return change(ledger);
  } catch (error) {
    if (error instanceof LedgerRefusal) return ledger;
    throw error;
  }
}

function paymentsOf({
  deposit,
  depositPayment,
  depositCents,
  depositDueCents,
  paidAt,
  begunAt,
  disputes,
  balances,
}: Recorded): MovedPayment[] {
  const moves = (of: 'deposit' | 'balance') =>
    disputes
      .filter((one) => one.of === of && one.status !== 'won' && !one.status.startsWith('warning'))
      .map(({ id, cents, at }) => ({ id: `txn of ${id}`, cents: 0 - cents, movedAt: at }));
  const common = { status: 'paid', asMade: 1, refunds: [] } as const;
  const ofDeposit: MovedPayment[] =
    deposit === 'paid' && depositPayment && depositDueCents === undefined
      ? [
          {
            payment: {
              ...common,
              id: depositPayment.id,
              number: 0,
              cents: depositCents,
              beforeFeeCents: null,
              charge: `ch_${depositPayment.id}`,
              paidAt: paidAt ?? begunAt,
            },
            refunds: [],
            moves: moves('deposit'),
          },
        ]
      : [];
  const ofBalance = balances.flatMap(({ id, number, cents, beforeFeeCents, paidAt: at }) => {
    if (!at) return [];
    const payment = {
      ...common,
      id,
      number,
      cents,
      beforeFeeCents,
      charge: `ch_${id}`,
      paidAt: at,
    };
    return [{ payment, refunds: [], moves: moves('balance') }];
  });
  return [...ofDeposit, ...ofBalance];
}
