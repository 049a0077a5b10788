import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, Response, Router } from 'express';
import { isRegisterAway } from '#server/database/database.ts';
import { noteShown } from '#server/office/looks.ts';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import { pageSender } from '#server/office/office-document.tsx';
import { officePaths } from '#server/office/paths.ts';
import { readHeldIn } from '#server/registration/held-register.ts';
import { localClock } from '#server/service/local-clock.ts';
import { refreshIndex } from '#server/worker/look.ts';
import { needsRoom } from '#server/worker/office-needs.ts';
import { failedLetters } from '#server/worker/outbox.ts';
import { editions as allEditions } from '#shared/content/compiled/editions.ts';
import { edition as onSale } from '#shared/content/compiled/on-sale/edition.ts';
import type { Edition } from '#shared/content/edition.ts';
import { totalsOf } from './figures.tsx';
import {
  countGroups,
  type Failed,
  findListed,
  type ListedRow,
  type ListQuery,
  ROWS_A_PAGE,
  readListQuery,
  readRows,
  readTallies,
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
  /** What was read, or else what there is instead: the log has the reason. */
  const readOr = <Read, Else>(read: Promise<Read>, otherwise: () => Else, words: string) =>
    read.catch((error: unknown) => {
      logger.warn({ err: error }, words);
      return otherwise();
    });
  /** What was read; if it cannot be read, sends an answer that says so, and returns undefined. */
  const readOrExplain = <Read,>(res: Response, read: () => Promise<Read>) => {
    const explain = () => void send(res, 503, 'Registrations', <NotThere />);
    return readOr(read(), explain, 'The list of registrations cannot be read');
  };
  /** Has the index say what is true now, and returns whether it does: while the register can only be read, it cannot. */
  const bringUpToDate = async (edition: Edition): Promise<boolean> => {
    try {
      await refreshIndex(database, edition, now());
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

  /** The counts of places; undefined if the edition has no number of places, and while they cannot be read. */
  const placesOf = async ({ facts }: Edition) =>
    facts.places === undefined
      ? undefined
      : readOr(admission.places.count(facts), () => undefined, 'The places of a retreat cannot be read');
  const isRoomMissing = (edition: Edition) =>
    readOr(needsRoom(database, edition, now()), () => false, 'Whether there is a video room cannot be read');

  router.get(officePaths.list, async (req: Request, res: Response) => {
    const asked = readListQuery(req.query, editions);
    const { edition } = asked;
    const isOverview = asked.search === '' && asked.group === 'all' && asked.page === 1;
    const read = await readOrExplain(res, async () => {
      const failed = await findFailed();
      const isOutdated = !(await bringUpToDate(edition));
      return database.read(async (transaction) => {
        const tallies = await readTallies(transaction, asked);
        const counts = await countGroups(transaction, asked, tallies, failed);
        const pages = Math.max(1, Math.ceil((counts.get(asked.group) ?? 0) / ROWS_A_PAGE));
        const query = { ...asked, page: Math.min(asked.page, pages) };
        const onPage = { limit: ROWS_A_PAGE, offset: (query.page - 1) * ROWS_A_PAGE };
        const deposits = await findListed(transaction, query, failed, onPage);
        const rows = await readRows(transaction, deposits, failed);
        const held = await readHeldIn(transaction);
        return { query, counts, rows, tallies, isOutdated, held };
      });
    });
    if (!read) return;
    const { tallies, ...list } = read;
    noteShown(res, { rows: list.rows.length, search: asked.search !== '' || undefined });
    const overview = isOverview
      ? {
          totals: totalsOf(tallies),
          places: await placesOf(edition),
          isRoomMissing: await isRoomMissing(edition),
        }
      : undefined;
    const { ListPage } = await import('./list-page.tsx');
    send(res, 200, 'Registrations', <ListPage {...list} editions={editions} overview={overview} />);
  });

  async function* portionsOf(
    deposits: readonly string[],
    failed: Failed,
    reading: { withAnswers?: boolean } = {},
  ): AsyncGenerator<ListedRow[]> {
    for (let at = 0; at < deposits.length; at += ROWS_AT_ONCE) {
      const some = deposits.slice(at, at + ROWS_AT_ONCE);
      yield await database.read((transaction) => readRows(transaction, some, failed, reading));
    }
  }

  router.get(officePaths.csv, async (req: Request, res: Response) => {
    const query = readListQuery(req.query, editions);
    const { edition } = query;
    const read = await readOrExplain(res, async () => {
      const failed = await findFailed();
      // A spreadsheet cannot say that something is missing in it.
      await refreshIndex(database, edition, now());
      return {
        failed,
        deposits: await database.read((transaction) => findListed(transaction, query, failed)),
      };
    });
    if (!read) return;
    const { failed, deposits } = read;
    const day = localClock(edition.timetable.timeZone.id).dateOf(now());
    const name = `registrations-${edition.facts.id}-${day}.csv`;
    const search = query.search !== '' || undefined;
    noteShown(res, { rows: deposits.length, search });
    const { csvOf } = await import('./hand-on.tsx');
    res.set('Cache-Control', 'no-store').attachment(name).type('text/csv; charset=utf-8');
    const portions = portionsOf(deposits, failed, { withAnswers: edition.questions !== undefined });
    await pipeline(Readable.from(csvOf(edition, portions)), res).catch((error: unknown) => {
      logger.warn({ err: error }, 'A spreadsheet of registrations was not read to its end');
    });
  });

  for (const path of [officePaths.participants, officePaths.participantsCsv])
    router.get(path, async (req: Request, res: Response) => {
      const { edition } = readListQuery(req.query, editions);
      const query: ListQuery = { edition, search: '', group: 'attending', sort: 'name', page: 1 };
      const rows = await readOrExplain(res, async () => {
        // Neither paper nor a file can say that something is missing in it.
        await refreshIndex(database, edition, now());
        const failed: Failed = new Map();
        const deposits = await database.read((transaction) => findListed(transaction, query, failed));
        const found: ListedRow[] = [];
        for await (const some of portionsOf(deposits, failed)) found.push(...some);
        return found;
      });
      if (!rows) return;
      noteShown(res, { rows: rows.length });
      const { ParticipantsPage, participantsCsv } = await import('./hand-on.tsx');
      if (path === officePaths.participants)
        return send(res, 200, 'Participants', <ParticipantsPage edition={edition} rows={rows} now={now()} />);
      const day = localClock(edition.timetable.timeZone.id).dateOf(now());
      res.set('Cache-Control', 'no-store').attachment(`participants-${edition.facts.id}-${day}.csv`);
      res.type('text/csv; charset=utf-8').send(participantsCsv(rows));
    });
}

/** Why there is no list, and what works without it. */
function NotThere() {
  return (
    <>
      <p role="alert">
        The list cannot be read at the moment, because the site’s memory (Redis) or its register does not
        answer. Please load this page again in a few minutes.
      </p>
      <p>
        Nothing is lost. The site goes on taking registrations and payments, Stripe has all of them on record,
        and the messages that are due meanwhile are sent afterwards. In Stripe’s dashboard you can find
        everybody by name or e-mail address. If this lasts for more than half an hour, please tell the person
        who looks after the site.
      </p>
    </>
  );
}
