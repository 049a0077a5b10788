import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { IRouter, Response } from 'express';
import { needTitle } from '#server/letters/office-digest-words.ts';
import { isAudience, writeMessage } from '#server/office/commands/message-commands.ts';
import { type CsvCell, csvHead, csvLines } from '#server/office/csv.ts';
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
  findListed,
  type ListedRow,
  type ListQuery,
  readListQuery,
  readRows,
} from './find-listed.ts';

/** How many rows of a spreadsheet are read together, in a few milliseconds: the same process serves visitors' pages. */
const ROWS_AT_ONCE = 500;

/** The list as a spreadsheet, and those who come, to be printed or for the video host. */
export function addListsToHandOn(router: IRouter, office: Office): void {
  const { database, now, editions, logger, send } = office;
  /** All of a query, or an answer that says why not: neither paper nor a file can say that something is missing in it. */
  const readAll = (res: Response, query: ListQuery, findFailures: () => Promise<Failed>) =>
    readOrExplain(office, res, 'People', async () => {
      const failed = await findFailures();
      await refreshIndex(database, query.edition, now());
      const ids = await database.read((transaction) => findListed(transaction, query, failed));
      const withAnswers = query.edition.questions !== undefined;
      async function* portions(): AsyncGenerator<ListedRow[]> {
        for (let at = 0; at < ids.length; at += ROWS_AT_ONCE) {
          const some = ids.slice(at, at + ROWS_AT_ONCE);
          yield await database.read((transaction) => readRows(transaction, some, failed, { withAnswers }));
        }
      }
      return portions();
    });
  const readAttending = async (res: Response, edition: Edition) => {
    const query: ListQuery = { ...everybodyOf(edition), group: 'attending', sort: 'name' };
    const portions = await readAll(res, query, async () => new Map());
    if (!portions) return undefined;
    const rows: ListedRow[] = [];
    for await (const some of portions) rows.push(...some);
    return rows;
  };
  const beginFile = (res: Response, what: string, { facts, timetable }: Edition) => {
    const day = localClock(timetable.timeZone.id).dateOf(now());
    res.set('Cache-Control', 'no-store').attachment(`${what}-${facts.id}-${day}.csv`);
    res.type('text/csv; charset=utf-8');
  };

  router.get(officePaths.csv, async (req, res) => {
    const query = readListQuery(req.query, editions);
    const portions = await readAll(res, query, () => findFailed(office));
    if (!portions) return;
    beginFile(res, 'registrations', query.edition);
    await pipeline(Readable.from(csvOf(query.edition, portions)), res).catch((error: unknown) => {
      logger.warn({ err: error }, 'A spreadsheet of registrations was not read to its end');
    });
  });
  router.get(officePaths.participants, async (req, res) => {
    const { edition } = readListQuery(req.query, editions);
    const rows = await readAttending(res, edition);
    if (rows) send(res, 200, 'Participants', <ParticipantsPage edition={edition} rows={rows} now={now()} />);
  });
  router.get(officePaths.participantsCsv, async (req, res) => {
    const { edition } = readListQuery(req.query, editions);
    const rows = await readAttending(res, edition);
    if (!rows) return;
    beginFile(res, 'participants', edition);
    res.send(participantsCsv(rows));
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

/** First name and initial, or the whole name where two would read the same. */
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
