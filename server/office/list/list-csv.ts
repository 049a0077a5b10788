import { stringify } from 'csv-stringify/sync';
import { needWords, stateWords } from '#server/office/state-words.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { LocalClock } from './local-clock.ts';
import type { Listing } from './registration-index.ts';
import type { Row } from './row.ts';

/** How many rows are written at a time, which takes a few milliseconds. */
const ROWS_AT_ONCE = 100;

/** Characters that no cell may contain: a row must be one line, and these characters are invisible. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/**
 * Registrations for a spreadsheet (RFC 4180: commas, CRLF; UTF-8 with a byte order mark, which Excel needs):
 * sums as plain dollars, times as `2025-12-21 17:00` in the retreat's time zone, which Excel, LibreOffice and
 * Numbers read as dates. Every cell is quoted, since Excel splits unquoted text at semicolons in many countries.
 * No cell is a formula: a cell that begins like one gets an apostrophe.
 */
export function* csvOf(
  rows: readonly Row[],
  { edition, clock }: Pick<Listing, 'edition' | 'clock'>,
): Generator<string> {
  const columns = columnsOf(edition, clock);
  const format = {
    quoted: true,
    quoted_empty: true,
    escape_formulas: true,
    record_delimiter: '\r\n',
  } as const;
  yield stringify([columns.map(([name]) => name)], { ...format, bom: true });
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_AT_ONCE);
    yield stringify(
      some.map((row) => columns.map(([, cellOf]) => cellOf(row).replace(CONTROL, ' ').trim())),
      format,
    );
  }
}

type Column = readonly [name: string, cellOf: (row: Row) => string];

function columnsOf({ timetable }: Edition, clock: LocalClock): readonly Column[] {
  const moment = (at: Date | undefined): string => (at ? clock.minuteOf(at) : '');
  const zone = timetable.timeZone.name;
  return [
    ['First name', ({ record }) => record.registrant.firstName],
    ['Last name', ({ record }) => record.registrant.lastName],
    ['E-mail', ({ record }) => record.registrant.email],
    ['Phone', ({ record }) => phoneOf(record.registrant.phoneNumber)],
    ['Stands at', ({ state }) => stateWords[state]],
    ['What to do', ({ needs }) => needs.map(({ need }) => needWords[need]).join('; ')],
    [`Began (${zone})`, ({ record }) => moment(record.begunAt)],
    [`Deposit paid (${zone})`, ({ record }) => moment(record.paidAt)],
    ['Deposit (USD)', ({ record }) => dollars(record.depositCents)],
    [`Balance paid (${zone})`, (row) => moment(balancePaidAt(row))],
    ['Balance by card (USD)', ({ record }) => dollars(record.balance?.paidAt ? record.balance.cents : 0)],
    [
      'Balance by check (USD)',
      ({ record: { decisions } }) => dollars(decisions.check?.receivedAt ? decisions.check.cents : 0),
    ],
    ['Came in (USD)', ({ inCents }) => dollars(inCents)],
    ['Went back (USD)', ({ backCents }) => dollars(backCents)],
    ['Still to pay (USD)', ({ toPayCents }) => dollars(toPayCents)],
    [`Due (${zone})`, ({ dueAt }) => moment(dueAt)],
    ['Waived (USD)', ({ waivedCents }) => dollars(waivedCents)],
    ['Check to send (USD)', ({ toSendCents }) => dollars(toSendCents)],
    [`Cancelled (${zone})`, ({ record }) => moment(record.decisions.cancel?.writtenAt)],
    ['Disputed', ({ record }) => (record.disputed ? 'yes' : '')],
    ['Payment', ({ record }) => record.id],
  ];
}

function balancePaidAt({ record: { balance, decisions } }: Row): Date | undefined {
  return balance?.paidAt ?? decisions.check?.receivedAt;
}

/**
 * A phone number as a `tel:` URL: alone, `+1 310…` would be calculated, `0170…` would lose its zero, and an
 * apostrophe would be dialled.
 */
function phoneOf(phoneNumber: string): string {
  return phoneNumber === '' ? '' : `tel:${phoneNumber}`;
}

function dollars(cents: number): string {
  return (cents / 100).toFixed(2);
}
