import { randomUUID } from 'node:crypto';
import { type ColumnTypes, definitionOf, indexesOf } from './columns.ts';
import { type Engine, execute, type Transaction, UnusableDatabaseError } from './engine.ts';
import { tableNames, tables } from './schema.ts';

/** Statements that bring the tables of the release before to those of `schema.ts`. */
export type Step = (types: ColumnTypes) => readonly string[];

/** A step that has been released is never changed. */
const STEPS: readonly Step[] = [];

/**
 * Makes the tables in an empty database, or brings older ones up to date.
 * @throws {UnusableDatabaseError} when a later release has changed them, or the register was moved to another database
 */
export async function migrate(
  transaction: Transaction,
  { types }: Pick<Engine, 'types'>,
  steps = STEPS,
): Promise<void> {
  const definition = (name: keyof typeof tables) => definitionOf(name, tables[name], types);
  await execute(transaction, `create table if not exists ${definition('register')}`);
  const { numInsertedOrUpdatedRows: isNew } = await transaction
    .insertInto('register')
    .values({ id: 1, name: randomUUID(), migration: steps.length, probedAt: new Date(0) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (isNew) {
    for (const name of tableNames) {
      if (name !== 'register') await execute(transaction, `create table ${definition(name)}`);
      for (const index of indexesOf(name, tables[name])) await execute(transaction, index);
    }
    return;
  }
  const { migration, movedTo } = await transaction
    .selectFrom('register')
    .select(['migration', 'movedTo'])
    .executeTakeFirstOrThrow();
  if (movedTo !== null)
    throw new UnusableDatabaseError(`The register was moved to ${movedTo}: DATABASE_URL must name that one`);
  if (migration > steps.length)
    throw new UnusableDatabaseError(
      `A later release has changed the database (migration ${migration}); this release knows ${steps.length}: start that release again`,
    );
  if (migration === steps.length) return;
  for (const step of steps.slice(migration))
    for (const statement of step(types)) await execute(transaction, statement);
  await transaction.updateTable('register').set({ migration: steps.length }).execute();
}
