import { sql } from 'kysely';
import {
  type ActRow,
  type AttemptRow,
  type DisputeRow,
  type PaymentRow,
  type RefundRow,
  type RegistrationRow,
  rowsOfEach,
  type Transaction,
} from '#server/database/database.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { BalanceTerms, Edition } from '#shared/content/edition.ts';
import type { DecisionKind } from './act-kinds.ts';
import {
  type ActFacts,
  type Agreement,
  type Answer,
  addressesOf,
  type Corrections,
  type Note,
  type paidAsOf,
  type ReceivedOnRecord,
  readActs,
} from './acts.ts';
import type { CardOnFile, PaidCard } from './cards.ts';
import type { Decisions } from './decisions.ts';
import { type Bounced, type EndedLetter, readBounces, readEndedLetters } from './her-letters.ts';
import type { LedgerContext } from './installments.ts';
import type { Ledger } from './ledger.ts';
import type { Registrant } from './registrations.ts';

export interface DepositStanding {
  deposit: 'unpaid' | 'paid' | 'closed';
  /** US cents that were received. */
  depositCents: number;
  /** What the deposit is without a card fee, in US cents; absent once a card paid it. */
  depositDueCents?: number | undefined;
  paidAt?: Date | undefined;
}

/** What the register and Stripe have on record of a registration. Its state, and what is due, is derived from this alone. */
export interface RegistrationRecord extends DepositStanding {
  id: string;
  version: number;
  edition: Edition;
  begunAt: Date;
  /** When she last submitted a step after that. */
  submittedAt?: Date | undefined;
  source: RegistrationRow['source'];
  /** Before she pays, no letter goes to her present address: there were too many to such addresses. */
  letterWaits: boolean;
  /** Her address has a place in the edition, under another name or by a repeated registration. */
  addressHasPlace?: true | undefined;
  /** Nobody reminds her: the address has a place, or has begun to register again since; or the edition is full. */
  isNotReminded?: true | undefined;
  registrant: Registrant;
  /** The payment of the deposit by card; absent until one is made. */
  depositPayment?: Pick<PaymentRow, 'id' | 'status' | 'cents' | 'paidAt'> | undefined;
  /** Of the card that paid the deposit, unless somebody else has the place since. */
  postalCode?: string | undefined;
  isProcessing?: true | undefined;
  /** The Checkout session or the payment that she may have open at Stripe, and for how long that counts. */
  atStripe?: { id: string; until: Date } | undefined;
  /** The office has not said yet whether one person has paid for two places. */
  paidTwice?: PaidTwice | undefined;
  agreement?: Agreement | undefined;
  agreed?: BalanceTerms | undefined;
  decisions: Decisions;
  received: ReceivedOnRecord;
  endedLetters: readonly EndedLetter[];
  customerId?: string | undefined;
  linksEpoch: number;
  card?: CardOnFile | undefined;
  /** The last one that she gave herself, which her bank may have renewed since. */
  givenCard?: CardOnFile | undefined;
  depositCard?: PaidCard | undefined;
  balances: readonly BalancePayment[];
  attempts: readonly Omit<AttemptRow, 'registration'>[];
  /** Of each installment, the last notice of its charge that a mail server accepted. */
  notices: readonly Noticed[];
  bounced?: Bounced | undefined;
  bouncedBefore?: Bounced | undefined;
  acts: readonly ActRow[];
  ledger: Ledger;
  context: LedgerContext;
  /** Refunds to her card, also pending and failed ones, the oldest first; in the same second, those of the deposit. */
  refunds: readonly RefundOnRecord[];
  /** The worker has carried out the cancellation: what goes back by card and by check, in US cents, and its result. */
  cancelled?:
    | { at: Date; cents: number; checkCents: number; refund?: RefundRow['status'] | undefined }
    | undefined;
  disputes: readonly DisputeOnRecord[];
  disputed: boolean;
  corrections: Corrections;
  /** Her name and address when she paid the deposit, or got the place, see `isHandedOver`; absent before. */
  paidAs?: ReturnType<typeof paidAsOf> | undefined;
  handedOver?: ActFacts<'handed-over'> | undefined;
  agreementBefore?: Agreement | undefined;
  /** The names of all who had it before, the last one first; absent once they are forgotten. */
  namesBefore?: string | undefined;
  notes: readonly Note[];
  answers: readonly Answer[];
  addressAsked?: { to: string; at: Date } | undefined;
  /** When the last day of so many wrong proofs on her page that she is told had the one that she is told of. */
  proofFailedAt?: Date | undefined;
  forgottenAt?: Date | undefined;
}

