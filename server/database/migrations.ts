import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { type ColumnTypes, statementsOf } from './columns.ts';
import { type Transaction, UnusableDatabaseError } from './engine.ts';
import { indexes, rules } from './rules.ts';
import { tableNames, tables } from './schema.ts';

/** How many steps this release knows, which bring tables of an earlier one up to date: there is none before 3.0.0. */
const KNOWN = 0;

/**
 * Makes the tables in an empty database.
 * @throws {UnusableDatabaseError} when a later release has changed them so that this one may not run, or the register was
 *   moved to another database
 */
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
