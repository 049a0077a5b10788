import { sql } from 'kysely';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import type {
  ActRow,
  AttemptRow,
  DisputeRow,
  PaymentRow,
  RefundRow,
  RegistrationRow,
} from '#server/database/schema.ts';
import { AppError, causeOf } from '#server/http/app-error.ts';
import { addressDigest } from '#server/mail/job.ts';
import { type EndedLetter, readEndedLetters } from '#server/mail/letter-log.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { HERSELF, hasKind, lastAct, readActs, unreadablePayment, utcDay } from './acts.ts';
import { payoutsOf } from './after-act.ts';
import { agreedTermsOf } from './agreed-terms.ts';
import { readAnswers } from './answers.ts';
import { type Bounced, readBounces } from './bounces.ts';
import { cardOnFileOf, chargedCardOf, type PaidCard } from './card-on-file.ts';
import { type DecisionKind, type Decisions, readDecisions, withSums } from './decisions.ts';
import { depositStandingOf } from './deposit.ts';
import type { Ledger } from './ledger.ts';
import { contextOf } from './ledger-of-acts.ts';
import { notesOf } from './notes.ts';
import {
  actsOfHolder,
  addressesOf,
  allOfKind,
  correctionsOf,
  lastOfKind,
  paidAsOf,
  type Register,
  WRONG_PROOFS_TOLD,
} from './on-record.ts';
import { readLedgers, triedNumbers } from './read-ledger.ts';
import { readReceived } from './received.ts';
import {
  type BalancePayment,
  type DisputeOnRecord,
  type Noticed,
  type PayoutOnRecord,
  type RefundOnRecord,
  type RegistrationRecord,
  refundStatuses,
} from './registration-record.ts';
import { depositIn, type Others, othersOf, registrantIn } from './registrations.ts';

/** A registration as it was read. */
export interface Reading {
  row: RegistrationRow;
  /** Absent where it cannot be read. */
  record?: RegistrationRecord | undefined;
  /** Why it cannot be read. */
  problem?: Problem | undefined;
}

interface Problem {
  why: string;
  /** Whether a person must look: not where nobody has paid, or somebody has looked. */
  needsPerson: boolean;
  /** Its edition is that of another release. */
  isOfOtherRelease?: true;
}

/**
 * Registrations by their ids, in that order. What cannot be read keeps nothing from others. It makes at most eight queries,
 * however many they are.
 */
