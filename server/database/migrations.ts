import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { type ColumnTypes, statementsOf } from './columns.ts';
import { type Transaction, UnusableDatabaseError } from './engine.ts';
import { type Tables, tableNames, tables } from './schema.ts';

/** How many steps this release knows, which bring tables of an earlier one up to date: there is none before 3.0.0. */
const KNOWN = 0;

/** @throws {UnusableDatabaseError} when a later release has changed the tables, or the register was moved */
export async function migrate(transaction: Transaction, types: ColumnTypes): Promise<void> {
  const [makeRegister = '', ...others] = tableNames.flatMap((name) =>
    statementsOf(name, tables[name], rules[name] ?? [], types),
  );
  await sql.raw(makeRegister).execute(transaction);
  const { numInsertedOrUpdatedRows: isNew } = await transaction
    .insertInto('register')
    .values({ id: 1, name: randomUUID(), migration: KNOWN, compatibleFrom: 0, probedAt: new Date(0) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (isNew) for (const statement of [...others, ...indexes]) await sql.raw(statement).execute(transaction);
  const { migration, compatibleFrom, movedTo } = await transaction
    .selectFrom('register')
    .select(['migration', 'compatibleFrom', 'movedTo'])
    .executeTakeFirstOrThrow();
  if (movedTo !== null)
    throw new UnusableDatabaseError(`The register was moved to ${movedTo}: DATABASE_URL must name that one`);
  if (compatibleFrom > KNOWN)
    throw new UnusableDatabaseError(
      `A later release has changed the database (migration ${migration}): start that release again`,
    );
}

const LEDGER_ORDER = 'unique (registration, position)';

/** The sum of the payment stands beside it, so that no more than that goes back. */
const OF_PAYMENT = 'foreign key (payment, payment_cents) references payments (id, cents) on update cascade';

/** What holds for several columns of a row, and of which rows there is one only. */
export const rules: { readonly [Table in keyof Tables]?: readonly string[] } = {
  waitingEntries: ['unique (edition, address)'],
  acts: ['unique (subject, number)'],
  payments: ['unique (id, cents)', "check ((status = 'paid') = (paid_at is not null))"],
  attempts: ['unique (registration, number, try)'],
  refunds: [OF_PAYMENT, 'check (cents <= payment_cents)'],
  installments: [LEDGER_ORDER],
  entries: [
    LEDGER_ORDER,
    "check ((kind = 'reversal') = (reverses is not null))",
    "check (kind <> 'card' or number is not null)",
    "check (kind not in ('card', 'refund', 'dispute') or payment is not null)",
    "check (kind not in ('card', 'check', 'transfer') or cents >= 0)",
    "check (kind not in ('refund', 'payout') or cents + fee_cents <= 0)",
  ],
  payouts: [
    OF_PAYMENT,
    LEDGER_ORDER,
    "check ((way = 'card') = (payment is not null))",
    'check ((payment is null) = (payment_cents is null))',
    'check (cents + fee_cents <= payment_cents)',
    "check (state <> 'sent' or entry is not null)",
  ],
  transactions: ['check (net = amount - fee)', 'check ((payout is null) = (arrives_at is null))'],
  letters: ["check ((state = 'owed') = (ended_at is null))"],
};

/** Of several columns, or of some rows. */
export const indexes: readonly string[] = [
  'create index places_of_edition on registrations (edition, standing, held_until)',
  'create index registrations_at_address on registrations (address, edition)',
  'create index registration_index_of_edition on registration_index (edition, begun_at)',
  'create index registration_index_looked_at on registration_index (edition, looked_at)',
  'create index acts_of_kind on acts (kind, happened_at)',
  'create unique index open_attempts on attempts (registration, number) where ended_at is null',
  'create unique index installments_in_force on installments (registration, number) where replaced_by is null',
  "create unique index card_entries on entries (payment) where kind = 'card'",
  `create unique index live_payouts on payouts (ordered_by, payer, way, coalesce(payment, ''))
    where instead_of is null and state in ('ordered', 'claimed', 'sent')`,
  'create unique index letters_once on letters (subject, kind, version) where again = 0',
  // Not partial: SQLite does not know the values that a statement is given later.
  'create index letters_of_kind on letters (kind, version)',
  'create index owed_letters on letters (state, owed_at)',
];
