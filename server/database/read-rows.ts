import { sql } from 'kysely';
import type { Transaction } from './engine.ts';
import type { Tables } from './schema.ts';

/** The whole rows of a table that have one of these values in a column, in the order of some columns. */
export async function rowsWith<Table extends keyof Tables>(
  transaction: Transaction,
  table: Table,
  column: keyof Tables[Table] & string,
  values: readonly string[],
  ...order: readonly (keyof Tables[Table] & string)[]
): Promise<readonly Tables[Table][]> {
  if (values.length === 0) return [];
  const sorted = sql.join((order.length > 0 ? order : [column]).map((one) => sql.ref(one)));
  const query = sql<Tables[Table]>`select * from ${sql.table(table)}
    where ${sql.ref(column)} in (${sql.join(values)}) order by ${sorted}`;
  return (await query.execute(transaction)).rows;
}
