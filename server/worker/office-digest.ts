import type { Database } from '#server/database/database.ts';
import { allAnnounced } from '#server/letters/retreat-letters.ts';
import { isSentOrDismissed, letterNow } from '#server/letters/table.ts';
import {
  goesToOffice,
  isKeptMail,
  type MailOf,
  mailJobId,
  mailRules,
  mailVersion,
} from '#server/mail/job.ts';
import type { LetterLog, RecordedLetter } from '#server/mail/letter-log.ts';
import { type LetterQueue, oweLetters } from '#server/mail/queue.ts';
import { HERSELF } from '#server/registration/acts.ts';
import { needsOf, needsRoom } from '#server/registration/office-needs.ts';
import { lastOfKind } from '#server/registration/on-record.ts';
import { countRegister } from '#server/registration/register-counts.ts';
import { refreshIndex } from '#server/registration/registration-index.ts';
import { findRegistrations } from '#server/registration/registration-list.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { nameOf } from '#server/registration/registrations.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import { facts as onSale } from '#shared/content/compiled/on-sale/facts.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { OfficeChange, OfficeItem } from '#shared/content/office-digest-words.ts';
import { withUtcOffset } from '#shared/dates.ts';
import { tellZonedTime } from '#shared/zoned-time.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** In the retreat's time zone. */
const FIRST_HOUR = '08:00';
/** How long after an edition the office is told. */
const TOLD_AFTER_MS = 30 * DAY_MS;
/** At most this many failed letters are listed: more of them have one common cause. */
const MOST_FAILED = 100;
type Digest = MailOf<'office-digest'>;

export interface DigestSources {
  queue: LetterQueue;
  letterLog: Pick<LetterLog, 'owe' | 'find'>;
  database: Database;
  /** What the office has to do about the waiting list of an edition, if it has one. */
  waitingNeeds: (edition: Edition, now: Date) => Promise<OfficeItem[]>;
}

/**
 * Queues the day's digest of each edition where something needs the office or has changed, from eight in the morning on.
 * @param catchUpTo catches up with Stripe, for which a digest waits
 */
export async function queueDigests(
  now: Date,
  sources: DigestSources,
  catchUpTo: (moment: Date) => Promise<void>,
): Promise<void> {
  for (const edition of editions) {
    const about = { edition: edition.facts.id, day: dayAt(now, edition) };
    const digest: Digest = { kind: 'office-digest', ...about, items: [], changes: [] };
    const id = mailJobId(digest);
    const earlier = (await sources.letterLog.find([id])).get(id);
    if (!isTimeFor(now, edition) || earlier?.state === 'sent' || earlier?.state === 'dismissed') continue;
    const isNeeded =
      (await itemsOf(edition, now, sources)).length > 0 ||
      (await changesOf(edition, about.day, sources)).length > 0;
    if (!isNeeded) continue;
    if (earlier?.state !== 'owed') await catchUpTo(now);
    await oweLetters([digest], { ...sources, now });
  }
}

/** A queued digest with its current content; undefined once its day is over, or it has nothing to say any more. */
export async function findDigest(
  digest: Digest,
  now: Date,
  sources: DigestSources,
): Promise<Digest | undefined> {
  const edition = editions.find(({ facts }) => facts.id === digest.edition);
  if (!edition) throw new Error(`This release does not know the edition ${digest.edition}`);
  if (dayAt(now, edition) !== digest.day) return undefined;
  const items = await itemsOf(edition, now, sources);
  const changes = await changesOf(edition, digest.day, sources);
  return items.length + changes.length > 0 ? { ...digest, items, changes } : undefined;
}

/**
 * What registrants have changed on their pages, and which places were handed over, until the first hour of a day and since
 * that of the day whose digest was sent last: each is told once, whenever a digest is sent.
 */
async function changesOf(
  { facts, timetable }: Edition,
  day: string,
  { database }: Pick<DigestSources, 'database'>,
): Promise<OfficeChange[]> {
  const firstHour = (date: string) => new Date(withUtcOffset(`${date}T${FIRST_HOUR}`, timetable.timeZone.id));
  return database.read(async (transaction) => {
    const { last } = await transaction
      .selectFrom('letters')
      .select(({ fn }) => fn.max('version').as('last'))
      .where('subject', '=', facts.id)
      .where('kind', '=', 'office-digest' satisfies Digest['kind'])
      .where('state', '=', 'sent')
      .where('version', '<', day)
      .executeTakeFirstOrThrow();
    const rows = await transaction
      .selectFrom('acts')
      .innerJoin('registrations', 'registrations.id', 'acts.subject')
      .selectAll('acts')
      .select(['registrations.firstName', 'registrations.lastName'])
      .where('registrations.edition', '=', facts.id)
      .where('registrations.forgottenAt', 'is', null)
      .where('acts.happenedAt', '<', firstHour(day))
      .where('acts.happenedAt', '>=', last ? firstHour(last) : new Date(0))
      .where(({ eb, or, and }) =>
        or([
          and([eb('acts.kind', '=', 'corrected'), eb('acts.byWhom', '=', HERSELF)]),
          eb('acts.kind', '=', 'handed-over'),
        ]),
      )
      .orderBy('acts.happenedAt')
      .execute();
    return rows.flatMap((row): OfficeChange[] => {
      const about = { registration: row.subject, name: nameOf(row), at: row.happenedAt.toISOString() };
      const corrected = lastOfKind([row], 'corrected');
      const handedOver = lastOfKind([row], 'handed-over');
      if (corrected) return [{ ...about, detail: corrected.detail, was: corrected.was }];
      return handedOver ? [{ ...about, detail: 'place', was: nameOf(handedOver) }] : [];
    });
  });
}

