import { stringify } from 'csv-stringify/sync';

/** Text, or an amount in US cents, which becomes plain dollars such as `-187.50`. */
export type CsvCell = string | number;

/** Characters that no cell may contain: a row must be one line, and these characters are invisible. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

const FORMAT = {
  quoted: true,
  quoted_empty: true,
  escape_formulas: true,
  record_delimiter: '\r\n',
  cast: { number: (cents: number) => (cents / 100).toFixed(2) },
} as const;

/** The line with the names of the columns, with which a spreadsheet begins; see `csvLines`. */
export const csvHead = (names: readonly string[]): string => stringify([names], { ...FORMAT, bom: true });

/**
 * Rows for a spreadsheet (RFC 4180: commas, CRLF; UTF-8 with a byte order mark, which Excel needs). Every cell is quoted,
 * since Excel splits unquoted text at semicolons in many countries. No cell is a formula: text that begins like one gets
 * an apostrophe.
 */
export function csvLines(rows: readonly (readonly CsvCell[])[]): string {
  const cellOf = (cell: CsvCell) => (typeof cell === 'number' ? cell : cell.replace(CONTROL, ' ').trim());
  return stringify(
    rows.map((row) => row.map(cellOf)),
    FORMAT,
  );
}
