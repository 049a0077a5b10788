import { isRegisterAway } from '#server/database/database.ts';
import { findTest, readAnnouncements, readMessages } from '#server/letters/announcements.ts';
import { placeLinkLetter } from '#server/letters/holder-letters.ts';
import { messageLetter } from '#server/letters/message.ts';
import { isSentOrDismissed, lettersNow } from '#server/letters/table.ts';
import { waitingLetterDue } from '#server/letters/waiting-letters.ts';
import {
  addresseeOf,
  asksToPay,
  goesToOffice,
  isAboutPerson,
  isAboutRegistration,
  isAnnounced,
  isKeptMail,
  isMessageName,
  isWaitingMail,
  type KeptLetter,
  type KeptMailKind,
  type MailJob,
  type MailOf,
  mailRules,
  mailVersion,
  messageIdOf,
  type RegistrationMail,
} from '#server/mail/job.ts';
import type { LetterLog, RecordedLetter } from '#server/mail/letter-log.ts';
import type { LetterQueue } from '#server/mail/queue.ts';
import { type Register, unreadablePayment } from '#server/registration/acts.ts';
import { readRegistrations } from '#server/registration/read-registration.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { nameOf } from '#server/registration/registrations.ts';
import type { WaitingList } from '#server/registration/waiting-list.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { OfficeItem } from '#shared/content/office-digest-words.ts';
import { isInGroup } from './registration-index.ts';

type Digest = MailOf<'office-digest'>;

interface Subjects extends Register {
  waitingList: Pick<WaitingList, 'find'>;
}

interface OutboxDependencies extends Subjects {
  letterLog: Pick<LetterLog, 'readForSending' | 'noteTry' | 'markSent' | 'drop'>;
  now: () => Date;
  findDigest: (digest: Digest) => Promise<Digest | undefined>;
}

/** Through this the mail worker finds the letter of a job as it is to be sent now, and records that it was sent. */
export function createOutbox(dependencies: OutboxDependencies) {
  const { letterLog, now, findDigest } = dependencies;
  const letterOf = async (recorded: RecordedLetter): Promise<MailJob | undefined> => {
    const { kind, subject: edition, version: day } = recorded;
    if (kind === 'office-digest') return findDigest({ kind, edition, day, items: [], changes: [] });
    return findRecorded(dependencies, recorded, now());
  };
  return {
    async findDue(id: string): Promise<MailJob | 'sent' | 'not due' | 'held'> {
      // Before the letter is found: what catch-up records after that, the letter may not know.
      const { isHeld, isKnown, isCaughtUp, recorded } = await letterLog.readForSending(id);
      // A register that is older than it was may not know that a letter is due.
      if (isHeld) return 'held';
      // A worker lost the lock of the job after it had sent the letter.
      if (recorded?.state === 'sent') return 'sent';
      const letter = recorded?.state === 'owed' ? await letterOf(recorded) : undefined;
      if (letter && !isCaughtUp && asksToPay(letter)) return 'held';
      if (letter) return (await letterLog.noteTry(id, now())) ? letter : 'held';
      if (isKnown && !recorded)
        throw new Error(`This release does not know the letter ${id}: another one may send it`);
      await letterLog.drop(id, now());
      return 'not due';
    },
    now,
    markSent: letterLog.markSent,
  };
}

/** A letter on record as it is to be sent now, as `findOwedLetter`; not the digest. */
async function findRecorded(
  subjects: Subjects,
  recorded: RecordedLetter,
  now: Date,
): Promise<MailJob | undefined> {
  const { kind, subject, version } = recorded;
  if (kind === 'office-digest') return undefined;
  if (kind === 'message-test') return findTest(subjects, subject, version);
  if (!isWaitingMail(kind)) return findOwedLetter(subjects, { ...recorded, kind }, now);
  const entry = await subjects.waitingList.find(subject);
  return entry && waitingLetterDue(recorded, entry, now);
}

type OwedLetter = Pick<RecordedLetter, 'subject' | 'version' | 'again'> & Pick<RegistrationMail, 'kind'>;

/**
 * A letter as it is to be sent now; undefined when it no longer applies, would go to another address, or is
 * on record as sent or dismissed and nobody requested it again.
 * @throws {AppError} for an edition or a schedule that this release does not know: another release may send it
 */
export async function findOwedLetter(
  register: Register,
  { kind, subject, version, again }: OwedLetter,
  now: Date,
): Promise<RegistrationMail | undefined> {
  const record = await findRecord(register, subject);
  const letters = record ? await lettersOf(register, record, kind, now, version) : [];
  const letter = letters.find((one) => mailVersion(one) === version);
  if (!record || !letter) return undefined;
  if (again) return { ...letter, again: true };
  const isMeant = letter.kind !== 'message' || letter.groups.some((group) => isInGroup(record, group, now));
  return isMeant && !isSentOrDismissed(letter, record) ? letter : undefined;
}

