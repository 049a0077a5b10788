import {
  type ActRow,
  type DisputeRow,
  type PaymentRow,
  type PayoutRow,
  type RefundRow,
  type RegistrationRow,
  rowsWith,
  type Transaction,
} from '#server/database/database.ts';
import { AppError, causeOf } from '#server/web/app-error.ts';
import type { Facts } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { HERSELF, WRONG_PROOFS_TOLD } from './act-kinds.ts';
import {
  actsOfHolder,
  correctionsOf,
  hasKind,
  lastAct,
  lastOfKind,
  notesOf,
  paidAsOf,
  type Register,
  readAnswers,
  utcDay,
} from './acts.ts';
import { balancesInForce, readBalance } from './balance.ts';
import { cardOnFileOf, paidCardOf } from './cards.ts';
import type { Decisions } from './decisions.ts';
import type { EndedLetter } from './her-letters.ts';
import type { Ledger } from './ledger.ts';
import { withWhatFollows } from './ledger-of-acts.ts';
import { addressDigest } from './links.ts';
import {
  type DisputeOnRecord,
  type Noticed,
  type RefundOnRecord,
  type RegistrationRecord,
  type Rows,
  readRows,
} from './registration-record.ts';
import { depositIn, registrantIn } from './registrations.ts';

export interface Reading {
  row: RegistrationRow;
  record?: RegistrationRecord | undefined;
  problem?: Problem | undefined;
}

interface Problem {
  why: string;
  /** Whether a person must look: not where nobody has paid, or somebody has looked. */
  needsPerson: boolean;
  isOfOtherRelease?: true;
}

