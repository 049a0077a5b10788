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
import type { DecisionKind } from './act-kinds.ts';
import { addressesOf, readActs } from './acts.ts';
import { type Bounced, type EndedLetter, readBounces, readEndedLetters } from './bounces.ts';
import type { Ledger } from './ledger.ts';

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
  /** How many have a place or wait for one, where an edition has a number of places. */
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