interface PaidTwice {
  /** The other place: the older one, if there is one. */
  other: string;
  isYounger: boolean;
}

export type Whose = Pick<RegistrationRecord, 'id'>;

export interface RefundOnRecord extends Pick<RefundRow, 'id' | 'payment' | 'cents' | 'status'> {
  of: 'deposit' | 'balance';
  at: Date;
  /** The act or the entry that ordered it, see `PayoutRow`; absent for a refund made at Stripe's dashboard. */
  orderedBy?: string | undefined;
}

export interface BalancePayment {
  id: string;
  number: number;
  status: 'open' | 'cancelled' | 'paid';
  cents: number;
  beforeFeeCents: number;
  paidAt?: Date | undefined;
  paidWith?: PaidCard | undefined;
}

/** A letter that announced the charge of an installment, and when the mail server accepted it. */
export type Noticed = Pick<EndedLetter, 'at'> & NonNullable<EndedLetter['notice']>;

export interface DisputeOnRecord extends Pick<DisputeRow, 'id' | 'cents' | 'reason' | 'status'> {
  charge: string;
  of: 'deposit' | 'balance';
  at: Date;
  isOver: boolean;
  evidenceDue?: Date | undefined;
}

export interface MoneyRows {
  ledger: Ledger;
  payments: readonly PaymentRow[];
  attempts: readonly AttemptRow[];
  trying: readonly number[];
  refunds: readonly RefundRow[];
  disputes: readonly DisputeRow[];
}

export interface Rows extends MoneyRows {
  row: RegistrationRow;
  others: Others;
  acts: readonly ActRow[];
  endedLetters: readonly EndedLetter[];
  /** Of her e-mail address, and of the one that it was corrected from. */
  bounces: readonly Bounced[];
}

interface Others {
  placesWanted: number;
  placed: string | null;
  begunLater: string | null;
  /** The oldest place under her name and address, unless the office has said that these are two people. */
  twin: string | null;
  twinPaidAt: Date | null;
}

/** The rows of some registrations, by seven queries, however many they are. */
export async function readRows(transaction: Transaction, ids: readonly string[]): Promise<readonly Rows[]> {
  if (ids.length === 0) return [];
  const found = await readWithOthers(transaction, ids);
  if (found.length === 0) return [];
  const moneyOf = await readMoney(transaction, ids);
  const acts = await readActs(transaction, ...ids);
  const letters = await readEndedLetters(transaction, ids);
  const own = found.map(({ placesWanted, placed, begunLater, twin, twinPaidAt, ...row }) => ({
    row,
    others: { placesWanted: Number(placesWanted), placed, begunLater, twin, twinPaidAt },
    acts: acts.filter(({ subject }) => subject === row.id),
  }));
  const addresses = own.map((one) => addressesOf(one.row, one.acts));
  const bounces = await readBounces(transaction, addresses.flat());
  const all = own.map((one, index) => ({
    ...one,
    ...moneyOf(one.row.id),
    endedLetters: letters.get(one.row.id) ?? [],
    bounces: addresses[index]?.flatMap((address) => bounces.get(address) ?? []) ?? [],
  }));
  return ids.flatMap((id) => all.find(({ row }) => row.id === id) ?? []);
}

