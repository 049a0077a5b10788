import { randomUUID } from 'node:crypto';
import { type Engine, execute, type Transaction, UnusableDatabaseError } from './engine.ts';

/** One step from an empty database to the tables of `schema.ts`. A step that has been released is never changed. */
export interface Migration {
  /**
   * Whether releases that do not know this step may go on running on the tables after it. Steps only add, so
   * most of them may.
   */
  isCompatible: boolean;
  statements(momentType: string): readonly string[];
}

export const migrations: readonly Migration[] = [
  {
    isCompatible: false,
    statements: (moment) => [
      `create table marks (
        id text primary key,
        made_at ${moment} not null
      )`,
      `create table registrations (
        id text primary key,
        edition text not null,
        begun_at ${moment} not null,
        submitted_at ${moment},
        first_name text not null,
        last_name text not null,
        email text not null,
        phone_number text not null,
        time_zone text not null,
        answers text not null,
        person text not null,
        address text not null,
        search_text text not null,
        sort_name ${moment} not null,
        names_before text not null,
        letter_waits integer not null,
        begun_with text not null,
        waiting text,
        source text not null check (source in ('page', 'office')),
        customer text,
        customer_asked_at ${moment},
        secret_digest text,
        standing text not null check (standing in ('open', 'closing', 'taken', 'free')),
        held_until ${moment} not null,
        held_by text,
        held_network text,
        paid_at ${moment},
        agreed_at ${moment},
        version bigint not null,
        links_epoch integer not null,
        asked_address text,
        asked_at ${moment},
        paying_begun_at ${moment},
        forgotten_at ${moment},
        next_at ${moment}
      )`,
      'create index places_of_edition on registrations (edition, standing, held_until)',
      'create index registrations_at_address on registrations (address, edition)',
      'create index registrations_changed on registrations (version)',
      'create index registrations_due on registrations (next_at)',
      `create table registration_index (
        registration text primary key,
        edition text not null,
        version bigint not null,
        looked_at ${moment} not null,
        valid_until ${moment},
        state text,
        overdue text,
        attention text,
        needs text not null,
        groups text not null,
        begun_at ${moment} not null,
        paid_at ${moment},
        balance_paid_at ${moment},
        due_at ${moment},
        cancelled_at ${moment},
        deposit_cents integer not null,
        card_cents integer not null,
        check_cents integer not null,
        in_cents integer not null,
        back_cents integer not null,
        to_pay_cents integer not null,
        waived_cents integer not null,
        to_send_cents integer not null,
        disputed integer not null,
        days text not null
      )`,
      `create table addresses (
        digest text primary key,
        bounced text not null
      )`,
      `create table waiting_entries (
        id text primary key,
        edition text not null,
        address text not null,
        joined_at ${moment} not null,
        asked_at ${moment} not null,
        confirmed_at ${moment},
        first_name text not null,
        last_name text not null,
        email text not null,
        phone_number text not null,
        time_zone text not null,
        offered_at ${moment},
        offered_until ${moment},
        offered_by text,
        begun text,
        took text,
        unique (edition, address)
      )`,
      `create table acts (
        id text primary key,
        subject text not null,
        number integer not null,
        kind text not null,
        happened_at ${moment} not null,
        by_whom text not null,
        facts text not null,
        undoes text references acts (id),
        unique (subject, number)
      )`,
      `create table dues (
        id text primary key,
        registration text not null,
        name text not null check (name in ('balance')),
        agreed_in text not null references acts (id),
        before_fee_cents integer not null,
        card_fee_per_mille double precision not null,
        charge_at ${moment} not null,
        late_days integer not null,
        refunds_end_at ${moment} not null,
        fee_refundable integer not null
      )`,
      'create index dues_of_registration on dues (registration)',
      `create table payments (
        id text primary key,
        registration text not null,
        name text not null,
        edition text not null,
        status text not null check (status in ('open', 'processing', 'cancelled', 'paid')),
        as_made integer not null,
        cents integer not null,
        made_at ${moment} not null,
        paid_at ${moment},
        charge text,
        disputed integer not null,
        card text,
        postal_code text,
        before_fee_cents integer,
        part integer not null,
        recorded_at ${moment} not null,
        version bigint not null
      )`,
      'create index payments_of_registration on payments (registration)',
      'create index payments_changed on payments (version)',
      `create table attempts (
        id text primary key,
        registration text not null,
        part integer not null,
        number integer not null,
        payment text not null,
        card text not null,
        begun_at ${moment} not null,
        ended_at ${moment},
        code text,
        step integer not null,
        next_at ${moment},
        final integer not null,
        unique (registration, part, number)
      )`,
      `create table refunds (
        id text primary key,
        payment text not null references payments (id),
        cents integer not null,
        status text not null check (status in ('pending', 'succeeded', 'failed')),
        made_at ${moment} not null,
        ordered text
      )`,
      'create index refunds_of_payment on refunds (payment)',
      `create table disputes (
        id text primary key,
        payment text not null references payments (id),
        cents integer not null,
        reason text not null,
        status text not null,
        opened_at ${moment} not null,
        evidence_until ${moment}
      )`,
      'create index disputes_of_payment on disputes (payment)',
      `create table installments (
        id text primary key,
        registration text not null,
        number integer not null,
        cents integer not null,
        card_fee_cents integer not null,
        card_fee_basis_points integer not null,
        due_at ${moment} not null,
        refundable_until ${moment},
        fee_refundable integer not null,
        agreed_in text,
        made_by text not null,
        replaced_by text,
        relief_cents integer not null
      )`,
      'create index installments_of_registration on installments (registration)',
      `create table entries (
        id text primary key,
        registration text not null,
        position integer not null,
        kind text not null,
        cents integer not null,
        fee_cents integer not null,
        moved_at ${moment} not null,
        recorded_at ${moment} not null,
        payer text not null,
        number integer,
        payment text,
        reverses text,
        relief_cents integer
      )`,
      'create index entries_of_registration on entries (registration)',
      `create table payouts (
        id text primary key,
        registration text not null,
        ordered_by text not null,
        payer text not null,
        way text not null,
        payment text,
        payment_cents integer,
        cents integer not null,
        fee_cents integer not null,
        state text not null,
        instead_of text,
        entry text
      )`,
      'create index payouts_of_registration on payouts (registration)',
      `create table letters (
        id text primary key,
        subject text not null,
        kind text not null,
        version text not null,
        state text not null check (state in ('owed', 'sent', 'dismissed', 'dropped')),
        owed_at ${moment} not null,
        ended_at ${moment},
        address text not null,
        again integer not null,
        asked_by text,
        tried_at ${moment},
        notice text
      )`,
      'create index letters_of_subject on letters (subject)',
      "create index letters_of_message on letters (version) where kind = 'message'",
      "create index owed_letters on letters (owed_at) where state = 'owed'",
      `create table stripe_events (
        id text primary key,
        created_at ${moment} not null
      )`,
    ],
  },
];

