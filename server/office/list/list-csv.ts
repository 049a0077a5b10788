import { stringify } from 'csv-stringify/sync';
import type { Moment } from '#server/database/schema.ts';
import { needWords, wordsOfState } from '#server/office/state-words.ts';
import { localClock } from '#server/service/local-clock.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { ListedRow } from './find-listed.ts';

/** Characters that no cell may contain: a row must be one line, and these characters are invisible. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/**
 * Registrations for a spreadsheet (RFC 4180: commas, CRLF; UTF-8 with a byte order mark, which Excel needs):
 * sums as plain dollars, times as `2025-12-21 17:00` in the retreat's time zone, which Excel, LibreOffice and
 * Numbers read as dates. Every cell is quoted, since Excel splits unquoted text at semicolons in many countries.
 * No cell is a formula: a cell that begins like one gets an apostrophe.
 */
export async function* csvOf(
  edition: Edition,
  portions: AsyncIterable<readonly ListedRow[]>,
): AsyncGenerator<string> {
  const columns = columnsOf(edition);
  const format = {
    quoted: true,
    quoted_empty: true,
    escape_formulas: true,
    record_delimiter: '\r\n',
  } as const;
  yield stringify([columns.map(([name]) => name)], { ...format, bom: true });
  for await (const rows of portions)
    yield stringify(
      rows.map((row) => columns.map(([, cellOf]) => cellOf(row).replace(CONTROL, ' ').trim())),
      format,
    );
}

type Column = readonly [name: string, cellOf: (row: ListedRow) => string];

function columnsOf({ timetable }: Edition): readonly Column[] {
  const { minuteOf } = localClock(timetable.timeZone.id);
  const moment = (at: Moment | null): string => (at === null ? '' : minuteOf(new Date(at)));
  const zone = timetable.timeZone.name;
  return [
    ['First name', ({ firstName }) => firstName],
    ['Last name', ({ lastName }) => lastName],
    ['E-mail', ({ email }) => email],
    ['Phone', ({ phoneNumber }) => phoneOf(phoneNumber)],
    ['Stands at', ({ state }) => wordsOfState(state)],
    ['What to do', ({ needs }) => needs.map((need) => needWords[need]).join('; ')],
    [`Began (${zone})`, ({ begunAt }) => moment(begunAt)],
    [`Deposit paid (${zone})`, ({ paidAt }) => moment(paidAt)],
    ['Deposit by card (USD)', ({ depositCents }) => dollars(depositCents)],
    [`Balance paid (${zone})`, ({ balancePaidAt }) => moment(balancePaidAt)],
    ['Balance by card (USD)', ({ cardCents }) => dollars(cardCents)],
    ['By check or transfer (USD)', ({ checkCents }) => dollars(checkCents)],
    ['Came in (USD)', ({ inCents }) => dollars(inCents)],
    ['Went back (USD)', ({ backCents }) => dollars(backCents)],
    ['Still to pay (USD)', ({ toPayCents }) => dollars(toPayCents)],
    [`Due (${zone})`, ({ dueAt }) => moment(dueAt)],
    ['Waived (USD)', ({ waivedCents }) => dollars(waivedCents)],
    ['Check to send (USD)', ({ toSendCents }) => dollars(toSendCents)],
    [`Cancelled (${zone})`, ({ cancelledAt }) => moment(cancelledAt)],
    ['Disputed', ({ disputed }) => (disputed === 1 ? 'yes' : '')],
    ['Payment', ({ deposit }) => deposit],
  ];
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
