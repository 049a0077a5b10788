import {
  type AnnouncedPeople,
  type Announcing,
  announcedPeople,
  type LetterProgress,
  letterProgress,
} from '#server/acts/announce.ts';
import { STATES } from '#server/acts/mail-jobs.ts';
import { messageProgress } from '#server/acts/write-message.ts';
import type { OfficeDependencies } from '#server/office/office-dependencies.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { Edition } from '#shared/content/edition.ts';

type LettersDependencies = Pick<OfficeDependencies, 'registrationList' | 'payments' | 'mailQueue' | 'now'>;

/** Who gets a letter, and the progress of the letters once they were announced. */
export interface LettersToAll extends AnnouncedPeople {
  /** Absent before it is announced. */
  progress?: LetterProgress;
}

export interface EditionLetters extends Announcing {
  schedule: LettersToAll;
  /** Absent if no session is recorded. */
  recordings?: LettersToAll;
  /** The letters that the office wrote, with what has become of them. */
  written: Awaited<ReturnType<typeof writtenIn>>;
}

/** Reads the letters of each edition that has registrants. */
export async function readLetters(dependencies: LettersDependencies): Promise<EditionLetters[]> {
  const read: EditionLetters[] = [];
  for (const edition of editions) {
    const records = await dependencies.registrationList.list(edition);
    if (records.length > 0) read.push(await lettersOf(edition, records, dependencies));
  }
  return read;
}

export async function readAnnouncing(
  edition: Edition,
  { payments, now }: LettersDependencies,
): Promise<Announcing> {
  const announced = await payments.readAnnouncements(edition);
  const messages = await payments.readMessages(edition);
  return { edition, announced, messages, now: now() };
}

async function lettersOf(
  edition: Edition,
  records: readonly RegistrationRecord[],
  dependencies: LettersDependencies,
): Promise<EditionLetters> {
  const announcing = await readAnnouncing(edition, dependencies);
  const { announced, now } = announcing;
  const queue = dependencies.mailQueue.bullQueue;
  const { scheduleTold, recordings: told } = announced;
  const isTold = scheduleTold !== undefined && scheduleTold.revision >= edition.facts.calendar.revision;
  const schedule = {
    ...(await announcedPeople(records, 'schedule-changed', edition, now, queue)),
    ...(isTold && {
      progress: await letterProgress(records, 'schedule-changed', edition, announced, now, queue),
    }),
  };
  const written = await writtenIn(announcing, records, dependencies);
  if (edition.timetable.letters.recordings === undefined) return { ...announcing, schedule, written };
  const recordings = {
    ...(await announcedPeople(records, 'recordings', edition, now, queue)),
    ...(told && { progress: await letterProgress(records, 'recordings', edition, announced, now, queue) }),
  };
  return { ...announcing, schedule, recordings, written };
}

async function writtenIn(
  { messages }: Announcing,
  records: readonly RegistrationRecord[],
  { payments, mailQueue }: LettersDependencies,
) {
  if (messages.length === 0) return [];
  const failed = new Set(await mailQueue.bullQueue.getRanges([...STATES.failed], 0, -1));
  const byDeposit = new Map(records.map((record) => [record.id, record]));
  return Promise.all(
    messages.map(async (message) => ({
      message,
      progress: messageProgress(await payments.readMessageLetters(message.message), byDeposit, failed),
    })),
  );
}
