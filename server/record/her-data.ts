import { sql } from 'kysely';
import * as v from 'valibot';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import { type Moment, type RegistrationRow, TABLE_KEYS, type Tables } from '#server/database/schema.ts';
import { formatCents } from '#shared/money.ts';
import { CONTACT_FIELDS } from '#shared/registration.ts';
import { readActs } from './acts.ts';
import { addressKey } from './bounces.ts';
import { ACTS, addressesOf, type Register } from './on-record.ts';
import { comparableName, findRow } from './registrations.ts';

interface Keys {
  registrations: readonly string[];
  deposits: readonly string[];
  payments: readonly string[];
  /** The keys of her e-mail addresses. */
  addresses: readonly string[];
  waitingEntries: readonly string[];
  /** What acts and letters are about. */
  subjects: readonly string[];
}

interface Holding {
  /** Since when each place that was handed over to her is hers, by its deposit. */
  since: ReadonlyMap<string, Moment>;
  /** Her e-mail addresses, in lower case. */
  emails: readonly string[];
}

type Table = keyof Tables;

/** Which rows of each table are about her: its heading, and the column in which it names her. Or why none are. */
const TABLES = {
  register: 'It says what this database is.',
  registrations: { heading: 'The registration', column: 'id', names: 'registrations' },
  registrationIndex: { heading: 'Its line in the office’s list', column: 'deposit', names: 'deposits' },
  addresses: { heading: 'Whether letters reach the address', column: 'digest', names: 'addresses' },
  waitingEntries: { heading: 'On the waiting list', column: 'id', names: 'waitingEntries' },
  acts: { heading: 'What was agreed, decided and noted', column: 'subject', names: 'subjects' },
  dues: { heading: 'What is to be paid after the deposit', column: 'registration', names: 'deposits' },
  payments: { heading: 'Payments', column: 'registration', names: 'deposits' },
  attempts: { heading: 'Tries to charge the card', column: 'registration', names: 'deposits' },
  refunds: { heading: 'Refunds', column: 'payment', names: 'payments' },
  disputes: { heading: 'Disputes', column: 'payment', names: 'payments' },
  letters: { heading: 'Letters, also to the office', column: 'subject', names: 'subjects' },
  stripeEvents: 'It says which events of Stripe were taken.',
} as const satisfies {
  [T in Table]: string | { heading: string; column: keyof Tables[T]; names: keyof Keys };
};

/** The columns that hold JSON. */
const JSON_COLUMNS: readonly string[] = [
  'registrations.answers',
  'registrationIndex.days',
  'addresses.bounced',
  'acts.facts',
  'payments.card',
  'letters.notice',
];

const OF_ANOTHER = 'of somebody else, who had the place before her or is to get it';

const jsonSchema = v.pipe(v.string(), v.parseJson());

/** What is left out, and why. All else is in the export, also what a later release adds. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'registrations.id': 'made from the secret key of the browser',
  'registrations.secretDigest': 'made from the secret of the payment',
  'registrations.begunWith': 'a digest of the details, which are here',
  'registrations.lettersTo': 'digests of the addresses to which letters go, which are here',
  'registrations.namesBefore': OF_ANOTHER,
  ...Object.fromEntries(CONTACT_FIELDS.map((field) => [`acts.facts.${field}`, OF_ANOTHER])),
  'addresses.digest': 'a digest of the address, which is here',
  'addresses.bounced.to': 'a digest of the address, which is here',
  'letters.notice.to': 'a digest of the address, which is here',
  'letters.told': 'a digest of the details, which are here',
};

const ELSEWHERE = [
  'Stripe, which carries out the payments, keeps the card, its billing details and the receipts: https://stripe.com/privacy',
  'Letters are kept by the mailbox that got them, and by the mail provider as long as it keeps them.',
] as const;

type Row = Readonly<Record<string, unknown>>;

/** All that the register keeps about a person. */
export interface HerData {
  at: Date;
  /** Her rows by their tables, without the tables that have none. */
  tables: Readonly<Partial<Record<Table, readonly Row[]>>>;
  leftOut: Readonly<Record<string, string>>;
  elsewhere: typeof ELSEWHERE;
}

/**
 * All that the register keeps about a registrant: each row of each table that is about her, of this registration and of
 * others of hers. The same name at the same address is the same person, unless she said that it is somebody else. Nothing
 * of who had a place before it was handed over to her.
 * @param deposit the deposit of one of her registrations
 * @returns undefined if there is none
 * @see https://eur-lex.europa.eu/eli/reg/2016/679/oj Article 15
 */
export async function exportOf(
  { database }: Register,
  deposit: string,
  at: Date,
): Promise<HerData | undefined> {
  return database.read(async (transaction) => {
    const registrations = await registrationsOf(transaction, deposit);
    const names = await keysOf(transaction, registrations);
    if (!names) return undefined;
    const holding = await holdingOf(transaction, registrations);
    const tables: Partial<Record<Table, Row[]>> = {};
    for (const table of tableNames) {
      const rows = (await rowsOf(transaction, table, names)).flatMap((row) => hersOf(table, row, holding));
      if (rows.length > 0) tables[table] = rows.map((row) => shown(row, table));
    }
    return { at, tables, leftOut: LEFT_OUT, elsewhere: ELSEWHERE };
  });
}

const tableNames = Object.keys(TABLE_KEYS).filter((name): name is Table => name in TABLE_KEYS);

