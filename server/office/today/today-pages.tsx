import type { IRouter } from 'express';
import * as v from 'valibot';
import { readAnnouncements } from '#server/letters/announcements.ts';
import { inTurns } from '#server/office/letters/readers.ts';
import { readTallies, sumsOf } from '#server/office/list/find-listed.ts';
import { noteShown } from '#server/office/looks.ts';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import { pageSender } from '#server/office/office-document.tsx';
import { Unreadable } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { timelineOf } from '#server/office/timeline.ts';
import { readHeldIn } from '#server/registration/held-register.ts';
import { localClock } from '#server/service/local-clock.ts';
import { itemsOf } from '#server/worker/office-digest.ts';
import { registrationsOf } from '#server/worker/registration-list.ts';
import { edition as onSale } from '#shared/content/compiled/on-sale/edition.ts';
import type { Edition } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { addDays, withUtcOffset } from '#shared/dates.ts';
import { Foreseen } from './foresee.ts';
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
  router.get(officePaths.today, async (req, res) => {
    const edition = findEdition(v.parse(v.fallback(v.string(), ''), req.query.edition)) ?? onSale;
    try {
      const view = await readToday(edition, dependencies);
      noteShown(res, { rows: view.needs.length });
      send(res, 200, 'Today', <TodayPage {...view} />);
    } catch (error) {
      logger.warn({ err: error }, 'The day of the office cannot be read');
      send(res, 503, 'Today', <Unreadable />);
    }
  });
}

async function readToday(edition: Edition, dependencies: Dependencies): Promise<TodayView> {
  const { database, mailQueue, letterLog, admission, payments } = dependencies;
  if (!(await mailQueue.isAnswering())) throw new Error('Redis does not answer');
  const now = dependencies.now();
  const sources = { queue: mailQueue.bullQueue, letterLog, database, admission };
  const items = await itemsOf(edition, now, sources);
  const announced = await readAnnouncements(payments, edition);
  const records = (await registrationsOf(payments, edition)).slice(0, MOST_LOOKED_AT);
  const byId = new Map(records.map((record) => [record.id, record]));
  const needs = items.map((item) => {
    const record = byId.get(item.registration ?? '');
    return { item, about: record && { record, announced, now } };
  });
  const zone = edition.timetable.timeZone.id;
  const day = localClock(zone).dateOf(now);
  const dayStart = (days: number) => new Date(withUtcOffset(`${addDays(day, days)}T00:00`, zone));
  const today = new Foreseen({ from: now, until: dayStart(1) }, now);
  const tomorrow = new Foreseen({ from: dayStart(1), until: dayStart(2) }, now);
  await inTurns(records, (record) => {
    today.add(record, announced);
    tomorrow.add(record, announced);
  });
  const happened = records
    .flatMap((record) => timelineOf(record).map((one) => ({ ...one, record })))
    .filter(({ at }) => at >= dayStart(-1) && at <= now)
    .toSorted((one, other) => other.at.getTime() - one.at.getTime());
  const { held, tallies } = await database.read(async (transaction) => ({
    held: await readHeldIn(transaction),
    tallies: await readTallies(transaction, { edition, search: '' }),
  }));
  return {
    edition,
    day,
    held,
    needs,
    today,
    tomorrow,
    happened,
    places: edition.facts.places === undefined ? undefined : await admission.places.count(edition.facts),
    money: sumsOf(tallies, 'all'),
    lateCents: sumsOf(tallies, 'late').toPayCents,
  };
}