/** Of people whose data were removed, name and address are empty. */
const AT_HER_ADDRESS = sql`from registrations as other where other.edition = own.edition
  and other.address = own.address and other.id <> own.id and own.address <> ''`;

const SAID_TO_BE_TWO = sql`exists (select 1 from acts where kind = ${'twoPeople' satisfies DecisionKind}
  and subject in (own.id, other.id))`;

const PLACES_WANTED = sql`(select count(*) from registrations where edition = own.edition and standing = 'taken')
  + (select count(*) from waiting_entries where edition = own.edition and confirmed_at is not null)`;

async function readWithOthers(transaction: Transaction, ids: readonly string[]) {
  const areLimited = editions.some(({ facts }) => facts.places !== undefined);
  const query = sql<RegistrationRow & Others>`select own.*,
    ${areLimited ? PLACES_WANTED : sql`0`} as places_wanted,
    (select other.id ${AT_HER_ADDRESS} and other.standing = 'taken' limit 1) as placed,
    (select other.id ${AT_HER_ADDRESS} and other.begun_at > own.begun_at limit 1) as begun_later,
    twin.id as twin, twin.paid_at as twin_paid_at
    from registrations as own left join registrations as twin on twin.id = (
      select other.id ${AT_HER_ADDRESS} and other.standing = 'taken' and other.person = own.person
      and not ${SAID_TO_BE_TWO} order by other.paid_at, other.id limit 1)
    where own.id in (${sql.join(ids)})`;
  return (await query.execute(transaction)).rows;
}

/** The money of some registrations, by two queries; it tells that of one. */
export async function readMoney(
  transaction: Transaction,
  ids: readonly string[],
): Promise<(id: string) => MoneyRows> {
  const tables = ['payments', 'attempts', 'installments', 'entries', 'payouts'] as const;
  const rowsOf = await rowsOfEach(transaction, tables, 'registration', ids);
  const [payments, attempts] = [rowsOf('payments'), rowsOf('attempts')];
  const [installments, entries, payouts] = [rowsOf('installments'), rowsOf('entries'), rowsOf('payouts')];
  const moved = payments.filter(({ status, disputed }) => status === 'paid' || disputed === 1);
  const of = moved.map(({ id }) => id);
  const backOf = await rowsOfEach(transaction, ['refunds', 'disputes'], 'payment', of);
  const [refunds, disputes] = [backOf('refunds'), backOf('disputes')];
  return (registration) => {
    const own = <Row extends { registration: string }>(rows: readonly Row[], order: (row: Row) => Order) =>
      inOrder(
        rows.filter((row) => row.registration === registration),
        order,
      );
    const hers = own(payments, ({ madeAt }) => 0 - +madeAt);
    const isHers = ({ payment }: { payment: string }) => hers.some(({ id }) => id === payment);
    const tried = own(attempts, (attempt) => attempt.try);
    return {
      ledger: {
        registration,
        installments: own(installments, ({ position }) => position),
        entries: own(entries, ({ position }) => position),
        payouts: own(payouts, ({ position }) => position),
      },
      payments: hers,
      attempts: tried,
      trying: tried.filter((one) => one.endedAt === null && !isEnded(hers, one)).map(({ number }) => number),
      refunds: inOrder(refunds.filter(isHers), ({ madeAt }) => madeAt),
      disputes: inOrder(disputes.filter(isHers), ({ openedAt }) => openedAt),
    };
  };
}

/** A worker that was killed may never record the result of a try: its payment tells it. */
function isEnded(payments: readonly PaymentRow[], { payment }: AttemptRow): boolean {
  return payments.some(({ id, status }) => id === payment && (status === 'paid' || status === 'cancelled'));
}

type Order = Date | number;

function inOrder<Row>(rows: readonly Row[], order: (row: Row) => Order): readonly Row[] {
  return rows.toSorted((one, other) => +order(one) - +order(other));
}
