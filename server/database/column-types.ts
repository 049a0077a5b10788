/** What the engines write differently. Each function gives a column's name, its type, and a check of what it holds. */
export interface ColumnTypes {
  text(column: string): string;
  /** A text that sorts byte by byte. */
  sorted(column: string): string;
  moment(column: string): string;
  json(column: string): string;
  /** A whole number of eight bytes. */
  version(column: string): string;
  /** Follows the columns of a table. */
  readonly strict: string;
}

export const oneOf = (column: string, ...values: readonly string[]): string =>
  `${column} text check (${column} in (${values.map((value) => `'${value}'`).join(', ')}))`;

export const flag = (column: string): string => `${column} integer check (${column} in (0, 1))`;

export const count = (column: string): string => `${column} integer check (${column} >= 0)`;

export const cents = count;

/** A sum that is negative where money left. */
export const signedCents = (column: string): string => `${column} integer`;

/** What `Date.toISOString` writes: a pattern of SQLite's `glob`, and a regular expression. */
const MOMENT = '0000-00-00T00:00:00[.]000Z'.replaceAll('0', '[0-9]');

const withoutNul = (column: string): string => `${column} text check (instr(${column}, char(0)) = 0)`;

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