/** What cannot be read keeps nothing from others. At most eight queries, however many there are. */
export async function readRegistrations(
  transaction: Transaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Reading>> {
  const all = await readRows(transaction, ids);
  return new Map(all.map((rows) => [rows.row.id, readingOf(rows)]));
}

/** Undefined where there is none, its edition is unknown, or its payment altered. @throws {AppError} unreadable */
export async function readRegistration(
  transaction: Transaction,
  id: string,
): Promise<RegistrationRecord | undefined> {
  const [rows] = await readRows(transaction, [id]);
  return rows && !problemOf(rows) ? recordOf(rows) : undefined;
}

/** @throws {AppError} when what is on record of it is not what this site writes */
export async function findRegistration(
  register: Register,
  id: string,
): Promise<RegistrationRecord | undefined> {
  return register.database.read((transaction) => readRegistration(transaction, id));
}

/** The registrations of all editions with an e-mail address, ignoring case, the newest first. */
export async function findByAddress({ database }: Register, email: string): Promise<RegistrationRecord[]> {
  const all = await database.read(async (transaction) => {
    const address = email.toLowerCase();
    const rows = await rowsWith(transaction, 'registrations', 'address', [address], 'begunAt');
    const ids = rows.toReversed().map(({ id }) => id);
    return readRegistrations(transaction, ids);
  });
  return [...all.values()].flatMap(({ record }) => record ?? []);
}

function readingOf(rows: Rows): Reading {
  const { row } = rows;
  const problem = problemOf(rows);
  if (problem) return { row, problem };
  try {
    return { row, record: recordOf(rows) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { row, problem: { why: causeOf(error).message, needsPerson: true } };
  }
}

function problemOf(rows: Rows): Problem | undefined {
  const { row, acts, endedLetters } = rows;
  const deposit = depositIn(rows.payments);
  const isWelcomed = endedLetters.some(({ kind }) => kind === 'welcome');
  const isHandled = row.forgottenAt !== null || isWelcomed || hasKind(acts, 'looked-at');
  const needsPerson = deposit?.status === 'paid' && !isHandled;
  if (!findEdition(row.edition))
    return { why: `Its edition ${row.edition} is unknown here`, needsPerson, isOfOtherRelease: true };
  if (deposit?.asMade === 0)
    return { why: 'It was paid, and nobody can be welcomed: the payment was altered', needsPerson };
  return undefined;
}

function recordOf(rows: Rows): RegistrationRecord {
  const { row, acts, endedLetters, attempts, ledger, trying, payments } = rows;
  const { askedAddress: to, askedAt, atStripe, atStripeUntil: until } = row;
  const edition = findEdition(row.edition);
  if (!edition) throw new Error(`${row.edition} is unknown here`);
  const deposit = depositIn(payments);
  const following = withWhatFollows({
    id: row.id,
    begunAt: row.begunAt,
    edition,
    acts,
    ledger,
    trying,
    depositPayment: deposit,
    registrant: registrantIn(row),
  });
  const { decisions, paidAt } = following;
  const refunds = rows.refunds.map((refund) => refundIn(refund, payments, ledger));
  const disputes = rows.disputes.map((dispute) => disputeIn(dispute, payments));
  const handedOver = lastOfKind(acts, 'handed-over');
  const own = actsOfHolder(acts);
  const ownCards = own.filter(({ byWhom }) => byWhom === HERSELF);
  const bounced = rows.bounces.find((one) => one.to === addressDigest(row.email));
  return {
    ...following,
    version: row.version,
    submittedAt: row.submittedAt ?? undefined,
    source: row.source,
    letterWaits: row.letterWaits === 1,
    ...othersOf(rows, edition.facts, following.deposit === 'paid' && !decisions.cancel),
    isProcessing: payments.some(({ status }) => status === 'processing') || undefined,
    agreement: lastOfKind(own, 'consent'),
    endedLetters,
    customerId: row.customer ?? undefined,
    linksEpoch: row.linksEpoch,
    card: cardOnFileOf(acts, deposit, following.deposit),
    givenCard: lastOfKind(ownCards, 'card'),
    depositCard: deposit && paidCardOf(deposit),
    postalCode: (!handedOver && deposit?.postalCode) || undefined,
    bounced,
    bouncedBefore: rows.bounces.find((one) => one !== bounced),
    balances: balancesInForce(payments).map(readBalance),
    attempts,
    notices: lastNotices(endedLetters.filter(({ at }) => !handedOver || at >= handedOver.at)),
    atStripe: atStripe !== null && until !== null ? { id: atStripe, until } : undefined,
    refunds,
    cancelled: carriedOut(acts, ledger, refunds),
    disputes,
    disputed: payments.some((payment) => isDisputed(payment, disputes, decisions)),
    corrections: row.forgottenAt === null ? correctionsOf(own) : {},
    paidAs: paidAt && paidAsOf(own, row, paidAt),
    handedOver,
    agreementBefore: lastOfKind(acts.slice(0, acts.length - own.length), 'consent'),
    namesBefore: row.namesBefore || undefined,
    notes: notesOf({ acts }),
    answers: readAnswers(row),
    addressAsked: to !== null && askedAt !== null ? { to, at: askedAt } : undefined,
    proofFailedAt: proofFailedOf(own),
    forgottenAt: row.forgottenAt ?? undefined,
  };
}

function othersOf(
  { row, others: { placesWanted, placed, begunLater, twin, twinPaidAt } }: Rows,
  { places = Number.POSITIVE_INFINITY }: Pick<Facts, 'places'>,
  isPaid: boolean,
): Pick<RegistrationRecord, 'addressHasPlace' | 'isNotReminded' | 'paidTwice'> {
  if (row.standing !== 'taken') {
    const isNotReminded = placesWanted >= places || placed !== null || begunLater !== null;
    return { addressHasPlace: placed !== null || undefined, isNotReminded: isNotReminded || undefined };
  }
  if (twin === null || !isPaid) return {};
  const [own, others] = [row.paidAt?.getTime() ?? 0, twinPaidAt?.getTime() ?? 0];
  return { paidTwice: { other: twin, isYounger: others < own || (others === own && twin < row.id) } };
}

function proofFailedOf(acts: readonly ActRow[]): Date | undefined {
  const wrong = acts.filter(({ kind }) => kind === 'proof-failed');
  const dayOf = (index: number) => wrong[index] && utcDay(wrong[index].happenedAt);
  const told = wrong.findLast((_, index) => dayOf(index) === dayOf(index + 1 - WRONG_PROOFS_TOLD));
  return told?.happenedAt;
}

const paymentOf = ({ payment }: { payment: string }, payments: readonly PaymentRow[]) =>
  payments.find(({ id }) => id === payment);

const paidBy = (payment?: PaymentRow): 'deposit' | 'balance' =>
  payment?.number === 0 ? 'deposit' : 'balance';

function refundIn(refund: RefundRow, payments: readonly PaymentRow[], { payouts }: Ledger): RefundOnRecord {
  const { madeAt: at, ordered } = refund;
  const orderedBy = payouts.find(({ id }) => id === ordered)?.orderedBy ?? ordered ?? undefined;
  return { ...refund, of: paidBy(paymentOf(refund, payments)), at, orderedBy };
}

/** What a cancellation that the worker has carried out gave back, by card and by check, and what became of that. */
function carriedOut(
  acts: readonly ActRow[],
  { payouts }: Ledger,
  refunds: readonly RefundOnRecord[],
): RegistrationRecord['cancelled'] {
  const done = lastOfKind(acts, 'cancelled');
  const cancel = lastAct(acts, 'cancel');
  if (!done || !cancel) return undefined;
  const ordered = payouts.filter(
    (one) => one.orderedBy === cancel.id && one.insteadOf === null && one.state !== 'withdrawn',
  );
  const sumOf = (way: PayoutRow['way']) =>
    ordered.reduce((sum, one) => sum + (one.way === way ? one.cents + one.feeCents : 0), 0);
  const ofCard = ordered.filter(({ way }) => way === 'card');
  const made = refunds.filter(({ orderedBy }) => orderedBy === cancel.id);
  // Of what goes back whole there may be two: what is worst of them is to be known.
  const refund = ofCard.some(({ state }) => state === 'failed')
    ? 'failed'
    : (['failed', 'pending', 'succeeded'] as const).find((status) =>
        made.some((one) => one.status === status),
      );
  return { ...done, cents: sumOf('card'), checkCents: sumOf('check'), refund };
}

function lastNotices(letters: readonly EndedLetter[]): Noticed[] {
  const notices = letters.flatMap(({ at, notice }) => (notice ? { at, ...notice } : []));
  return [...new Map(notices.map((one) => [one.number, one])).values()];
}

function disputeIn(dispute: DisputeRow, payments: readonly PaymentRow[]): DisputeOnRecord {
  const payment = paymentOf(dispute, payments);
  return {
    ...dispute,
    charge: payment?.charge ?? '',
    of: paidBy(payment),
    at: dispute.openedAt,
    isOver: OVER.includes(dispute.status),
    evidenceDue: dispute.evidenceUntil ?? undefined,
  };
}

/** The bank has decided, or she has withdrawn it. https://docs.stripe.com/api/disputes/object#dispute_object-status */
const OVER = ['won', 'lost', 'warning_closed', 'prevented'];

/** Those that the office has not marked as over block money, also before Stripe lists the dispute. */
function isDisputed(
  payment: Pick<PaymentRow, 'charge' | 'disputed'>,
  disputes: readonly DisputeOnRecord[],
  { disputeOver }: Pick<Decisions, 'disputeOver'>,
): boolean {
  if (payment.disputed !== 1) return false;
  if (!disputeOver?.charges.includes(payment.charge ?? '')) return true;
  return disputes.some(({ id, isOver }) => !isOver || !disputeOver.disputes.includes(id));
}