async function rowsOf(transaction: Transaction, table: Table, names: Keys): Promise<readonly Row[]> {
  const how = TABLES[table];
  if (typeof how === 'string' || names[how.names].length === 0) return [];
  const wanted = sql.join(names[how.names]);
  const query = sql<Row>`select * from ${sql.table(table)} where ${sql.ref(how.column)} in (${wanted})
    order by ${sql.ref(how.column)}, ${sql.ref(TABLE_KEYS[table])}`;
  return (await query.execute(transaction)).rows;
}

async function holdingOf(
  transaction: Transaction,
  registrations: readonly RegistrationRow[],
): Promise<Holding> {
  const acts = await readActs(transaction, ...registrations.flatMap(({ deposit }) => deposit ?? []));
  const handed = acts.filter(({ kind }) => kind === ACTS.handedOver);
  return {
    since: new Map(handed.map(({ subject, at }) => [subject, at])),
    emails: registrations.flatMap((row) => addressesOf(row, acts)),
  };
}

/** A row of a registration as far as it is hers: nothing from before the place was, and no letter to somebody else. */
function hersOf(table: Table, row: Row, { since, emails }: Holding): Row[] {
  const from = since.get(String(row.subject ?? row.registration));
  if (from === undefined) return [row];
  const isBefore = (column: string) => String(row[column] ?? '') < from;
  if (table === 'letters') {
    const isToAnother = row.address !== '' && !emails.includes(String(row.address).toLowerCase());
    return isToAnother || isBefore('owedAt') ? [] : [row];
  }
  if (table === 'payments') return [isBefore('paidAt') ? { ...row, card: null } : row];
  const isOthers = (table === 'acts' && isBefore('at')) || (table === 'attempts' && isBefore('begunAt'));
  return isOthers ? [] : [row];
}

async function keysOf(
  transaction: Transaction,
  registrations: readonly RegistrationRow[],
): Promise<Keys | undefined> {
  const [own] = registrations;
  if (!own) return undefined;
  const deposits = registrations.flatMap((row) => row.deposit ?? []);
  const payments = await rowsWith(transaction, 'payments', 'registration', deposits);
  const acts = await readActs(transaction, ...deposits);
  const addresses = registrations.flatMap((row) => addressesOf(row, acts)).filter((one) => one !== '');
  const offered = registrations.flatMap((row) => row.waiting ?? []);
  const waiting = await transaction
    .selectFrom('waitingEntries')
    .selectAll()
    .where(({ eb, or }) =>
      or([
        eb('took', 'in', deposits),
        eb('deposit', 'in', deposits),
        ...(own.somebodyElse === 1 ? [] : [eb('address', '=', own.address)]),
        ...(offered.length > 0 ? [eb('id', 'in', offered)] : []),
      ]),
    )
    .execute();
  // Somebody else may have her address, and who registered somebody else her name, too.
  const hers = waiting.filter((one) => one.address !== own.address || comparableName(one) === own.person);
  const waitingEntries = hers.map(({ id }) => id);
  return {
    registrations: registrations.map(({ id }) => id),
    deposits,
    payments: payments.map(({ id }) => id),
    addresses: addresses.map(addressKey),
    waitingEntries,
    subjects: [...deposits, ...waitingEntries],
  };
}

/** The registration with a deposit first, then the others of the same person. */
async function registrationsOf(transaction: Transaction, deposit: string): Promise<RegistrationRow[]> {
  const own = await findRow(transaction, deposit);
  if (!own || own.address === '' || own.somebodyElse === 1) return own ? [own] : [];
  const atAddress = await rowsWith(transaction, 'registrations', 'address', [own.address], 'begunAt');
  const others = atAddress.filter(
    ({ id, person, somebodyElse }) => id !== own.id && person === own.person && somebodyElse === 0,
  );
  return [own, ...others];
}

function shown(row: Row, path: string): Row {
  const kept = Object.entries(row).filter(([column]) => !(`${path}.${column}` in LEFT_OUT));
  return Object.fromEntries(
    kept.map(([column, value]) => {
      const at = `${path}.${column}`;
      const json = v.safeParse(jsonSchema, JSON_COLUMNS.includes(at) ? value : undefined);
      const read = json.success ? json.output : value;
      if (areRows(read)) return [column, read.map((one) => shown(one, at))];
      return [column, isRow(read) ? shown(read, at) : read];
    }),
  );
}

function areRows(value: unknown): value is readonly Row[] {
  return Array.isArray(value) && value.every(isRow);
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same as text for a reader: a heading for each table, and a line for each field that says something. */
export function herDataText({ at, tables, leftOut, elsewhere }: HerData): string {
  const sections = tableNames.flatMap((table) => {
    const [how, rows] = [TABLES[table], tables[table]];
    if (typeof how === 'string' || !rows) return [];
    return [[how.heading.toUpperCase(), ...rows.map((row) => linesOf(row).join('\n'))].join('\n\n')];
  });
  return [
    `All that is kept about one person, as it stands on ${at.toISOString()}. Moments are in UTC.`,
    ...sections,
    ['LEFT OUT', '', ...Object.entries(leftOut).map(([field, why]) => `${field}: ${why}`)].join('\n'),
    ['KEPT ELSEWHERE', '', ...elsewhere].join('\n'),
  ].join('\n\n\n');
}

function linesOf(row: Row): string[] {
  return Object.entries(row).flatMap(([field, value]) => {
    if (value === null || value === '') return [];
    if (areRows(value)) return value.flatMap(linesOf);
    if (isRow(value)) return linesOf(value);
    const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    const label = `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`.replace(/ cents$/, '');
    const isMoney = /cents$/i.test(field) && typeof value === 'number';
    if (isMoney) return [`${label === 'Cents' ? 'Sum' : label}: ${formatCents(value)}`];
    return [`${label}: ${typeof value === 'object' ? JSON.stringify(value) : String(value).trim()}`];
  });
}
