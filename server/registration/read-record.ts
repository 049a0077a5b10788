import type { ActRow, DisputeRow, PaymentRow, RefundRow } from '#server/database/schema.ts';
import { addressDigest } from '#server/mail/job.ts';
import type { EndedLetter } from '#server/mail/letter-log.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { HERSELF, momentIn } from './acts.ts';
import { readAnswers } from './answers.ts';
import { balancesInForce, readBalance } from './balance-payment.ts';
import { parseBounced } from './bounces.ts';
import { cardOnFileOf, chargedCardOf, type PaidCard, readCard } from './card-on-file.ts';
import { type Decisions, readDecisions } from './decisions.ts';
import { lettersOf } from './deposit-letters.ts';
import { notesOf } from './notes.ts';
import {
  ACTS,
  actsOfHolder,
  agreedBalanceOf,
  agreementOf,
  carriedOutOf,
  correctionsOf,
  depositOf,
  handedOverOf,
  type OnRecord,
  officeLinksOf,
  paidAsOf,
  WRONG_PROOFS_TOLD,
} from './on-record.ts';
import { orderOf, withNextPart } from './owed.ts';
import { depositStandingOf, readReceived } from './received.ts';
import {
  type DisputeOnRecord,
  type Noticed,
  OVER,
  type RefundOnRecord,
  type RegistrationRecord,
} from './registration-record.ts';
import { registrantIn } from './registrations.ts';

/**
 * A registration, from what is on record of it.
 * @returns undefined for a payment that is not the deposit of a registration, or for an edition that this release does not
 *   know
 * @throws {AppError} when what is on record of it is not what this site writes
 */
export function readRecord(onRecord: OnRecord): RegistrationRecord | undefined {
  const { registration: row, acts, endedLetters } = onRecord;
  const deposit = depositOf(onRecord);
  const edition = deposit && findEdition(deposit.edition);
  if (!edition || !row || deposit.asMade === 0) return undefined;
  const { id } = deposit;
  const decisions = readDecisions(acts);
  const received = readReceived(acts);
  const standing = depositStandingOf(onRecord, edition);
  const isPaid = standing.deposit === 'paid';
  const balances = balancesInForce(onRecord);
  const payments = [
    { of: 'deposit' as const, payment: deposit },
    ...balances.map((payment) => ({ of: 'balance' as const, payment })),
  ];
  const refunds = payments
    .flatMap(({ of, payment }) =>
      onRecord.refunds.flatMap((refund) => (refund.payment === payment.id ? [refundIn(refund, of)] : [])),
    )
    .toSorted((one, other) => one.at.getTime() - other.at.getTime());
  const disputes = payments
    .flatMap(({ of, payment }) => disputesOf(onRecord.disputes, payment, of))
    .toSorted((one, other) => one.at.getTime() - other.at.getTime());
  const handedOver = handedOverOf(acts);
  const own = { acts: actsOfHolder(acts) };
  const cancelled = carriedOutOf(onRecord);
  const order = decisions.cancel && orderOf('cancel', decisions.cancel);
  const ordered = order ? refunds.filter((one) => one.order === order) : [];
  // Of what goes back whole there may be two: what is worst of them is to be known.
  const refund = (['failed', 'pending', 'succeeded'] as const).find((status) =>
    ordered.some((one) => one.status === status),
  );
  const { askedAddress: to, askedAt } = row;
  const notices = lastNotices(endedLetters.filter(({ at }) => !handedOver || at >= handedOver.at));
  const bounces = onRecord.bounces.flatMap((text) => parseBounced(text) ?? []);
  const bounced = bounces.find((one) => one.to === addressDigest(row.email));
  const { paidAt } = standing;
  return withNextPart({
    id,
    edition,
    registration: row.id,
    offer: row.waiting ?? undefined,
    begunAt: new Date(deposit.madeAt),
    submittedAt: momentIn(row.submittedAt),
    isNotReminded: onRecord.isNotReminded,
    registrant: registrantIn(row),
    ...standing,
    isDepositOpen: deposit.status === 'open' || undefined,
    isProcessing: onRecord.payments.some(({ status }) => status === 'processing') || undefined,
    paidTwice: isPaid && !decisions.cancel ? onRecord.paidTwice : undefined,
    agreement: agreementOf(own),
    agreed: agreedBalanceOf(onRecord),
    decisions,
    received,
    letters: lettersOf(onRecord, handedOver?.at),
    endedLetters,
    customerId: row.customer ?? undefined,
    linksEpoch: row.linksEpoch,
    card: cardOnFileOf(onRecord, standing),
    givenCard: readCard(own.acts.filter(({ byWhom }) => byWhom === HERSELF)),
    depositCard: paidCardOf(deposit),
    otherNotices: notices,
    bounced,
    bouncedBefore: bounces.find((one) => one !== bounced),
    otherBalances: balances.map((payment) =>
      readBalance(payment, paidCardOf(payment), momentIn(row.payingSince), onRecord.attempts),
    ),
    refunds,
    cancelled: cancelled && { ...cancelled, refund },
    disputes,
    disputed: payments.some(({ payment }) => isDisputed(payment, disputes, decisions)),
    corrections: row.forgottenAt === null ? correctionsOf(own) : {},
    paidAs: paidAt && paidAsOf(own.acts, row, paidAt),
    handedOver,
    agreementBefore: agreementOf({ acts: acts.slice(0, acts.length - own.acts.length) }),
    namesBefore: row.namesBefore || undefined,
    officeLinks: officeLinksOf(own),
    notes: notesOf(onRecord),
    answers: readAnswers(row),
    addressAsked: to !== null && askedAt !== null ? { to, at: new Date(askedAt) } : undefined,
    proofFailedAt: proofFailedOf(own.acts),
    forgottenAt: momentIn(row.forgottenAt),
  });
}

