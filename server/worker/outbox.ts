import { isRegisterAway } from '#server/database/database.ts';
import { readAnnouncements } from '#server/letters/announcements.ts';
import { placeLinkLetter } from '#server/letters/holder-letters.ts';
import type { Mail } from '#server/letters/letter-kind.ts';
import type { LetterLog, RecordedLetter } from '#server/letters/letter-log.ts';
import { messageLetter, testLetter } from '#server/letters/message.ts';
import { findTest, readMessages } from '#server/letters/messages.ts';
import type { OfficeItem } from '#server/letters/office-digest-words.ts';
import type { LetterQueue } from '#server/letters/queue.ts';
import {
  isSentOrDismissed,
  type LetterName,
  lettersNow,
  letterTable,
  traitOf,
  waitingLettersDue,
} from '#server/letters/table.ts';
import {
  nameOf,
  type Register,
  type RegistrationRecord,
  readRegistrations,
  unreadablePayment,
  type WaitingList,
} from '#server/registration/registration.ts';
import type { Edition } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { isInGroup } from './registration-index.ts';

interface Subjects extends Register {
  waitingList: Pick<WaitingList, 'find'>;
}

interface OutboxDependencies extends Subjects {
  letterLog: Pick<LetterLog, 'readForSending' | 'noteTry' | 'markSent' | 'drop'>;
  now: () => Date;
  findDigest: (edition: Edition, day: string) => Promise<Mail | undefined>;
}

export function createOutbox(dependencies: OutboxDependencies) {
  const { letterLog, now, findDigest } = dependencies;
  const letterOf = async (recorded: RecordedLetter): Promise<Mail | undefined> => {
    const { kind, subject, version } = recorded;
    if (kind === 'office-digest') return findDigest(editionNamed(subject), version);
    return findRecorded(dependencies, recorded, now());
  };
  return {
    async findDue(id: string): Promise<Mail | 'sent' | 'not due' | 'held'> {
      // Before the letter is found: what catch-up records after that, the letter may not know.
      const { isHeld, isKnown, isCaughtUp, recorded } = await letterLog.readForSending(id);
      // A register that is older than it was may not know that a letter is due.
      if (isHeld) return 'held';
      // A worker lost the lock of the job after it had sent the letter.
      if (recorded?.state === 'sent') return 'sent';
      const letter = recorded?.state === 'owed' ? await letterOf(recorded) : undefined;
      if (letter?.asksToPay && !isCaughtUp) return 'held';
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

/** @throws {Error} for one that this release does not know: another release may send what is about it */
function editionNamed(id: string): Edition {
  const edition = findEdition(id);
  if (!edition) throw new Error(`This release does not know the edition ${id}`);
  return edition;
}

/** A letter on record as it is to be sent now, as `findOwedLetter`; not the digest. */
async function findRecorded(
  subjects: Subjects,
  recorded: RecordedLetter,
  now: Date,
): Promise<Mail | undefined> {
  const { kind, subject, version } = recorded;
  if (kind === 'office-digest') return undefined;
  if (kind === 'message-test') {
    const written = await findTest(subjects, subject, version);
    return written && testLetter(editionNamed(subject), written);
  }
  if (letterTable[kind].about !== 'waiting') return findOwedLetter(subjects, recorded, now);
  const entry = await subjects.waitingList.find(subject);
  const due = entry ? waitingLettersDue(entry, now) : [];
  return due.find((letter) => letter.kind === kind && letter.version === version);
}

type Recorded = Pick<RecordedLetter, 'kind' | 'subject' | 'version' | 'again'>;

/**
 * A letter about a registration as it is to be sent now; undefined when it no longer applies, would go to another address,
 * or is on record as sent or dismissed and nobody requested it again.
 * @throws {AppError} for an edition or a schedule that this release does not know: another release may send it
 */
export async function findOwedLetter(
  register: Register,
  { kind, subject, version, again }: Recorded,
  now: Date,
): Promise<Mail | undefined> {
  const record = await findRecord(register, subject);
  if (!record) return undefined;
  if (kind === 'message') {
    const { letter, groups } = await findMessage(register, record, version);
    const isMeant = again || groups.some((group) => isInGroup(record, group, now));
    return letter && isMeant && (again || !isSentOrDismissed(letter, record)) ? letter : undefined;
  }
  const letters =
    kind === 'place-link' ? [placeLinkLetter(record, version)] : await lettersOf(register, record, kind, now);
  const letter = letters.find((one) => one?.version === version);
  return letter && (again || !isSentOrDismissed(letter, record)) ? letter : undefined;
}

async function findRecord({ database }: Register, id: string): Promise<RegistrationRecord | undefined> {
  const all = await database.read((transaction) => readRegistrations(transaction, [id]));
  const { record, problem } = all.get(id) ?? {};
  if (problem?.isOfOtherRelease) throw unreadablePayment(`${id}: ${problem.why}`);
  return record;
}

async function lettersOf(register: Register, record: RegistrationRecord, name: LetterName, now: Date) {
  const announced = await readAnnouncements(register, record.edition);
  const { id, calendar } = record.edition.facts;
  const { revision = 0 } = announced.scheduleTold ?? {};
  if (name === 'schedule-changed' && revision > calendar.revision)
    throw unreadablePayment(`Revision ${revision} of the schedule of ${id} is unknown here`);
  return lettersNow(name, record, now, announced);
}

async function findMessage(register: Register, record: RegistrationRecord, id: string) {
  const written = (await readMessages(register, record.edition)).find(({ message }) => message === id);
  const letter = written && messageLetter(record, written);
  // One that was stopped is meant for nobody any more.
  return { letter, groups: written && !written.stopped ? written.groups : [] };
}

/** At most this many failed letters are listed: more of them have one common cause. */
const MOST_FAILED = 100;

interface FailedLetters extends Subjects {
  queue: Pick<LetterQueue, 'getFailed'>;
  letterLog: Pick<LetterLog, 'find'>;
}

/** Those that are not retried by themselves, as long as a retry would go to the same address. */
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
    if (!letter || (edition && letter.edition.facts.id !== edition.facts.id)) continue;
    const { isAboutWaiting, subject, person } = letter;
    const registration = isAboutWaiting ? {} : { registration: subject };
    const since = new Date(finishedOn ?? timestamp).toISOString();
    const name = person && { name: nameOf(person) };
    items.push({ need: 'letter-failed', ...registration, ...name, mail: id, since });
  }
  return items;
}

/** Letters to her former address, or to one that she has not confirmed, do not concern the office. */
async function findMissed(failed: RecordedLetter | undefined, subjects: Subjects, now: Date) {
  if (failed?.state !== 'owed' || traitOf(failed.kind, 'to') === 'elsewhere') return undefined;
  const letter = await findRecorded(subjects, failed, now).catch((error: unknown) => {
    if (isRegisterAway(error)) throw error;
    // It belongs to another release.
    return undefined;
  });
  if (!letter?.person) return undefined;
  const isElsewhere = letter.address.toLowerCase() !== failed.address.toLowerCase();
  return isElsewhere && !letter.toOffice ? undefined : letter;
}