/** This release cannot run on a database, and no later attempt will change that. */
export class IncompatibleDatabaseError extends UnusableDatabaseError {
  override name = 'IncompatibleDatabaseError';
}

/**
 * Brings an empty or older database to the tables that this release knows; does nothing to a newer one that this
 * release may use.
 * @param beforeChange called before the tables of a database that holds something change
 * @throws {IncompatibleDatabaseError} when a newer release has changed it so that this one may not run on it
 * @throws {UnusableDatabaseError} when the register was moved to another database
 */
export async function migrate(
  transaction: Transaction,
  { momentType }: Pick<Engine, 'momentType'>,
  beforeChange?: () => Promise<unknown>,
  steps = migrations,
): Promise<void> {
  await execute(
    transaction,
    `create table if not exists register (
      id integer primary key check (id = 1),
      name text not null,
      migration integer not null,
      compatible_from integer not null,
      probed_at ${momentType} not null,
      copied_at ${momentType},
      copy_of text,
      events_until ${momentType},
      compared_at ${momentType},
      caught_up_at ${momentType},
      held_at ${momentType},
      held_why text,
      moved_to text
    )`,
  );
  const { numInsertedOrUpdatedRows: isNew } = await transaction
    .insertInto('register')
    .values({
      id: 1,
      name: randomUUID(),
      migration: 0,
      compatibleFrom: 0,
      probedAt: new Date(0),
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  const { migration, compatibleFrom, movedTo } = await transaction
    .selectFrom('register')
    .select(['migration', 'compatibleFrom', 'movedTo'])
    .executeTakeFirstOrThrow();
  if (movedTo !== null)
    throw new UnusableDatabaseError(`The register was moved to ${movedTo}: DATABASE_URL must name that one`);
  if (compatibleFrom > steps.length) {
    throw new IncompatibleDatabaseError(
      `A later release has changed the database (migration ${migration}); this release knows ${steps.length}: start that release again`,
    );
  }
  if (!isNew && migration < steps.length) await beforeChange?.();
  for (const [at, { statements, isCompatible }] of steps.entries()) {
    if (at < migration) continue;
    for (const statement of statements(momentType)) await execute(transaction, statement);
    const done = { migration: at + 1, ...(!isCompatible && { compatibleFrom: at + 1 }) };
    await transaction.updateTable('register').set(done).execute();
  }
}
