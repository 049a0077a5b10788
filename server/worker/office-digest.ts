import type { Database } from '#server/database/database.ts';
import { type Mail, mailOf, owedLetter } from '#server/letters/letter-kind.ts';
import type { LetterLog } from '#server/letters/letter-log.ts';
import type { OfficeItem } from '#server/letters/office-digest-words.ts';
import { digestOf, officeLetters } from '#server/letters/office-letters.ts';
import { type LetterQueue, oweLetters } from '#server/letters/queue.ts';
import type { Admission } from '#server/registration/registration.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import { facts as onSale } from '#shared/content/compiled/on-sale.ts';
import type { Edition } from '#shared/content/edition.ts';
import { tellZonedTime } from '#shared/zoned-time.ts';
import { refreshIndex } from './look.ts';
import { needsOf, needsRoom } from './office-needs.ts';
import { failedLetters } from './outbox.ts';
import { countRegister, findRegistrations } from './registration-index.ts';
import { waitingNeeds } from './waiting-work.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** In the retreat's time zone. */
const FIRST_HOUR = '08:00';
/** How long after an edition the office is told. */
const TOLD_AFTER_MS = 30 * DAY_MS;

const DIGEST = 'office-digest' satisfies keyof typeof officeLetters;

interface DigestSources {
  queue: LetterQueue;
  letterLog: Pick<LetterLog, 'owe' | 'find'>;
  database: Database;
  admission: Admission;
}

/** @param catchUpTo catches up with Stripe, for which a digest waits */
export async function queueDigests(
  now: Date,
  sources: DigestSources,
  catchUpTo: (moment: Date) => Promise<void>,
): Promise<void> {
  for (const edition of editions) {
    const day = dayAt(now, edition);
    const digest = owedLetter(DIGEST, edition.facts.id, '', { version: day });
    const earlier = (await sources.letterLog.find([digest.id])).get(digest.id);
    // One that had nothing to say was dropped, and may have by now.
    if (!isTimeFor(now, edition) || (earlier && earlier.state !== 'dropped')) continue;
    if (!(await findDigest(edition, day, now, sources))) continue;
    await catchUpTo(now);
    await oweLetters([digest], { ...sources, now });
  }
}

/** A day's digest with its current content; undefined once the day is over, or it has nothing to say any more. */
export async function findDigest(
  edition: Edition,
  day: string,
  now: Date,
  sources: DigestSources,
): Promise<Mail | undefined> {
  if (dayAt(now, edition) !== day) return undefined;
  const items = await itemsOf(edition, now, sources);
  if (items.length === 0) return undefined;
  const about = { id: edition.facts.id, edition };
  return mailOf(DIGEST, officeLetters[DIGEST], about, digestOf(day, items));
}

function dayAt(now: Date, { timetable }: Edition): string {
  return tellZonedTime(now, timetable.timeZone.id, '24').date;
}

function isTimeFor(now: Date, { facts, timetable }: Edition): boolean {
  const { clock } = tellZonedTime(now, timetable.timeZone.id, '24');
  return clock >= FIRST_HOUR && now.getTime() < Date.parse(facts.endsAt) + TOLD_AFTER_MS;
}

export async function itemsOf(edition: Edition, now: Date, sources: DigestSources): Promise<OfficeItem[]> {
  const { database, admission } = sources;
  const { attention, overbooked } = await countRegister(database);
  const count = edition.facts.id === onSale.id ? attention : 0;
  const tooMany = overbooked.find((one) => one.edition === edition.facts.id)?.count ?? 0;
  const needy = await findRegistrations(sources, await findNeedy(database, edition, now));
  return [
    ...[...needy.values()].flatMap((record) => needsOf(record, now)),
    ...(await failedLetters({ ...sources, ...admission }, now, edition)),
    ...(await waitingNeeds(edition, now, admission)),
    ...(count > 0 ? [{ need: 'payments', count } as const] : []),
    ...(tooMany > 0 ? [{ need: 'overbooked', count: tooMany } as const] : []),
    ...((await needsRoom(database, edition, now)) ? [{ need: 'no-room' } as const] : []),
  ];
}

async function findNeedy(database: Database, edition: Edition, now: Date): Promise<string[]> {
  await refreshIndex(database, edition, now);
  const rows = await database.read((transaction) =>
    transaction
      .selectFrom('registrationIndex')
      .select('registration')
      .where('edition', '=', edition.facts.id)
      .where('needs', '!=', '')
      .orderBy('begunAt', 'desc')
      .execute(),
  );
  return rows.map(({ registration }) => registration);
}
