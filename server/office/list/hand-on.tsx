import type { IRouter, Response } from 'express';
import { needTitle } from '#server/letters/office-digest-words.ts';
import { isAudience, writeMessage } from '#server/office/commands/message-commands.ts';
import { type CsvColumn, csvOf, sendCsv } from '#server/office/csv.ts';
import { type Office, readOrExplain } from '#server/office/office.ts';
import { DataTable, LinkLine } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { sentence, wordsOfState } from '#server/office/words.ts';
import { localClock } from '#server/ops/local-clock.ts';
import type { Answer } from '#server/registration/registration.ts';
import { folded } from '#server/registration/search-text.ts';
import { refreshIndex } from '#server/worker/look.ts';
import type { Edition } from '#shared/content/edition.ts';
import { formatDate, formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import {
  addressOf,
  everybodyOf,
  type Failed,
  findFailed,
  type ListedRow,
  type ListQuery,
  readListed,
  readListQuery,
} from './find-listed.ts';

/** The list as a spreadsheet, and those who come, to be printed or for the video host. */
export function addListsToHandOn(router: IRouter, office: Office): void {
  const { database, now, editions, send } = office;
  /** All of a query, or an answer that says why not: neither paper nor a file can say that something is missing in it. */
  const readAll = (res: Response, query: ListQuery, findFailures: () => Promise<Failed>) =>
    readOrExplain(office, res, 'People', async () => {
      const failed = await findFailures();
      await refreshIndex(database, query.edition, now());
      return database.read((transaction) => readListed(transaction, query, failed));
    });
  const readAttending = (res: Response, edition: Edition) =>
    readAll(res, { ...everybodyOf(edition), group: 'attending', sort: 'name' }, async () => new Map());
  const sendFile = (res: Response, what: string, { facts, timetable }: Edition, csv: string) =>
    sendCsv(res, `${what}-${facts.id}-${localClock(timetable.timeZone.id).dateOf(now())}`, csv);

  router.get(officePaths.csv, async (req, res) => {
    const query = readListQuery(req.query, editions);
    const rows = await readAll(res, query, () => findFailed(office));
    if (rows) sendFile(res, 'registrations', query.edition, registrationsCsv(query.edition, rows));
  });
  router.get(officePaths.participants, async (req, res) => {
    const { edition } = readListQuery(req.query, editions);
    const rows = await readAttending(res, edition);
    if (rows) send(res, 200, 'Participants', <ParticipantsPage edition={edition} rows={rows} now={now()} />);
  });
  router.get(officePaths.participantsCsv, async (req, res) => {
    const { edition } = readListQuery(req.query, editions);
    const rows = await readAttending(res, edition);
    if (rows) sendFile(res, 'participants', edition, participantsCsv(rows));
  });
}

/** What can be done with all of a filter, and with all who come. */
export function HandOn({ query, count }: { query: ListQuery; count: number }) {
  const { edition, search, group } = query;
  const these = count === 1 ? 'this one' : `these ${count.toLocaleString('en-US')}`;
  const everybody = everybodyOf(edition);
  return (
    <div className="row on-screen">
      {search === '' && isAudience(group) && (
        <a
          className="button button--quiet"
          href={`${officePaths.announce(edition.facts.id, writeMessage.id)}?to=${group}`}
        >
          {`Write to ${these}`}
        </a>
      )}
      <details>
        <summary>Hand on</summary>
        <LinkLine to={addressOf({ ...query, page: 1 }, officePaths.csv)}>
          {`${sentence(these)} as a spreadsheet (CSV)`}
        </LinkLine>
        <LinkLine to={addressOf(everybody, officePaths.participants)}>All participants, to print</LinkLine>
        <LinkLine to={addressOf(everybody, officePaths.participantsCsv)}>
          Their names for the video host (CSV)
        </LinkLine>
      </details>
    </div>
  );
}

/** Times are `2025-12-21 17:00` in the retreat's time zone, which all programs read as dates. */
export function registrationsCsv(edition: Edition, rows: readonly ListedRow[]): string {
  return csvOf([...columnsOf(edition), ...answerColumns(edition)], rows);
}

type Column = CsvColumn<ListedRow>;

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
    ['What to do', ({ needs }) => needs.map(needTitle).join('; ')],
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

/** Alone, `+1 310…` would be calculated, `0170…` would lose its zero, and an apostrophe would be dialled. */
function phoneOf(phoneNumber: string): string {
  return phoneNumber === '' ? '' : `tel:${phoneNumber}`;
}

interface ParticipantsProps {
  edition: Edition;
  rows: readonly ListedRow[];
  now: Date;
}

/** Those who come. On paper there is the list alone, and each sheet begins with the retreat and the day. */
function ParticipantsPage({ edition, rows, now }: ParticipantsProps) {
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
      <DataTable<ListedRow>
        className="table table--stacked participants"
        sheet={what}
        columns={[
          ['Name', ({ firstName, lastName }) => `${firstName} ${lastName}`.trim()],
          ['Phone', ({ phoneNumber }) => phoneNumber],
          ['E-mail', ({ email }) => email],
          [
            'Still open',
            ({ toPayCents, dueAt }) => (
              <>
                {toPayCents === 0 ? 'nothing' : formatCents(toPayCents)}{' '}
                {dueAt && <span className="fine">{`due ${formatDate(dateOf(dueAt))}`}</span>}
              </>
            ),
          ],
        ]}
        rows={rows}
      />
    </>
  );
}

function participantsCsv(rows: readonly ListedRow[]): string {
  const columns: readonly Column[] = [
    ['First name', ({ firstName }) => firstName],
    ['Last name', ({ lastName }) => lastName],
    ['E-mail', ({ email }) => email],
    ['Join name', joinNames(rows)],
  ];
  return csvOf(columns, rows);
}

type Named = Pick<ListedRow, 'firstName' | 'lastName'>;

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** First name and initial, or the whole name where two would read the same. */
function joinNames(people: readonly Named[]): (person: Named) => string {
  const shortOf = ({ firstName, lastName }: Named) => {
    const [initial] = graphemes.segment(lastName);
    return `${firstName}${initial ? ` ${initial.segment.toUpperCase()}.` : ''}`;
  };
  const counts = new Map<string, number>();
  for (const key of people.map((person) => folded(shortOf(person))))
    counts.set(key, (counts.get(key) ?? 0) + 1);
  return (person) => {
    const short = shortOf(person);
    return counts.get(folded(short)) === 1 ? short : `${person.firstName} ${person.lastName}`.trim();
  };
}
