import type { BackLine, PaymentLine, StatementLine } from '#shared/content/tuition.ts';
import { installmentsOf, isRefundOrdered, isRestByCheck, owedByCheck, owes } from './balance.ts';
import { reductionOf } from './decisions.ts';
import { depositByCardOf, depositLeftOf, type ReceivedPart, receivedFor } from './deposit.ts';
import { cardEntries, checksSent, type Ledger, sumOfCents, sumOfFees } from './ledger.ts';
import type { RegistrationRecord } from './registration-record.ts';

/** The money of a registration: what moved, in the order of its moments, then what is due or ordered. */
export function statement(record: RegistrationRecord): readonly StatementLine[] {
  const moved = [
    ...paidLines(record),
    ...reductionLines(record),
    ...refundLines(record),
    ...disputeLines(record),
    ...checkLines(record.ledger),
  ];
  return [
    ...moved.toSorted((one, other) => +one.at - +other.at),
    ...dueLines(record),
    ...orderedLines(record),
  ];
}

export const paidLines = (record: RegistrationRecord): PaymentLine[] => [
  ...cardLines(record),
  ...receivedLines(record),
];

function cardLines(record: RegistrationRecord): PaymentLine[] {
  const { ledger, depositCard, balances } = record;
  const parts = installmentsOf(record);
  return cardEntries(ledger).map(({ number, cents, feeCents, movedAt: at, payment: reference }) => ({
    ...paid(record, number === 0 ? 'deposit' : 'balance', at),
    way: 'card',
    cents: cents + feeCents,
    feeCents,
    reference,
    card: number === 0 ? depositCard : balances.find(({ id }) => id === reference)?.paidWith,
    part: parts.find((one) => one.number === number)?.part,
  }));
}

function receivedLines(record: RegistrationRecord): PaymentLine[] {
  const { deposit, balance } = receivedFor(record);
  const line =
    (what: PaymentLine['what']) =>
    ({ way, ofCents: cents, on, number: reference }: ReceivedPart): PaymentLine => ({
      ...paid(record, what, on),
      way,
      cents,
      feeCents: 0,
      reference,
    });
  return [...deposit.map(line('deposit')), ...balance.map(line('balance'))];
}

function paid({ handedOver }: RegistrationRecord, what: PaymentLine['what'], at: Date) {
  const isEarlier = handedOver !== undefined && at < handedOver.at;
  return { what, status: 'paid', at, ...(isEarlier && { isEarlier }) } as const;
}

function reductionLines({ decisions }: RegistrationRecord): StatementLine[] {
  const [reduction, at] = [reductionOf(decisions), decisions.waived?.at];
  if (!reduction || !at) return [];
  return [{ what: reduction.as, cents: reduction.cents, feeCents: 0, at }];
}

/** With the refunds that Stripe has not made, or could not make. */
function refundLines({ refunds }: RegistrationRecord): BackLine[] {
  return refunds.map(({ of, cents, status, at }) => ({
    what: 'refund',
    of,
    way: 'card',
    status: status === 'succeeded' ? 'paid' : status,
    cents: 0 - cents,
    feeCents: 0,
    at,
  }));
}

/** What her bank has taken back, less what it gave back of that. */
function disputeLines({ ledger }: RegistrationRecord): BackLine[] {
  const disputed = ledger.entries.filter(({ kind }) => kind === 'dispute');
  return (['deposit', 'balance'] as const).flatMap((of) => {
    const moved = disputed.filter(({ number }) => (number === 0) === (of === 'deposit'));
    const [feeCents, at] = [sumOfFees(moved), moved.at(-1)?.movedAt];
    const cents = sumOfCents(moved) + feeCents;
    return cents === 0 || !at
      ? []
      : [{ what: 'dispute', of, way: 'card', status: 'paid', cents, feeCents, at }];
  });
}

function checkLines(ledger: Ledger): BackLine[] {
  return checksSent(ledger).map(({ cents, feeCents, movedAt: at }) => ({
    what: 'check',
    way: 'check',
    status: 'paid',
    cents: cents + feeCents,
    feeCents,
    at,
  }));
}

function dueLines(record: RegistrationRecord): PaymentLine[] {
  if (record.deposit !== 'paid') return [depositDue(record)];
  const way = isRestByCheck(record) ? 'check' : 'card';
  const open = owes(record) ? installmentsOf(record).filter(({ left }) => left.beforeFeeCents > 0) : [];
  return open.map(({ part, dueAt: at, left }) => {
    const feeCents = way === 'card' ? left.feeCents : 0;
    return { what: 'balance', status: 'due', way, part, at, feeCents, cents: left.beforeFeeCents + feeCents };
  });
}

function depositDue(record: RegistrationRecord): PaymentLine {
  const { way, until: at } = record.decisions.held ?? { way: 'card', until: record.begunAt };
  const [left, byCard] = [depositLeftOf(record), depositByCardOf(record)];
  const cents = way === 'card' ? byCard : left;
  return { what: 'deposit', status: 'due', way, at, cents, feeCents: cents - left };
}

function orderedLines(record: RegistrationRecord): BackLine[] {
  const { ledger, begunAt, decisions } = record;
  const lines: BackLine[] = [];
  if (decisions.refund && isRefundOrdered(record)) {
    const { cents, at } = decisions.refund;
    lines.push({ what: 'refund', way: 'card', status: 'ordered', cents: 0 - cents, feeCents: 0, at });
  }
  const owed = owedByCheck(record);
  const at = ledger.entries.at(-1)?.movedAt ?? begunAt;
  if (owed > 0)
    lines.push({ what: 'check', way: 'check', status: 'ordered', cents: 0 - owed, feeCents: 0, at });
  return lines;
}
