import {
  CamelCasePlugin,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  PostgresQueryCompiler,
  type QueryResult,
  type RootOperationNode,
  SqliteQueryCompiler,
  type UnknownRow,
} from 'kysely';
import { oncePer } from '#shared/once-per.ts';

/** What the engines write differently: a type, with a check of what the column holds, and what follows a table's columns. */
export type ColumnTypes = Readonly<Record<'text' | 'moment' | 'json' | 'strict', string>>;

/** What `Date.toISOString` writes: a pattern of SQLite's `glob`, and a regular expression. */
const MOMENT = '0000-00-00T00:00:00[.]000Z'.replaceAll('0', '[0-9]');

const WITHOUT_NUL = 'text check (instr(COLUMN, char(0)) = 0)';

export const sqliteTypes: ColumnTypes = {
  text: WITHOUT_NUL,
  moment: `${WITHOUT_NUL} check (COLUMN glob '${MOMENT}')`,
  json: `${WITHOUT_NUL} check (json_valid(COLUMN))`,
  strict: 'strict',
};

/** PostgreSQL refuses NUL itself; `collate "C"` sorts byte by byte, as SQLite does. */
export const postgresTypes: ColumnTypes = {
  text: 'text collate "C"',
  moment: `text collate "C" check (COLUMN ~ '^${MOMENT}$')`,
  // The cast throws: version 15 has no `is json`.
  json: 'text check (COLUMN is null or COLUMN::json is not null)',
  strict: '',
};

/** A column, and by its type the values that it has in this code. */
export class Column<Value> {
  declare readonly values: Value;
  readonly #type: string;
  readonly #rules: string;
  readonly isIndexed: boolean;

  /** @param type a name in `ColumnTypes`, or in SQL, where `COLUMN` is the column's name */
  constructor(type: string, rules = 'not null', isIndexed = false) {
    this.#type = type;
    this.#rules = rules;
    this.isIndexed = isIndexed;
  }

  get orNull(): Column<Value | null> {
    return new Column(this.#type, '');
  }

  get key(): Column<Value> {
    return new Column(this.#type, 'primary key');
  }

  get unique(): Column<Value> {
    return new Column(this.#type, `${this.#rules} unique`);
  }

  get indexed(): Column<Value> {
    return new Column(this.#type, this.#rules, true);
  }

  references(table: string): Column<Value> {
    return new Column(this.#type, `${this.#rules} references ${table} (id)`);
  }

  /** Of a null in its place, which PostgreSQL wants to know. */
  get storedAs(): 'integer' | 'text' {
    return this.#type.startsWith('integer') ? 'integer' : 'text';
  }

  definition(column: string, types: Readonly<Record<string, string>>): string {
    return `${column} ${types[this.#type] ?? this.#type} ${this.#rules}`.replaceAll('COLUMN', column);
  }
}

export const text = new Column<string>('text');
/** Its column's name ends in `At` or `Until`. */
export const moment = new Column<Date>('moment');
export const json = new Column<string>('json');
export const count = new Column<number>('integer check (COLUMN >= 0)');
export const cents = count;
/** A sum that is negative where money left. */
export const signedCents = new Column<number>('integer');
export const flag = new Column<0 | 1>('integer check (COLUMN in (0, 1))');
export const always1 = new Column<1>('integer check (COLUMN = 1)');
export function oneOf<Value extends string>(...values: readonly Value[]): Column<Value> {
  return new Column(`text check (COLUMN in (${values.map((value) => `'${value}'`).join(', ')}))`);
}

export type Columns = Readonly<Record<string, Column<unknown>>>;

export type Row<Of extends Columns> = { -readonly [Name in keyof Of]: Of[Name]['values'] };

export function statementsOf(
  name: string,
  columns: Columns,
  rules: readonly string[],
  types: ColumnTypes,
): readonly string[] {
  const table = inSql(name);
  const all = Object.entries(columns).map(([column, of]) => ({ column: inSql(column), of }));
  const defined = all.map(({ column, of }) => of.definition(column, types));
  return [
    `create table if not exists ${table} (${[...defined, ...rules].join(', ')}) ${types.strict}`,
    ...all
      .filter(({ of }) => of.isIndexed)
      .map(({ column }) => `create index ${table}_by_${column} on ${table} (${column})`),
  ];
}

export const inSql = oncePer((name: string) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
);

/** A column that holds a moment is named so. */
const NAMES_MOMENT = /(?:At|Until)$/;

/**
 * Columns are named in camel case in this code, and moments are `Date`s; in the database, names are in snake case, and
 * moments are texts as `Date.toISOString` writes them, so that they sort as they follow each other. The compilers below
 * translate queries: a plugin would copy each of them whole. Budget: a registration's CPU time.
 */
export class NamesAndDates extends CamelCasePlugin {
  override transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return node;
  }

  override async transformResult(args: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    const result = await super.transformResult(args);
    const moments = Object.keys(result.rows[0] ?? {}).filter((name) => NAMES_MOMENT.test(name));
    for (const row of result.rows) for (const name of moments) row[name] = dateOf(row[name]);
    return result;
  }
}

export class SqliteCompiler extends SqliteQueryCompiler {
  protected override sanitizeIdentifier(name: string): string {
    return super.sanitizeIdentifier(inSql(name));
  }

  protected override appendValue(value: unknown): void {
    super.appendValue(textOf(value));
  }
}

export class PostgresCompiler extends PostgresQueryCompiler {
  protected override sanitizeIdentifier(name: string): string {
    return super.sanitizeIdentifier(inSql(name));
  }

  protected override appendValue(value: unknown): void {
    super.appendValue(textOf(value));
  }
}

function textOf(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

function dateOf(value: unknown): unknown {
  return typeof value === 'string' ? new Date(value) : value;
}
