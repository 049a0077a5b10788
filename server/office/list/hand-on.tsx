import { needWords, wordsOfState } from '#server/office/state-words.ts';
import type { Answer } from '#server/registration/registration.ts';
import { type CsvCell, csvHead, csvLines } from '#server/service/csv.ts';
import { localClock } from '#server/service/local-clock.ts';
import { folded } from '#server/service/search-text.ts';
import type { Edition } from '#shared/content/edition.ts';
import { formatDate, formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import type { ListedRow } from './find-listed.ts';

/** Registrations for a spreadsheet: times as `2025-12-21 17:00` in the retreat's time zone, which all programs read as dates. */
export async function* csvOf(
  edition: Edition,
  portions: AsyncIterable<readonly ListedRow[]>,
): AsyncGenerator<string> {
  const columns = [...columnsOf(edition), ...answerColumns(edition)];
  yield csvHead(columns.map(([name]) => name));
  for await (const rows of portions)
    yield csvLines(rows.map((row) => columns.map(([, cellOf]) => cellOf(row))));
}

type Column = readonly [name: string, cellOf: (row: ListedRow) => CsvCell];

function columnsOf({ timetable }: Edition): readonly Column[] {
  const { minuteOf } = localClock(timetable.timeZone.id);
  const moment = (at: Date | null): string => (at === null ? '' : minuteOf(at));
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
    ['Deposit by card (USD)', ({ depositCents }) => depositCents],
    [`Balance paid (${zone})`, ({ balancePaidAt }) => moment(balancePaidAt)],
    ['Balance by card (USD)', ({ cardCents }) => cardCents],
    ['By check or transfer (USD)', ({ checkCents }) => checkCents],
    ['Came in (USD)', ({ inCents }) => inCents],
    ['Went back (USD)', ({ backCents }) => backCents],
    ['Still to pay (USD)', ({ toPayCents }) => toPayCents],
    [`Due (${zone})`, ({ dueAt }) => moment(dueAt)],
    ['Waived (USD)', ({ waivedCents }) => waivedCents],
    ['Check to send (USD)', ({ toSendCents }) => toSendCents],
    [`Cancelled (${zone})`, ({ cancelledAt }) => moment(cancelledAt)],
    ['Disputed', ({ needs }) => (needs.includes('disputed') ? 'yes' : '')],
    ['Before', ({ namesBefore }) => namesBefore],
    ['Registration', ({ registration }) => registration],
  ];
}

/** A column for each question of the edition, and one for answers to questions that it asks no more. */
function answerColumns({ questions }: Edition): readonly Column[] {
  if (!questions) return [];
  const isElse = ({ question }: Answer): boolean => !questions.items.some(({ id }) => id === question);
  return [
    ...questions.items.map(
      ({ id, text }): Column => [
        text,
        ({ answers }) => answers.find(({ question }) => question === id)?.answer ?? '',
      ],
    ),
    [
      'Other answers',
      ({ answers }) =>
        answers
          .filter(isElse)
          .map(({ asked, answer }) => `${asked} ${answer}`)
          .join('; '),
    ],
  ];
}

/**
 * A phone number as a `tel:` URL: alone, `+1 310…` would be calculated, `0170…` would lose its zero, and an apostrophe
 * would be dialled.
 */
function phoneOf(phoneNumber: string): string {
  return phoneNumber === '' ? '' : `tel:${phoneNumber}`;
}

interface ParticipantsProps {
  edition: Edition;
  /** By their names. */
  rows: readonly ListedRow[];
  now: Date;
}

/** Those who come. On paper there is the list alone, and each sheet begins with the retreat and the day. */
export function ParticipantsPage({ edition, rows, now }: ParticipantsProps) {
  const { facts, timetable } = edition;
  const { dateOf } = localClock(timetable.timeZone.id);
  const people =
    rows.length === 1 ? 'one participant' : `${rows.length.toLocaleString('en-US')} participants`;
  const what = `${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}: ${people} on ${formatDate(dateOf(now))}`;
  return (
    <>
      <div className="on-screen">
        <p className="fine">
          {what}. They have paid the deposit, did not get it back, and have not cancelled.
        </p>
        <p>Print this page for a list on paper: it has what you see in the table, and nothing else.</p>
      </div>
      <table className="table table--stacked participants">
        <thead>
          <tr className="participants-sheet">
            <td colSpan={4}>{what}</td>
          </tr>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Phone</th>
            <th scope="col">E-mail</th>
            <th scope="col">Still open</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ registration, firstName, lastName, phoneNumber, email, toPayCents, dueAt }) => (
            <tr key={registration}>
              <th scope="row">{`${firstName} ${lastName}`.trim()}</th>
              <td data-label="Phone">{phoneNumber}</td>
              <td data-label="E-mail">{email}</td>
              <td data-label="Still open">
                {toPayCents === 0 ? 'nothing' : formatCents(toPayCents)}{' '}
                {dueAt && <span className="fine">{`due ${formatDate(dateOf(dueAt))}`}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** Those who come, for the host of the video room. */
export function participantsCsv(rows: readonly ListedRow[]): string {
  const joinNames = joinNamesOf(rows);
  const cells = rows.map(({ firstName, lastName, email }, at) => [
    firstName,
    lastName,
    email,
    joinNames[at] ?? '',
  ]);
  return csvHead(['First name', 'Last name', 'E-mail', 'Join name']) + csvLines(cells);
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * The names that they show to each other in the room: first name and initial, or the whole name where two would read
 * the same.
 */
function joinNamesOf(people: readonly Pick<ListedRow, 'firstName' | 'lastName'>[]): string[] {
  const names = people.map(({ firstName, lastName }) => {
    const [initial] = graphemes.segment(lastName);
    return `${firstName}${initial ? ` ${initial.segment.toUpperCase()}.` : ''}`;
  });
  const counts = new Map<string, number>();
  for (const name of names) counts.set(folded(name), (counts.get(folded(name)) ?? 0) + 1);
  return people.map(({ firstName, lastName }, at) => {
    const name = names[at] ?? '';
    return counts.get(folded(name)) === 1 ? name : `${firstName} ${lastName}`.trim();
  });
}
