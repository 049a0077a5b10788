import type { PaymentRow } from '#server/database/database.ts';
import type { ReceivedOnRecord } from './acts.ts';
import type { Decisions } from './decisions.ts';
import type { LedgerContext } from './installments.ts';
import { isPaidByCard, type Ledger, leftOf, rowOf, sumOfCents, sumOfFees } from './ledger.ts';
import type { DepositStanding, RegistrationRecord } from './registration-record.ts';

interface DepositRead {
  ledger: Ledger;
  received: ReceivedOnRecord;
  context: Pick<LedgerContext, 'cancelled'>;
  decisions: Pick<Decisions, 'waived' | 'held'>;
  payment: Pick<PaymentRow, 'status' | 'cents' | 'paidAt'> | undefined;
  isBlank: boolean;
}

export function depositStandingOf(read: DepositRead): DepositStanding {
  const { ledger, context, received, decisions, payment, isBlank } = read;
  if (payment?.status === 'paid')
    return {
      deposit: 'paid',
      depositCents: payment.cents,
      depositDueCents: undefined,
      paidAt: payment.paidAt ?? undefined,
    };
  const { cancelled } = context;
  // A cancellation replaces what was asked by what is kept.
  const asked = cancelled
    ? ledger.installments.find((row) => row.number === 0 && row.replacedBy === cancelled.id)
    : rowOf(ledger, 0);
  const depositDueCents = asked?.cents ?? 0;
  // What paid a deposit without a card had come by then, or was taken off.
  const came = divide(received, depositDueCents).deposit.at(-1)?.on ?? decisions.waived?.at;
  const paidAt = leftOf(ledger, 0) === 0 ? came : undefined;
  if (paidAt) return { deposit: 'paid', depositCents: depositDueCents, depositDueCents, paidAt };
  const isEnded = payment ? payment.status === 'cancelled' : isBlank;
  const deposit = isEnded && !decisions.held ? 'closed' : 'unpaid';
  return { deposit, depositCents: 0, depositDueCents, paidAt: undefined };
}

export type ReceivedPart = ReceivedOnRecord['counting'][number] & { ofCents: number };

/** What came by check or transfer: for a deposit that no card paid first, and the rest for the balance. */
export function receivedFor({ depositDueCents = 0, received }: RegistrationRecord) {
  return divide(received, depositDueCents);
}

function divide({ counting }: ReceivedOnRecord, depositCents: number) {
  let left = depositCents;
  const deposit: ReceivedPart[] = [];
  const balance: ReceivedPart[] = [];
  for (const one of counting) {
    const ofCents = Math.min(left, one.cents);
    left -= ofCents;
    if (ofCents > 0) deposit.push({ ...one, ofCents });
    if (one.cents > ofCents) balance.push({ ...one, ofCents: one.cents - ofCents });
  }
  return { deposit, balance };
}

export function receivedCentsOf(record: RegistrationRecord): number {
  return receivedFor(record).balance.reduce((sum, { ofCents }) => sum + ofCents, 0);
}

export function depositLeftOf({ deposit, ledger }: RegistrationRecord): number {
  return deposit === 'paid' ? 0 : leftOf(ledger, 0);
}

export function depositByCardOf({ ledger }: RegistrationRecord): number {
  const { cents = 0, cardFeeCents = 0 } = rowOf(ledger, 0) ?? {};
  return cents + cardFeeCents;
}

/** Whether a card can pay the deposit: its payment is open or not made yet, and nothing came for it otherwise. */
export function canPayDeposit({ depositPayment, received }: RegistrationRecord): boolean {
  const isOpen = depositPayment === undefined || depositPayment.status === 'open';
  return isOpen && received.counting.length === 0;
}

function notAskedOfDeposit({ ledger, decisions, context }: RegistrationRecord): number {
  if (!decisions.waived || context.cancelled) return 0;
  const agreed = ledger.installments.find(({ number }) => number === 0)?.cents ?? 0;
  return Math.max(0, agreed - (rowOf(ledger, 0)?.cents ?? agreed));
}

/** Whether her deposit was refunded in full, or her bank took any of it back; while she disputes it, that is not decided. */
export function isDepositBack(record: RegistrationRecord): boolean {
  const { ledger, disputed } = record;
  const isOpenAgain = !disputed && isPaidByCard(ledger, 0) && leftOf(ledger, 0) > 0;
  return isOpenAgain || isDepositGivenBack(record);
}

/** Whether all of her deposit is gone with its fee, but not by a scholarship, with which she keeps her place. */
export function isDepositGivenBack(record: RegistrationRecord): boolean {
  const { ledger, context, depositCents } = record;
  if (depositCents === 0 || context.cancelled || notAskedOfDeposit(record) > 0) return false;
  const moved = ledger.entries.filter(({ number }) => number === 0);
  return rowOf(ledger, 0)?.cents === 0 && sumOfCents(moved) + sumOfFees(moved) === 0;
}
