/** What the engines write differently: a column's name, its type, and a check of what it holds. */
export type ColumnTypes = Readonly<
  Record<'text' | 'sorted' | 'moment' | 'json' | 'version', (column: string) => string>
> & {
  /** Follows the columns of a table. */
  readonly strict: string;
};

/** What `Date.toISOString` writes: a pattern of SQLite's `glob`, and a regular expression. */
const MOMENT = '0000-00-00T00:00:00[.]000Z'.replaceAll('0', '[0-9]');

const withoutNul = (column: string) => `${column} text check (instr(${column}, char(0)) = 0)`;

export const sqliteTypes: ColumnTypes = {
  text: withoutNul,
  sorted: withoutNul,
  moment: (column) => `${withoutNul(column)} check (${column} glob '${MOMENT}')`,
  json: (column) => `${withoutNul(column)} check (json_valid(${column}))`,
  version: (column) => `${column} integer check (${column} >= 0)`,
  strict: 'strict',
};

/** PostgreSQL refuses NUL itself. */
export const postgresTypes: ColumnTypes = {
  text: (column) => `${column} text`,
  sorted: (column) => `${column} text collate "C"`,
  moment: (column) => `${column} text collate "C" check (${column} ~ '^${MOMENT}$')`,
  // The cast throws: version 15 has no `is json`.
  json: (column) => `${column} text check (${column} is null or ${column}::json is not null)`,
  version: (column) => `${column} bigint check (${column} >= 0)`,
  strict: '',
};

type Definition = (column: string, types: ColumnTypes) => string;

/** A column, and by its type the values that it has in this code. */
export class Column<Value> {
  declare readonly values: Value;
  readonly #define: Definition;
  readonly #rules: string;
  readonly isIndexed: boolean;

  constructor(define: Definition, rules = 'not null', isIndexed = false) {
    this.#define = define;
    this.#rules = rules;
    this.isIndexed = isIndexed;
  }

  get orNull(): Column<Value | null> {
    return new Column(this.#define, '');
  }

  get key(): Column<Value> {
    return new Column(this.#define, 'primary key');
  }

  get unique(): Column<Value> {
    return new Column(this.#define, `${this.#rules} unique`);
  }

  get indexed(): Column<Value> {
    return new Column(this.#define, this.#rules, true);
  }

  /** Holds the `id` of a row of a table. */
  references(table: string): Column<Value> {
    return new Column(this.#define, `${this.#rules} references ${table} (id)`);
  }

  definition(column: string, types: ColumnTypes): string {
    return `${this.#define(column, types)} ${this.#rules}`;
  }
}

export const text = new Column<string>((column, types) => types.text(column));
/** A text that sorts byte by byte. */
export const sorted = new Column<string>((column, types) => types.sorted(column));
/** Its column's name ends in `At` or `Until`, see `dates.ts`. */
export const moment = new Column<Date>((column, types) => types.moment(column));
export const json = new Column<string>((column, types) => types.json(column));
/** A whole number of eight bytes. */
export const version = new Column<number>((column, types) => types.version(column));
export const count = new Column<number>((column) => `${column} integer check (${column} >= 0)`);
export const cents = count;
/** A sum that is negative where money left. */
export const signedCents = new Column<number>((column) => `${column} integer`);
export const flag = new Column<0 | 1>((column) => `${column} integer check (${column} in (0, 1))`);
export const always1 = new Column<1>((column) => `${column} integer check (${column} = 1)`);
export function oneOf<Value extends string>(...values: readonly Value[]): Column<Value> {
  const allowed = values.map((value) => `'${value}'`).join(', ');
  return new Column((column) => `${column} text check (${column} in (${allowed}))`);
}

/** The first column is the key. */
export interface Table {
  columns: Readonly<Record<string, Column<unknown>>>;
  /** Of several columns, in SQL. */
  rules?: readonly string[];
  /** Of several columns, or of some rows: the statements that make them. */
  indexes?: readonly string[];
}

export type Row<Of extends Table> = {
  -readonly [Name in keyof Of['columns']]: Of['columns'][Name]['values'];
};

/** What follows `create table`. */
export function definitionOf(name: string, { columns, rules = [] }: Table, types: ColumnTypes): string {
  const defined = Object.entries(columns).map(([column, of]) => of.definition(inSql(column), types));
  return `${inSql(name)} (${[...defined, ...rules].join(', ')}) ${types.strict}`;
}

/** The statements that make a table's indexes. */
export function indexesOf(name: string, { columns, indexes = [] }: Table): readonly string[] {
  const indexed = Object.keys(columns).filter((column) => columns[column]?.isIndexed);
  const ofOne = indexed
    .map(inSql)
    .map((column) => `create index ${inSql(name)}_by_${column} on ${inSql(name)} (${column})`);
  return [...ofOne, ...indexes];
}

function inSql(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