function proofFailedOf(acts: readonly ActRow[]): Date | undefined {
  const wrong = acts.filter(({ kind }) => kind === ACTS.proofFailed);
  const dayOf = (index: number) => wrong[index]?.at.slice(0, 'yyyy-mm-dd'.length);
  const told = wrong.findLast((_, index) => dayOf(index) === dayOf(index + 1 - WRONG_PROOFS_TOLD));
  return momentIn(told?.at ?? null);
}

function paidCardOf(payment: PaymentRow): PaidCard | undefined {
  const card = chargedCardOf(payment);
  return card && { brand: card.brand, last4: card.last4 };
}

function refundIn(
  { id, payment, cents, status, at, ordered }: RefundRow,
  of: RefundOnRecord['of'],
): RefundOnRecord {
  return { id, of, payment, cents, status, at: new Date(at), order: ordered ?? undefined };
}

function lastNotices(letters: readonly EndedLetter[]): Noticed[] {
  const notices = letters.flatMap(({ at, notice }) => (notice ? { at, ...notice } : []));
  return [...new Map(notices.map((one) => [one.part, one])).values()];
}

function disputesOf(
  rows: readonly DisputeRow[],
  payment: PaymentRow | undefined,
  of: DisputeOnRecord['of'],
): DisputeOnRecord[] {
  const own = rows.filter((row) => row.payment === payment?.id);
  return own.map(({ id, cents, at, reason, status, evidenceDue }) => ({
    id,
    charge: payment?.charge ?? '',
    of,
    cents,
    at: new Date(at),
    reason,
    status,
    isOver: OVER.includes(status),
    evidenceDue: momentIn(evidenceDue),
  }));
}

/**
 * Whether disputes of a payment block money: those that the office has not marked as over. A charge at Stripe shows that it
 * was disputed at some time, also before the dispute is listed.
 */
export function isDisputed(
  payment: Pick<PaymentRow, 'charge' | 'disputed'> | undefined,
  disputes: readonly DisputeOnRecord[],
  { disputeOver }: Pick<Decisions, 'disputeOver'>,
): boolean {
  if (payment?.disputed !== 1) return false;
  if (!disputeOver?.charges.includes(payment.charge ?? '')) return true;
  return disputes.some(({ id, isOver }) => !isOver || !disputeOver.disputes.includes(id));
}
