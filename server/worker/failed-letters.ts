import type { Database } from '#server/database/database.ts';
import { allAnnounced } from '#server/letters/retreat-letters.ts';
import { isSentOrDismissed, letterNow } from '#server/letters/table.ts';
import { goesToOffice, isKeptMail, mailRules, mailVersion } from '#server/mail/job.ts';
import type { LetterLog, RecordedLetter } from '#server/mail/letter-log.ts';
import type { LetterQueue } from '#server/mail/queue.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { nameOf } from '#server/registration/registrations.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { OfficeItem } from '#shared/content/office-digest-words.ts';
import { findRegistrations } from './registration-list.ts';

/** At most this many failed letters are listed: more of them have one common cause. */
const MOST_FAILED = 100;

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