/**
 * A letter with a registration's current facts, sent or not; undefined when it does not apply, or there is no such
 * registration.
 * @throws {AppError} as `findOwedLetter`
 */
export async function findMail(
  register: Register,
  registration: string,
  name: KeptLetter,
  now: Date,
): Promise<RegistrationMail | undefined> {
  const record = await findRecord(register, registration);
  if (!record) return undefined;
  const letters = isMessageName(name)
    ? await lettersOf(register, record, 'message', now, messageIdOf(name))
    : await lettersOf(register, record, name, now);
  return letters.at(name === 'part-paid' ? -1 : 0);
}

async function findRecord({ database }: Register, id: string): Promise<RegistrationRecord | undefined> {
  const all = await database.read((transaction) => readRegistrations(transaction, [id]));
  const { record, problem } = all.get(id) ?? {};
  if (problem?.isOfOtherRelease) throw unreadablePayment(`${id}: ${problem.why}`);
  return record;
}

/** @param version of a letter that somebody asked for, of which there is one of each version */
async function lettersOf(
  register: Register,
  record: RegistrationRecord,
  kind: RegistrationMail['kind'],
  now: Date,
  version = '',
): Promise<readonly RegistrationMail[]> {
  if (isKeptMail(kind)) return lettersNow(kind, record, now, await announcedTo(register, kind, record));
  const letter = await (kind === 'place-link'
    ? placeLinkLetter(record, version)
    : findMessage(register, record, version));
  return letter ? [letter] : [];
}

async function findMessage(register: Register, record: RegistrationRecord, id: string) {
  const written = (await readMessages(register, record.edition)).find(({ message }) => message === id);
  // One that was stopped is meant for nobody any more.
  return written && messageLetter(record, written.stopped ? { ...written, groups: [] } : written);
}

/** The announcements that a letter depends on; for a letter that depends on none, nothing is read. */
async function announcedTo(register: Register, kind: KeptMailKind, { edition }: RegistrationRecord) {
  if (!isAnnounced(kind)) return undefined;
  const announced = await readAnnouncements(register, edition);
  const { id, calendar } = edition.facts;
  const { revision = 0 } = announced.scheduleTold ?? {};
  if (kind === 'schedule-changed' && revision > calendar.revision)
    throw unreadablePayment(`Revision ${revision} of the schedule of ${id} is unknown here`);
  return announced;
}

/** At most this many failed letters are listed: more of them have one common cause. */
const MOST_FAILED = 100;

interface FailedLetters extends Subjects {
  queue: Pick<LetterQueue, 'getFailed'>;
  letterLog: Pick<LetterLog, 'find'>;
}

/**
 * The letters that failed and are not retried automatically, by default of all editions, as long as a retry would send them
 * to the same address.
 */
export async function failedLetters(
  sources: FailedLetters,
  now: Date,
  edition?: Edition,
): Promise<OfficeItem[]> {
  const jobs = await sources.queue.getFailed(0, MOST_FAILED - 1);
  const letters = await sources.letterLog.find(jobs.map(({ id = '' }) => id));
  const items: OfficeItem[] = [];
  for (const { id = '', finishedOn, timestamp } of jobs) {
    const letter = await findMissed(letters.get(id), sources, now);
    if (!letter || (edition && letter.edition !== edition.facts.id)) continue;
    const registration = isAboutRegistration(letter) ? { registration: letter.registration } : {};
    const since = new Date(finishedOn ?? timestamp).toISOString();
    items.push({ need: 'letter-failed', ...registration, name: nameOf(letter), mail: id, since });
  }
  return items;
}

/** Letters to her former address, or to one that she has not confirmed, do not concern the office. */
async function findMissed(failed: RecordedLetter | undefined, subjects: Subjects, now: Date) {
  if (failed?.state !== 'owed' || mailRules[failed.kind].to === 'elsewhere') return undefined;
  const letter = await findRecorded(subjects, failed, now).catch((error: unknown) => {
    if (isRegisterAway(error)) throw error;
    // It belongs to another release.
    return undefined;
  });
  if (!letter || !isAboutPerson(letter)) return undefined;
  const isElsewhere = addresseeOf(letter).toLowerCase() !== failed.address.toLowerCase();
  return isElsewhere && !goesToOffice(letter) ? undefined : letter;
}
