import { randomUUID } from 'node:crypto';
import { type ColumnTypes, count } from './column-types.ts';
import { type Engine, execute, type Transaction, UnusableDatabaseError } from './engine.ts';
import { firstTables } from './first-tables.ts';

/** One step from an empty database to the tables of `schema.ts`. A step that has been released is never changed. */
export interface Migration {
  /**
   * Whether releases that do not know this step may go on running on the tables after it. Steps only add, so
   * most of them may.
   */
  isCompatible: boolean;
  statements(types: ColumnTypes): readonly string[];
}

export const migrations: readonly Migration[] = [
  {
    isCompatible: false,
    statements: firstTables,
  },
];

const registerTable = ({ text, moment, strict }: ColumnTypes): string => `
  create table if not exists register (
    id integer primary key check (id = 1),
    ${text('name')} not null,
    ${count('migration')} not null,
    ${count('compatible_from')} not null,
    ${moment('probed_at')} not null,
    ${moment('copied_at')},
    ${text('copy_of')},
    ${moment('events_until')},
    ${moment('compared_at')},
    ${moment('caught_up_at')},
    ${moment('held_at')},
    ${text('held_why')},
    ${text('moved_to')}
  ) ${strict}`;

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
  { types }: Pick<Engine, 'types'>,
  beforeChange?: () => Promise<unknown>,
  steps = migrations,
): Promise<void> {
  await execute(transaction, registerTable(types));
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
    for (const statement of statements(types)) await execute(transaction, statement);
    const done = { migration: at + 1, ...(!isCompatible && { compatibleFrom: at + 1 }) };
    await transaction.updateTable('register').set(done).execute();
  }
}
