import { findTest, readAnnouncements, readMessages } from '#server/letters/announcements.ts';
import { placeLinkLetter } from '#server/letters/holder-letters.ts';
import { messageLetter } from '#server/letters/message.ts';
import { isSentOrDismissed, lettersNow } from '#server/letters/table.ts';
import { waitingLetterDue } from '#server/letters/waiting-letters.ts';
import {
  asksToPay,
  isAnnounced,
  isKeptMail,
  isMessageName,
  isWaitingMail,
  type KeptLetter,
  type KeptMailKind,
  type MailJob,
  type MailOf,
  mailVersion,
  messageIdOf,
  type RegistrationMail,
} from '#server/mail/job.ts';
import type { LetterLog, RecordedLetter } from '#server/mail/letter-log.ts';
import { type Register, unreadablePayment } from '#server/registration/acts.ts';
import { readRegistrations } from '#server/registration/read-registration.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import type { WaitingList } from '#server/registration/waiting-list.ts';
import { isInGroup } from './registration-index.ts';

type Digest = MailOf<'office-digest'>;

interface OutboxDependencies {
  payments: Register;
  waitingList: Pick<WaitingList, 'find'>;
  letterLog: Pick<LetterLog, 'isHeld' | 'isCaughtUp' | 'find' | 'has' | 'noteTry' | 'markSent' | 'drop'>;
  /** The site's clock. */
  now: () => Date;
  findDigest: (digest: Digest) => Promise<Digest | undefined>;
}

/** Through this the mail worker finds the letter of a job as it is to be sent now, and records that it was sent. */
export function createOutbox(dependencies: OutboxDependencies) {
  const { payments, waitingList, letterLog, now, findDigest } = dependencies;
  const letterOf = async (recorded: RecordedLetter): Promise<MailJob | undefined> => {
    const { kind, subject, version } = recorded;
    if (kind === 'office-digest')
      return findDigest({ kind, edition: subject, day: version, items: [], changes: [] });
    if (isWaitingMail(kind)) {
      const entry = await waitingList.find(subject);
      return entry && waitingLetterDue(recorded, entry, now());
    }
    if (kind === 'message-test') return findTest(payments, subject, version);
    return findOwedLetter(payments, { ...recorded, kind }, now());
  };
  return {
    async findDue(id: string): Promise<MailJob | 'sent' | 'not due' | 'held'> {
      // A register that is older than it was may not know that a letter is due.
      if (await letterLog.isHeld()) return 'held';
      const recorded = (await letterLog.find([id])).get(id);
      // A worker lost the lock of the job after it had sent the letter.
      if (recorded?.state === 'sent') return 'sent';
      // Before the letter is read: what catch-up records after that, the letter may not know.
      const isCaughtUp = !recorded || (await letterLog.isCaughtUp(recorded.owedAt));
      const letter = recorded?.state === 'owed' ? await letterOf(recorded) : undefined;
      if (letter && !isCaughtUp && asksToPay(letter)) return 'held';
      if (letter) return (await letterLog.noteTry(id, now())) ? letter : 'held';
      if (!recorded && (await letterLog.has(id)))
        throw new Error(`This release does not know the letter ${id}: another one may send it`);
      await letterLog.drop(id, now());
      return 'not due';
    },
    now,
    markSent: letterLog.markSent,
  };
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
  const letter = record && (await findLetter(register, record, kind, now, version));
  if (!letter || mailVersion(letter) !== version) return undefined;
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
  return isMessageName(name)
    ? findLetter(register, record, 'message', now, messageIdOf(name))
    : findLetter(register, record, name, now);
}

async function findRecord({ database }: Register, id: string): Promise<RegistrationRecord | undefined> {
  const all = await database.read((transaction) => readRegistrations(transaction, [id]));
  const { record, problem } = all.get(id) ?? {};
  if (problem?.isOfOtherRelease) throw unreadablePayment(`${id}: ${problem.why}`);
  return record;
}

/** @param version which one it is, of several of a kind; by default the first, and of receipts the last */
async function findLetter(
  register: Register,
  record: RegistrationRecord,
  kind: RegistrationMail['kind'],
  now: Date,
  version = '',
): Promise<RegistrationMail | undefined> {
  if (isKeptMail(kind)) {
    const letters = lettersNow(kind, record, now, await announcedTo(register, kind, record));
    const usual = letters.at(kind === 'part-paid' ? -1 : 0);
    return letters.find((one) => mailVersion(one) === version) ?? usual;
  }
  if (kind === 'place-link') return placeLinkLetter(record, version);
  const written = (await readMessages(register, record.edition)).find(({ message }) => message === version);
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