export async function readRegistrations(
  transaction: Transaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Reading>> {
  const all = await readRows(transaction, ids);
  return new Map(all.map((rows) => [rows.row.id, readingOf(rows)]));
}

/**
 * A registration as it is on record; undefined when there is none, its edition is unknown here, or somebody has altered the
 * payment of its deposit.
 * @throws {AppError} when what is on record of it is not what this site writes
 */
export async function readRegistration(
  transaction: Transaction,
  id: string,
): Promise<RegistrationRecord | undefined> {
  const [rows] = await readRows(transaction, [id]);
  return rows && !problemOf(rows) ? recordOf(rows) : undefined;
}

/**
 * A registration as it is on record; undefined when there is none.
 * @throws {AppError} when what is on record of it is not what this site writes
 */
export async function findRegistration(
  register: Register,
  id: string,
): Promise<RegistrationRecord | undefined> {
  return register.database.read((transaction) => readRegistration(transaction, id));
}

/**
 * The registrations of all editions with an e-mail address, ignoring case, that are on record as paid.
 */
export async function findByAddress(
  { database }: Register,
  email: string,
  { alsoUnpaid = false } = {},
): Promise<RegistrationRecord[]> {
  const all = await database.read(async (transaction) => {
    const address = email.toLowerCase();
    const rows = await rowsWith(transaction, 'registrations', 'address', [address], 'begunAt');
    const wanted = rows.filter(({ paidAt }) => alsoUnpaid || paidAt !== null).toReversed();
    return readRegistrations(
      transaction,
      wanted.map(({ id }) => id),
    );
  });
  return [...all.values()].flatMap(({ record }) => record ?? []);
}

type RefundRead = Omit<RefundRow, 'paymentCents'>;

/** The rows of one registration. */
interface Rows {
  row: RegistrationRow;
  others: Others;
  /** All places of its edition are paid for, or wanted by people who wait. */
  isFull: boolean;
  /** The newest first. */
  payments: readonly PaymentRow[];
  /** The tries of its balance, in their order. */
  attempts: readonly AttemptRow[];
  /** Of all its payments, the oldest first. */
  refunds: readonly RefundRead[];
  disputes: readonly DisputeRow[];
  ledger: Ledger;
  /** In their order. */
  acts: readonly ActRow[];
  /** The letters that need nothing more, the oldest first. */
  endedLetters: readonly EndedLetter[];
  /** Of her e-mail address, and of the one that it was corrected from. */
  bounces: readonly Bounced[];
}

async function readRows(transaction: Transaction, ids: readonly string[]): Promise<Rows[]> {
  if (ids.length === 0) return [];
  const registrations = await rowsWithOthers(transaction, ids);
  if (registrations.length === 0) return [];
  const { payments, attempts } = await readPayments(transaction, ids);
  const touched = payments.filter(({ status, disputed }) => status === 'paid' || disputed === 1);
  const movedBack = await readMovedBack(
    transaction,
    touched.map(({ id }) => id),
  );
  const acts = await readActs(transaction, ...ids);
  const ledgers = await readLedgers(transaction, ids);
  const letters = await readEndedLetters(transaction, ids);
  const actsOf = ({ id }: RegistrationRow) => acts.filter(({ subject }) => subject === id);
  const addresses = registrations.flatMap((row) => addressesOf(row, actsOf(row)));
  const bounces = await readBounces(transaction, addresses);
  return ids.flatMap((id) => {
    const pairs = registrations.filter((one) => one.id === id);
    const [found] = pairs;
    if (!found) return [];
    const { takenPlaces, waitingPeople, other, saidToBeTwo, ...own } = found;
    const { otherStanding, otherPerson, otherBegunAt, otherPaidAt, ...row } = own;
    const { places } = findEdition(row.edition)?.facts ?? {};
    const paid = payments.filter(({ registration }) => registration === id);
    const isOwn = ({ payment }: { payment: string }) => paid.some((one) => one.id === payment);
    return {
      row,
      others: othersOf(pairs),
      isFull: places !== undefined && Number(takenPlaces) + Number(waitingPeople) >= places,
      payments: paid,
      attempts: attempts.filter(({ registration }) => registration === id),
      refunds: movedBack.refunds.filter(isOwn),
      disputes: movedBack.disputes.filter(isOwn),
      ledger: ledgers.get(id) ?? { registration: id, installments: [], entries: [], payouts: [] },
      acts: actsOf(row),
      endedLetters: letters.get(id) ?? [],
      bounces: addressesOf(row, actsOf(row)).flatMap((address) => bounces.get(address) ?? []),
    };
  });
}

/**
 * Beside others in the edition at the address, see `othersOf`; with the places of their editions that are taken or waited
 * for, where an edition has a number of them.
 */
function rowsWithOthers(transaction: Transaction, ids: readonly string[]) {
  const isLimited = editions.some(({ facts }) => facts.places !== undefined);
  return transaction
    .selectFrom('registrations as own')
    .leftJoin('registrations as other', (join) =>
      join
        .onRef('other.address', '=', 'own.address')
        .onRef('other.edition', '=', 'own.edition')
        .onRef('other.id', '!=', 'own.id')
        // Of people whose data were removed, name and address are empty.
        .on('own.address', '!=', ''),
    )
    .selectAll('own')
    .select(({ ref, selectFrom }) => [
      ref('other.id').as('other'),
      ref('other.standing').as('otherStanding'),
      ref('other.person').as('otherPerson'),
      ref('other.begunAt').as('otherBegunAt'),
      ref('other.paidAt').as('otherPaidAt'),
      selectFrom('acts')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('acts.kind', '=', 'twoPeople' satisfies DecisionKind)
        .where(({ eb, or }) =>
          or([eb('acts.subject', '=', eb.ref('own.id')), eb('acts.subject', '=', eb.ref('other.id'))]),
        )
        .as('saidToBeTwo'),
    ])
    .$if(isLimited, (query) =>
      query.select(({ selectFrom }) => [
        selectFrom('registrations')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .whereRef('edition', '=', 'own.edition')
          .where('standing', '=', 'taken')
          .as('takenPlaces'),
        selectFrom('waitingEntries')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .whereRef('edition', '=', 'own.edition')
          .where('confirmedAt', 'is not', null)
          .as('waitingPeople'),
      ]),
    )
    .where('own.id', 'in', ids)
    .orderBy('other.paidAt')
    .orderBy('other.id')
    .execute();
}

/** The payments of some registrations, the newest first, and the tries of cards for them, in their order. */
async function readPayments(
  transaction: Transaction,
  ids: readonly string[],
): Promise<Pick<Rows, 'payments' | 'attempts'>> {
  const rows = await transaction
    .selectFrom('payments')
    .leftJoin('attempts', (join) =>
      join
        .onRef('attempts.registration', '=', 'payments.registration')
        .onRef('attempts.payment', '=', 'payments.id'),
    )
    .selectAll('payments')
    .select(['attempts.id as attempt', 'attempts.number as tried', 'attempts.card as triedCard'])
    .select(['try', 'begunAt', 'endedAt', 'code', 'step', 'nextAt', 'final'])
    .where('payments.registration', 'in', ids)
    .orderBy('madeAt', 'desc')
    .orderBy('payments.id')
    .execute();
  const payments = new Map<string, PaymentRow>();
  const attempts: AttemptRow[] = [];
  for (const row of rows) {
    const {
      attempt,
      tried,
      triedCard,
      try: count,
      begunAt,
      endedAt,
      code,
      step,
      nextAt,
      final,
      ...payment
    } = row;
    payments.set(payment.id, payment);
    if (attempt === null || tried === null || triedCard === null) continue;
    if (count === null || begunAt === null || step === null || final === null) continue;
    const { id: of, registration } = payment;
    const about = { id: attempt, registration, payment: of, number: tried, card: triedCard, try: count };
    attempts.push({ ...about, begunAt, endedAt, code, step, nextAt, final });
  }
  return {
    payments: [...payments.values()],
    attempts: attempts.toSorted((one, other) => one.try - other.try),
  };
}

const NOTHING = sql<string | null>`cast(null as text)`;
const NOTHING_AT = sql<Date | null>`cast(null as text)`;

/** The refunds and disputes of some payments, the oldest first. */
async function readMovedBack(
  transaction: Transaction,
  payments: readonly string[],
): Promise<Pick<Rows, 'refunds' | 'disputes'>> {
  if (payments.length === 0) return { refunds: [], disputes: [] };
  const rows = await transaction
    .selectFrom('refunds')
    .select(['id', 'payment', 'cents', sql<string>`status`.as('status'), 'madeAt', 'ordered'])
    .select([NOTHING.as('reason'), NOTHING_AT.as('evidenceUntil')])
    .where('payment', 'in', payments)
    .unionAll((eb) =>
      eb
        .selectFrom('disputes')
        .select([
          'id',
          'payment',
          'cents',
          'status',
          'openedAt as madeAt',
          NOTHING.as('ordered'),
          'reason',
          'evidenceUntil',
        ])
        .where('payment', 'in', payments),
    )
    .orderBy('madeAt')
    .orderBy('id')
    .execute();
  return {
    refunds: rows.flatMap(({ reason, evidenceUntil: _, ...row }) => {
      const status = refundStatuses.find((one) => one === row.status);
      return reason === null && status ? [{ ...row, status }] : [];
    }),
    disputes: rows.flatMap(({ reason, ordered: _, madeAt: openedAt, ...row }) =>
      reason === null ? [] : [{ ...row, reason, openedAt }],
    ),
  };
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

/** @throws {AppError} when what is on record of it is not what this site writes */
function recordOf(rows: Rows): RegistrationRecord {
  const { row, others, acts, endedLetters } = rows;
  const deposit = depositIn(rows.payments);
  const edition = findEdition(row.edition);
  if (!edition) throw new Error(`${row.edition} is unknown here`);
  const { id } = row;
  const decisions = withSums(readDecisions(acts), acts, rows.ledger);
  const received = readReceived(acts, rows.ledger.entries);
  const agreed = agreedTermsOf(edition, acts);
  const isBlank = row.address === '';
  const { ledger } = rows;
  const context = contextOf({
    registration: id,
    begunAt: row.begunAt,
    acts,
    terms: agreed ?? edition.facts,
    trying: triedNumbers(rows.attempts, rows.payments),
  });
  const standing = depositStandingOf({ ledger, context, decisions, received, payment: deposit, isBlank });
  const isPaid = standing.deposit === 'paid';
  const balances = balancesInForce(rows.payments);
  const payments = [
    ...(deposit ? [{ of: 'deposit' as const, payment: deposit }] : []),
    ...balances.map((payment) => ({ of: 'balance' as const, payment })),
  ];
  const payouts = payoutsOf(rows.ledger, acts);
  const refunds = payments
    .flatMap(({ of, payment }) =>
      rows.refunds.flatMap((refund) =>
        refund.payment === payment.id ? [refundIn(refund, of, payouts)] : [],
      ),
    )
    .toSorted((one, other) => one.at.getTime() - other.at.getTime());
  const disputes = payments
    .flatMap(({ of, payment }) => disputesOf(rows.disputes, payment, of))
    .toSorted((one, other) => one.at.getTime() - other.at.getTime());
  const handedOver = lastOfKind(acts, 'handed-over');
  const own = actsOfHolder(acts);
  const { askedAddress: to, askedAt } = row;
  const notices = lastNotices(endedLetters.filter(({ at }) => !handedOver || at >= handedOver.at));
  const bounced = rows.bounces.find((one) => one.to === addressDigest(row.email));
  const { paidAt } = standing;
  return {
    id,
    edition,
    offer: row.waiting ?? undefined,
    begunAt: row.begunAt,
    submittedAt: row.submittedAt ?? undefined,
    source: row.source,
    letterWaits: row.letterWaits === 1,
    addressHasPlace: others.addressHasPlace,
    isNotReminded: (row.standing !== 'taken' && (rows.isFull || others.isOvertaken)) || undefined,
    registrant: registrantIn(row),
    ...standing,
    depositPayment: deposit && {
      id: deposit.id,
      status: deposit.status,
      cents: deposit.cents,
      paidAt: deposit.paidAt,
    },
    isProcessing: rows.payments.some(({ status }) => status === 'processing') || undefined,
    paidTwice: isPaid && !decisions.cancel ? others.paidTwice : undefined,
    agreement: lastOfKind(own, 'consent'),
    agreed,
    decisions,
    received,
    endedLetters,
    customerId: row.customer ?? undefined,
    linksEpoch: row.linksEpoch,
    card: cardOnFileOf(acts, deposit, standing.deposit),
    givenCard: lastOfKind(
      own.filter(({ byWhom }) => byWhom === HERSELF),
      'card',
    ),
    depositCard: deposit && paidCardOf(deposit),
    postalCode: (!handedOver && deposit?.postalCode) || undefined,
    bounced,
    bouncedBefore: rows.bounces.find((one) => one !== bounced),
    balances: balances.map(readBalance),
    attempts: rows.attempts,
    notices,
    payingBegunAt: row.payingBegunAt ?? undefined,
    refunds,
    cancelled: carriedOut(acts, payouts, refunds),
    acts,
    ledger: rows.ledger,
    context,
    payouts,
    disputes,
    disputed: payments.some(({ payment }) => isDisputed(payment, disputes, decisions)),
    corrections: row.forgottenAt === null ? correctionsOf(own) : {},
    paidAs: paidAt && paidAsOf(own, row, paidAt),
    handedOver,
    agreementBefore: lastOfKind(acts.slice(0, acts.length - own.length), 'consent'),
    namesBefore: row.namesBefore || undefined,
    officeLinks: allOfKind(own, 'office-link'),
    notes: notesOf({ acts }),
    answers: readAnswers(row),
    addressAsked: to !== null && askedAt !== null ? { to, at: askedAt } : undefined,
    proofFailedAt: proofFailedOf(own),
    forgottenAt: row.forgottenAt ?? undefined,
  };
}

function proofFailedOf(acts: readonly ActRow[]): Date | undefined {
  const wrong = acts.filter(({ kind }) => kind === 'proof-failed');
  const dayOf = (index: number) => wrong[index] && utcDay(wrong[index].happenedAt);
  const told = wrong.findLast((_, index) => dayOf(index) === dayOf(index + 1 - WRONG_PROOFS_TOLD));
  return told?.happenedAt;
}

function paidCardOf(payment: PaymentRow): PaidCard | undefined {
  const card = chargedCardOf(payment);
  return card && { brand: card.brand, last4: card.last4 };
}

function refundIn(
  { id, payment, cents, status, madeAt: at, ordered }: RefundRead,
  of: RefundOnRecord['of'],
  payouts: readonly PayoutOnRecord[],
): RefundOnRecord {
  const orderedBy = payouts.find((payout) => payout.id === ordered)?.orderedBy;
  return { id, of, payment, cents, status, at, orderedBy: orderedBy ?? ordered ?? undefined };
}

/** What a cancellation that the worker has carried out gave back, by card and by check, and what became of that. */
function carriedOut(
  acts: readonly ActRow[],
  payouts: readonly PayoutOnRecord[],
  refunds: readonly RefundOnRecord[],
): RegistrationRecord['cancelled'] {
  const done = lastOfKind(acts, 'cancelled');
  const cancel = lastAct(acts, 'cancel');
  if (!done || !cancel) return undefined;
  const ordered = payouts.filter(
    (one) => one.orderedBy === cancel.id && one.insteadOf === null && one.state !== 'withdrawn',
  );
  const sumOf = (way: PayoutOnRecord['way']) =>
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

/**
 * Of the balance, and of each part of it, the payments that count: those that are paid, and the newest one that was not
 * cancelled, since another open one beside it must not be charged; or else the newest one.
 */
function balancesInForce(payments: readonly PaymentRow[]): readonly PaymentRow[] {
  const numbers = new Set(payments.map(({ number }) => number ?? 0).filter((number) => number > 0));
  return [...numbers].flatMap((number) => {
    const own = payments.filter((payment) => payment.number === number);
    const paid = own.filter(({ status }) => status === 'paid');
    const open = own.find(({ status }) => status === 'open' || status === 'processing');
    const inForce = [...paid, ...(open ? [open] : [])];
    return inForce.length > 0 ? inForce : own.slice(0, 1);
  });
}

/** @throws {AppError} when this site did not write its metadata, or it was paid with another amount */
function readBalance(payment: PaymentRow): BalancePayment {
  const { id, number, status, asMade, cents, paidAt, beforeFeeCents } = payment;
  if (number === null || beforeFeeCents === null)
    throw unreadablePayment(`${id} has metadata of a balance that cannot be read`);
  if (status === 'paid' && asMade === 0)
    throw unreadablePayment(`${id} is a balance that was paid with another amount than this site asked for`);
  return {
    id,
    number,
    status: status === 'paid' || status === 'cancelled' ? status : 'open',
    cents,
    beforeFeeCents,
    paidAt: paidAt ?? undefined,
    paidWith: paidCardOf(payment),
  };
}

function disputesOf(
  rows: readonly DisputeRow[],
  payment: PaymentRow | undefined,
  of: DisputeOnRecord['of'],
): DisputeOnRecord[] {
  const own = rows.filter((row) => row.payment === payment?.id);
  return own.map(({ id, cents, openedAt: at, reason, status, evidenceUntil }) => ({
    id,
    charge: payment?.charge ?? '',
    of,
    cents,
    at,
    reason,
    status,
    isOver: OVER.includes(status),
    evidenceDue: evidenceUntil ?? undefined,
  }));
}

/** The bank has decided, or she has withdrawn it. https://docs.stripe.com/api/disputes/object#dispute_object-status */
const OVER = ['won', 'lost', 'warning_closed', 'prevented'];

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
