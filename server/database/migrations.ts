import { randomUUID } from 'node:crypto';
import { type ColumnTypes, definitionOf, indexesOf } from './columns.ts';
import { type Engine, execute, type Transaction, UnusableDatabaseError } from './engine.ts';
import { tableNames, tables } from './schema.ts';

/** From the tables of the release before to those of `schema.ts`. A step that has been released is never changed. */
export interface Step {
  /** Whether releases that do not know it may go on running. A step only adds, so most do. */
  isCompatible: boolean;
  statements(types: ColumnTypes): readonly string[];
}

const STEPS: readonly Step[] = [];

/**
 * Makes the tables in an empty database, or brings older ones up to date.
 * @throws {UnusableDatabaseError} when a later release has changed them so that this one may not run, or the register was
 *   moved to another database
 */
export async function migrate(
  transaction: Transaction,
  { types }: Pick<Engine, 'types'>,
  steps = STEPS,
): Promise<void> {
  const definition = (name: keyof typeof tables) => definitionOf(name, tables[name], types);
  const known = {
    migration: steps.length,
    compatibleFrom: steps.findLastIndex(({ isCompatible }) => !isCompatible) + 1,
  };
  await execute(transaction, `create table if not exists ${definition('register')}`);
  const { numInsertedOrUpdatedRows: isNew } = await transaction
    .insertInto('register')
    .values({ id: 1, name: randomUUID(), ...known, probedAt: new Date(0) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (isNew) {
    for (const name of tableNames) {
      if (name !== 'register') await execute(transaction, `create table ${definition(name)}`);
      for (const index of indexesOf(name, tables[name])) await execute(transaction, index);
    }
    return;
  }
  const { migration, compatibleFrom, movedTo } = await transaction
    .selectFrom('register')
    .select(['migration', 'compatibleFrom', 'movedTo'])
    .executeTakeFirstOrThrow();
  if (movedTo !== null)
    throw new UnusableDatabaseError(`The register was moved to ${movedTo}: DATABASE_URL must name that one`);
  if (compatibleFrom > steps.length)
    throw new UnusableDatabaseError(
      `A later release has changed the database (migration ${migration}); this release knows ${steps.length}: start that release again`,
    );
  if (migration >= steps.length) return;
  for (const { statements } of steps.slice(migration))
    for (const statement of statements(types)) await execute(transaction, statement);
  await transaction.updateTable('register').set(known).execute();
}
