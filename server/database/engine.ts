import { type Dialect, Kysely, type QueryCompiler, sql } from 'kysely';
import { StartError } from '#server/config/start-error.ts';
import { type Column, type Columns, type ColumnTypes, inSql, NamesAndDates } from './columns.ts';
import { type Tables, tables } from './schema.ts';

/** No database can be used here; the message tells the operator why, in a sentence. */
export class UnusableDatabaseError extends StartError {
  override name = 'UnusableDatabaseError';
}

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

/** Rows of several tables that have the column, by one query. @returns tells the rows of one of them */
export async function rowsOfEach<Table extends keyof Tables>(
  transaction: Transaction,
  names: readonly Table[],
  column: string,
  values: readonly string[],
) {
  const wanted = sql`where ${sql.ref(column)} in (${sql.join(values)})`;
  const selects = names.map((name) => sql`${sql.raw(selectOf(name, names))} ${wanted}`);
  const query = sql<{ table: string }>`${sql.join(selects, sql` union all `)} order by id`;
  const { rows } = values.length === 0 ? { rows: [] } : await query.execute(transaction);
  return <Of extends Table>(name: Of): Tables[Of][] => {
    const isOf = (row: object): row is Tables[Of] => Object.keys(row).length > 0;
    const own: object[] = rows
      .filter(({ table }) => table === name)
      .map((row) => Object.fromEntries(Object.entries(row).filter(([one]) => one in tables[name])));
    return own.filter(isOf);
  };
}

/** Selects all columns of a table, and null for the columns that only the others have. */
function selectOf(table: keyof Tables, all: readonly (keyof Tables)[]): string {
  const own: Columns = tables[table];
  const columns = new Map(all.flatMap((name) => Object.entries<Column<unknown>>(tables[name])));
  const values = [...columns].map(([name, { storedAs }]) => {
    const column = `"${inSql(name)}"`;
    return name in own ? column : `cast(null as ${storedAs}) as ${column}`;
  });
  return `select '${table}' as "table", ${values.join(', ')} from ${inSql(table)}`;
}
