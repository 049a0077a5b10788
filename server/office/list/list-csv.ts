import type { Moment } from '#server/database/schema.ts';
import { needWords, wordsOfState } from '#server/office/state-words.ts';
import { type Answer, isAboutHealth } from '#server/record/answers.ts';
import { type CsvCell, csvHead, csvLines } from '#server/service/csv.ts';
import { localClock } from '#server/service/local-clock.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { ListedRow } from './find-listed.ts';

/** Registrations for a spreadsheet: times as `2025-12-21 17:00` in the retreat's time zone, which all programs read as dates. */
export async function* csvOf(
  edition: Edition,
  portions: AsyncIterable<readonly ListedRow[]>,
  { showsHealth = false } = {},
): AsyncGenerator<string> {
  const columns = [...columnsOf(edition), ...answerColumns(edition, showsHealth)];
  yield csvHead(columns.map(([name]) => name));
  for await (const rows of portions)
    yield csvLines(rows.map((row) => columns.map(([, cellOf]) => cellOf(row))));
}

type Column = readonly [name: string, cellOf: (row: ListedRow) => CsvCell];

function columnsOf({ timetable, facts }: Edition): readonly Column[] {
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
    ['Disputed', ({ disputed }) => (disputed === 1 ? 'yes' : '')],
    ...(facts.publication
      ? [['Agrees to publication', (row: ListedRow) => (row.agreesToPublication ? 'yes' : 'no')] as const]
      : []),
    ['Before', ({ namesBefore }) => namesBefore],
    ['Payment', ({ deposit }) => deposit],
  ];
}

/**
 * A column for each question of the edition, and one for answers to questions that it asks no more: without what is
 * about health, unless a user has asked for that.
 */
function answerColumns(edition: Edition, showsHealth: boolean): readonly Column[] {
  if (!edition.questions) return [];
  const items = edition.questions.items.filter(({ health }) => showsHealth || !health);
  const isElse = (answer: Answer): boolean =>
    !edition.questions?.items.some(({ id }) => id === answer.question) &&
    (showsHealth || !isAboutHealth(answer, edition));
  return [
    ...items.map(({ id, text, health }): Column => {
      const isTold = (answer: Answer) =>
        answer.question === id && (showsHealth || !(health || isAboutHealth(answer, edition)));
      return [text, ({ answers }) => answers.find(isTold)?.answer ?? ''];
    }),
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
