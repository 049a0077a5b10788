import type { IRouter } from 'express';
import { readAnnouncements } from '#server/letters/announcements.ts';
import { inTurns } from '#server/office/letters/readers.ts';
import { readTallies, sumsOf } from '#server/office/list/find-listed.ts';
import { noteShown } from '#server/office/looks.ts';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import { pageSender } from '#server/office/office-document.tsx';
import { Unreadable } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { timelineOf } from '#server/office/timeline.ts';
import { readHeldIn } from '#server/registration/registration.ts';
import { localClock } from '#server/service/local-clock.ts';
import { itemsOf } from '#server/worker/office-digest.ts';
import { registrationsOf } from '#server/worker/registration-index.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import { edition as onSale } from '#shared/content/compiled/on-sale.ts';
import type { Edition } from '#shared/content/edition.ts';
import { addDays, withUtcOffset } from '#shared/dates.ts';
import { Forecast } from './forecast.ts';
import { TodayPage, type TodayView } from './today-page.tsx';

type Dependencies = Pick<
  OfficeDependencies,
  'assets' | 'database' | 'mailQueue' | 'letterLog' | 'admission' | 'payments' | 'now' | 'logger'
>;

/** More are not looked through: a look at each takes some tenths of a millisecond. */
const MOST_LOOKED_AT = 1_000;

/** The page on which the office begins its day. */
export function addTodayPage(router: IRouter, dependencies: Dependencies): void {
  const { assets, logger } = dependencies;
  const send = pageSender(assets);
  router.get(officePaths.today, async (_req, res) => {
    try {
      const view = await readToday(dependencies);
      noteShown(res, { rows: view.needs.length });
      send(res, 200, 'Today', <TodayPage {...view} />);
    } catch (error) {
      logger.warn({ err: error }, 'The day of the office cannot be read');
      send(res, 503, 'Today', <Unreadable />);
    }
  });
}

/** All editions together: while one is on sale, the office may still have to do about the one before. */
async function readToday(dependencies: Dependencies): Promise<TodayView> {
  const { database, mailQueue } = dependencies;
  if (!(await mailQueue.isAnswering())) throw new Error('Redis does not answer');
  const now = dependencies.now();
  const zone = onSale.timetable.timeZone.id;
  const day = localClock(zone).dateOf(now);
  const dayStart = (days: number) => new Date(withUtcOffset(`${addDays(day, days)}T00:00`, zone));
  const today = new Forecast({ from: now, until: dayStart(1) }, now);
  const tomorrow = new Forecast({ from: dayStart(1), until: dayStart(2) }, now);
  const needs: TodayView['needs'][number][] = [];
  const happened: TodayView['happened'][number][] = [];
  const sums: TodayView['sums'][number][] = [];
  for (const edition of editions) {
    const { records, announced, items, ...sum } = await readEdition(edition, now, dependencies);
    const byId = new Map(records.map((record) => [record.id, record]));
    for (const item of items) {
      const record = byId.get(item.registration ?? '');
      needs.push({ edition, item, about: record && { record, announced, now } });
    }
    await inTurns(records, (record) => {
      today.add(record, announced);
      tomorrow.add(record, announced);
      for (const one of timelineOf(record))
        if (one.at >= dayStart(-1) && one.at <= now) happened.push({ ...one, record });
    });
    if (edition === onSale || records.length > 0) sums.push({ edition, ...sum });
  }
  happened.sort((one, other) => other.at.getTime() - one.at.getTime());
  return { day, held: await database.read(readHeldIn), needs, today, tomorrow, happened, sums };
}

async function readEdition(edition: Edition, now: Date, dependencies: Dependencies) {
  const { database, mailQueue, letterLog, admission, payments } = dependencies;
  const sources = { queue: mailQueue.bullQueue, letterLog, database, admission };
  const items = await itemsOf(edition, now, sources);
  const tallies = await database.read((transaction) => readTallies(transaction, { edition, search: '' }));
  return {
    items,
    records: await registrationsOf(payments, edition, MOST_LOOKED_AT),
    announced: await readAnnouncements(payments, edition),
    places: edition.facts.places === undefined ? undefined : await admission.places.count(edition.facts),
    money: sumsOf(tallies, 'all'),
    lateCents: sumsOf(tallies, 'late').toPayCents,
  };
}
