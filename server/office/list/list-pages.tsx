import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response, Router } from 'express';
import { isRegisterAway, type Transaction } from '#server/database/database.ts';
import { noteShown } from '#server/office/looks.ts';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import { pageSender } from '#server/office/office-document.tsx';
import { Unreadable } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { readHeldIn } from '#server/registration/registration.ts';
import { localClock } from '#server/service/local-clock.ts';
import { refreshIndex } from '#server/worker/look.ts';
import { failedLetters } from '#server/worker/outbox.ts';
import { editions as allEditions } from '#shared/content/compiled/editions.ts';
import { edition as onSale } from '#shared/content/compiled/on-sale.ts';
import type { Edition } from '#shared/content/edition.ts';
import {
  everybodyOf,
  type Failed,
  findListed,
  type ListedRow,
  type ListQuery,
  ROWS_A_PAGE,
  readListQuery,
  readRows,
  readTallies,
  sumsOf,
  type Tally,
} from './find-listed.ts';

/** How many rows of a spreadsheet are read together, in a few milliseconds: the same process serves visitors' pages. */
const ROWS_AT_ONCE = 500;

type Needed = 'assets' | 'database' | 'mailQueue' | 'letterLog' | 'now' | 'admission' | 'logger';

interface ListDependencies extends Pick<OfficeDependencies, Needed> {
  /** By default all editions, the one on sale first. */
  editions?: readonly [Edition, ...Edition[]];
}

/**
 * The office's list of registrations, the same as a spreadsheet, and those who come, as lists to hand on. The modules
 * that render them are loaded with the first request.
 */
export function addListPages(router: Router, dependencies: ListDependencies): void {
  const { database, mailQueue, letterLog, now, admission, logger } = dependencies;
  const others = allEditions.filter(({ facts }) => facts.id !== onSale.facts.id);
  const { editions = [onSale, ...others] } = dependencies;
  const send = pageSender(dependencies.assets);
  /** What was read; if it cannot be read, sends an answer that says so, and returns undefined. */
  const readOrExplain = <Read,>(res: Response, read: () => Promise<Read>) =>
    read().catch((error: unknown) => {
      logger.warn({ err: error }, 'The list of registrations cannot be read');
      return send(res, 503, 'People', <Unreadable />);
    });
  /** Has the index say what is true now, and returns whether it does: while the register can only be read, it cannot. */
  const bringUpToDate = async (): Promise<boolean> => {
    try {
      for (const edition of editions) await refreshIndex(database, edition, now());
      return true;
    } catch (error) {
      if (!isRegisterAway(error)) throw error;
      const words = 'The list of registrations is shown as it was: the register cannot be written';
      logger.warn({ err: error }, words);
      return false;
    }
  };
  const findFailed = async (): Promise<Failed> => {
    if (!(await mailQueue.isAnswering())) throw new Error('Redis does not answer');
    const sources = { queue: mailQueue.bullQueue, letterLog, database, ...admission };
    const failed = new Map<string, number>();
    for (const { registration: id } of await failedLetters(sources, now()))
      if (id) failed.set(id, (failed.get(id) ?? 0) + 1);
    return failed;
  };
  /** @param isAnywhere whether the first edition is shown in which the search finds somebody */
  const readList = async (
    transaction: Transaction,
    asked: ListQuery,
    isAnywhere: boolean,
    failed: Failed,
  ) => {
    const tallied = new Map<Edition, readonly Tally[]>();
    for (const edition of editions)
      tallied.set(edition, await readTallies(transaction, { ...asked, edition }, failed));
    const withAnybody = editions.filter((edition) => tallied.get(edition)?.length);
    const edition = (isAnywhere && withAnybody[0]) || asked.edition;
    const { count } = sumsOf(tallied.get(edition) ?? [], asked.group);
    const page = Math.min(asked.page, Math.max(1, Math.ceil(count / ROWS_A_PAGE)));
    const query = { ...asked, edition, page };
    const onPage = { limit: ROWS_A_PAGE, offset: (page - 1) * ROWS_A_PAGE };
    const rows = await readRows(transaction, await findListed(transaction, query, failed, onPage), failed);
    return { query, tallied, rows, held: await readHeldIn(transaction) };
  };

  router.get(officePaths.list, async (req: Request, res: Response) => {
    const asked = readListQuery(req.query, editions);
    const isSearch = asked.search !== '';
    const isAnywhere = isSearch && req.query.edition !== asked.edition.facts.id;
    const list = await readOrExplain(res, async () => {
      const failed = await findFailed();
      const isOutdated = !(await bringUpToDate());
      const read = await database.read((transaction) => readList(transaction, asked, isAnywhere, failed));
      return { ...read, isOutdated };
    });
    if (!list) return;
    const { rows, tallied, query } = list;
    noteShown(res, { rows: rows.length, search: isSearch || undefined });
    const searched = isAnywhere ? [...tallied.values()].flat() : (tallied.get(query.edition) ?? []);
    const [row] = rows;
    if (isSearch && row && query.group === 'all' && sumsOf(searched, 'all').count === 1)
      return res.redirect(303, officePaths.registration(row.registration));
    const { ListPage } = await import('./list-page.tsx');
    send(res, 200, 'People', <ListPage {...list} />);
  });

  /** All of a query, or an answer that says why not: neither paper nor a file can say that something is missing in it. */
  const readAll = (res: Response, query: ListQuery, findFailures: () => Promise<Failed>) =>
    readOrExplain(res, async () => {
      const failed = await findFailures();
      await refreshIndex(database, query.edition, now());
      const ids = await database.read((transaction) => findListed(transaction, query, failed));
      noteShown(res, { rows: ids.length, search: query.search !== '' || undefined });
      const withAnswers = query.edition.questions !== undefined;
      async function* portions(): AsyncGenerator<ListedRow[]> {
        for (let at = 0; at < ids.length; at += ROWS_AT_ONCE) {
          const some = ids.slice(at, at + ROWS_AT_ONCE);
          yield await database.read((transaction) => readRows(transaction, some, failed, { withAnswers }));
        }
      }
      return portions();
    });
  const beginFile = (res: Response, what: string, { facts, timetable }: Edition) => {
    const day = localClock(timetable.timeZone.id).dateOf(now());
    res.set('Cache-Control', 'no-store').attachment(`${what}-${facts.id}-${day}.csv`);
    res.type('text/csv; charset=utf-8');
  };

  router.get(officePaths.csv, async (req: Request, res: Response) => {
    const query = readListQuery(req.query, editions);
    const portions = await readAll(res, query, findFailed);
    if (!portions) return;
    const { csvOf } = await import('./hand-on.tsx');
    beginFile(res, 'registrations', query.edition);
    await pipeline(Readable.from(csvOf(query.edition, portions)), res).catch((error: unknown) => {
      logger.warn({ err: error }, 'A spreadsheet of registrations was not read to its end');
    });
  });

  for (const path of [officePaths.participants, officePaths.participantsCsv])
    router.get(path, async (req: Request, res: Response) => {
      const { edition } = readListQuery(req.query, editions);
      const query: ListQuery = { ...everybodyOf(edition), group: 'attending', sort: 'name' };
      const portions = await readAll(res, query, async () => new Map());
      if (!portions) return;
      const rows: ListedRow[] = [];
      for await (const some of portions) rows.push(...some);
      const { ParticipantsPage, participantsCsv } = await import('./hand-on.tsx');
      if (path === officePaths.participants)
        return send(res, 200, 'Participants', <ParticipantsPage edition={edition} rows={rows} now={now()} />);
      beginFile(res, 'participants', edition);
      res.send(participantsCsv(rows));
    });
}
