import { stringify } from 'csv-stringify/sync';
import type { Response } from 'express';

/** Text, or an amount in US cents, which becomes plain dollars such as `-187.50`. */
type CsvCell = string | number;

export type CsvColumn<Row> = readonly [name: string, cellOf: (row: Row) => CsvCell];

/** Characters that no cell may contain: a row must be one line, and these characters are invisible. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/**
 * Rows for a spreadsheet (RFC 4180: commas, CRLF; UTF-8 with a byte order mark, which Excel needs). Every cell is quoted,
 * since Excel splits unquoted text at semicolons in many countries. No cell is a formula: text that begins like one gets
 * an apostrophe.
 */
export function csvOf<Row>(columns: readonly CsvColumn<Row>[], rows: readonly Row[]): string {
  const cells = [
    columns.map(([name]) => name),
    ...rows.map((row) => columns.map(([, cellOf]) => cellOf(row))),
  ];
  const clean = (cell: CsvCell) => (typeof cell === 'number' ? cell : cell.replace(CONTROL, ' ').trim());
  return stringify(
    cells.map((row) => row.map(clean)),
    {
      bom: true,
      quoted: true,
      quoted_empty: true,
      escape_formulas: true,
      record_delimiter: '\r\n',
      cast: { number: (cents) => (cents / 100).toFixed(2) },
    },
  );
}

export function sendCsv(res: Response, name: string, csv: string): void {
  res.set('Cache-Control', 'no-store').attachment(`${name}.csv`).type('text/csv; charset=utf-8').send(csv);
}
