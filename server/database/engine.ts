import { type Dialect, Kysely, type QueryCompiler, sql } from 'kysely';
import { StartError } from '#server/service/start-error.ts';
import type { ColumnTypes } from './columns.ts';
import { NamesAndDates } from './dates.ts';
import type { Tables } from './schema.ts';

/** No database can be used here; the message tells the operator why, in a sentence. */
export class UnusableDatabaseError extends StartError {
  override name = 'UnusableDatabaseError';
}

/** Queries on one connection, inside a transaction. */
export type Transaction = Kysely<Tables>;

export type Kind = 'read' | 'write';

/** `busy`: another process writes. `lost`: the connection broke, so that a commit may have taken place or not. */
export type Failure = 'away' | 'busy' | 'lost' | UnusableDatabaseError;

export interface Engine {
  name: 'sqlite' | 'postgres';
  types: ColumnTypes;
  connections: Readonly<Record<Kind, Kysely<Tables>>>;
  /** Begins a transaction: of the only writer, or one whose reads all see the same state. */
  begin: Readonly<Record<Kind, string>>;
  /** Undefined when the statement was wrong. */
  failureOf(error: unknown): Failure | undefined;
  close(): Promise<void>;
}

/** Queries over connections of an engine, with names and moments as this code has them. */
export function queriesOver(dialect: Dialect, compiler: QueryCompiler): Kysely<Tables> {
  const compiling: Dialect = {
    createDriver: () => dialect.createDriver(),
    createAdapter: () => dialect.createAdapter(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createQueryCompiler: () => compiler,
  };
  return new Kysely({ dialect: compiling, plugins: [new NamesAndDates()] });
}

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