function dayAt(now: Date, { timetable }: Edition): string {
  return tellZonedTime(now, timetable.timeZone.id, '24').date;
}

function isTimeFor(now: Date, { facts, timetable }: Edition): boolean {
  const { clock } = tellZonedTime(now, timetable.timeZone.id, '24');
  return clock >= FIRST_HOUR && now.getTime() < Date.parse(facts.endsAt) + TOLD_AFTER_MS;
}

async function itemsOf(edition: Edition, now: Date, sources: DigestSources): Promise<OfficeItem[]> {
  const { database, waitingNeeds } = sources;
  const { attention, overbooked } = await countRegister(database);
  const count = edition.facts.id === onSale.id ? attention : 0;
  const tooMany = overbooked.find((one) => one.edition === edition.facts.id)?.count ?? 0;
  const needy = await findRegistrations(sources, await findNeedy(database, edition, now));
  return [
    ...[...needy.values()].flatMap((record) => needsOf(record, now)),
    ...(await failedLetters(sources, now, edition)),
    ...(await waitingNeeds(edition, now)),
    ...(count > 0 ? [{ need: 'payments', count } as const] : []),
    ...(tooMany > 0 ? [{ need: 'overbooked', count: tooMany } as const] : []),
    ...((await needsRoom(database, edition, now)) ? [{ need: 'no-room' } as const] : []),
  ];
}

/** The registrations for which the office has something to do, the newest first. */
async function findNeedy(database: Database, { facts }: Edition, now: Date): Promise<string[]> {
  await refreshIndex(database, facts, now);
  const rows = await database.read((transaction) =>
    transaction
      .selectFrom('registrationIndex')
      .select('registration')
      .where('edition', '=', facts.id)
      .where('needs', '!=', '')
      .orderBy('begunAt', 'desc')
      .execute(),
  );
  return rows.map(({ registration }) => registration);
}

export interface FailedLetters {
  queue: Pick<LetterQueue, 'getFailed'>;
  letterLog: Pick<LetterLog, 'find'>;
}

/** The letters that failed and are not retried automatically, and since when. */
export async function readFailed({
  queue,
  letterLog,
}: FailedLetters): Promise<{ letter: RecordedLetter; since: string }[]> {
  const jobs = await queue.getFailed(0, MOST_FAILED - 1);
  const letters = await letterLog.find(jobs.map(({ id = '' }) => id));
  return jobs.flatMap(({ id = '', finishedOn, timestamp }) => {
    const letter = letters.get(id);
    return letter ? { letter, since: new Date(finishedOn ?? timestamp).toISOString() } : [];
  });
}

/** Failed letters about registrations, by default of all editions, as long as they apply. */
export async function failedLetters(
  sources: FailedLetters & { database: Database },
  now: Date,
  edition?: Edition,
): Promise<OfficeItem[]> {
  const failed = await readFailed(sources);
  const subjects = failed.map(({ letter }) => letter.subject);
  const records = await findRegistrations(sources, subjects);
  return failed.flatMap(({ letter, since }): OfficeItem[] => {
    const record = records.get(letter.subject);
    if (!record || !isMissed(letter, record, now)) return [];
    if (edition && record.edition.facts.id !== edition.facts.id) return [];
    const about = { registration: record.id, name: nameOf(record.registrant) };
    return [{ need: 'letter-failed', ...about, mail: letter.id, since }];
  });
}

/**
 * Whether a letter that failed is still owed, or was requested again, and would go to the same address. A
 * letter to her former address, or to one that she has not confirmed, does not concern the office.
 */
function isMissed(failed: RecordedLetter, record: RegistrationRecord, now: Date): boolean {
  const { kind, version, address, again } = failed;
  if (mailRules[kind].to === 'elsewhere') return false;
  if (isKeptMail(kind)) {
    const { revision } = record.edition.facts.calendar;
    // An earlier schedule may be the one that was announced.
    return Array.from({ length: revision + 1 }, (_, earlier) => revision - earlier).some((announced) => {
      const letter = letterNow(kind, record, now, allAnnounced(record.edition, now, announced));
      return letter && mailVersion(letter) === version && (again || !isSentOrDismissed(letter, record));
    });
  }
  if (!goesToOffice(failed) && address.toLowerCase() !== record.registrant.email.toLowerCase()) return false;
  if (kind === 'message') return failed.state === 'owed';
  return record.deposit === 'paid';
}
