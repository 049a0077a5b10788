import { setImmediate as nextTurn } from 'node:timers/promises';
import { allAnnounced, awaitsRecordings } from '#server/letters/announced-letters.ts';
import type { AnnouncedToAll } from '#server/letters/letter-kind.ts';
import { isTold, laterLetterNow, laterLettersDue } from '#server/letters/letters-due.ts';
import { linksEndAt } from '#server/links/own-page-links.ts';
import type { AnnouncedMailKind } from '#server/mail/job.ts';
import { endOf } from '#server/mail/letter-log.ts';
import type { LetterQueue } from '#server/mail/queue.ts';
import { mailJobId } from '#server/mail/queued-job.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import type { Edition } from '#shared/content/edition.ts';
import { STATES } from './mail-jobs.ts';

/**
 * How many are processed before yielding to the event loop, some milliseconds: this process may also serve visitors.
 */
const AT_ONCE = 100;

export type AnnouncedPeople = Awaited<ReturnType<typeof announcedPeople>>;

/** Counts who gets the letter if it is announced now; for the recordings, from the edition's start time for them on. */
export async function announcedPeople(
  records: readonly RegistrationRecord[],
  kind: AnnouncedMailKind,
  edition: Edition,
  now: Date,
  queue: Pick<LetterQueue, 'getRanges'>,
) {
  const at = momentOf(kind, edition, now);
  const progress = await letterProgress(records, kind, edition, allAnnounced(edition, at), now, queue);
  let owing = 0;
  await inTurns(records, (record) => {
    if (kind === 'recordings' && awaitsRecordings(record, at)) owing += 1;
  });
  return {
    /** How many get it when it is announced, and have not had it. */
    due: progress.queued + progress.failed + progress.notYet,
    /** How many more get it once they have nothing left to pay. */
    owing,
  };
}

/** How many people get a letter that has waited for the room, if it is announced now. */
export async function countAwaitingRoom(records: readonly RegistrationRecord[], now: Date): Promise<number> {
  let count = 0;
  await inTurns(records, (record) => {
    const due = (announced: AnnouncedToAll) => laterLettersDue(record, now, announced).length;
    if (due({ room: { at: now } }) > due({})) count += 1;
  });
  return count;
}

/** How many letters of an announcement are in which state. */
export interface LetterProgress {
  sent: number;
  queued: number;
  failed: number;
  /** A person decided that they are not to be sent. */
  dismissed: number;
  /** Owed, and not on the queue: the worker puts them there. */
  notYet: number;
}

/** The states of the letters of an announcement, from the register and from the queue. */
export async function letterProgress(
  records: readonly RegistrationRecord[],
  kind: AnnouncedMailKind,
  edition: Edition,
  announced: AnnouncedToAll,
  now: Date,
  queue: Pick<LetterQueue, 'getRanges'>,
): Promise<LetterProgress> {
  const idsIn = async (states: keyof typeof STATES) =>
    new Set(await queue.getRanges([...STATES[states]], 0, -1));
  const [failed, queued] = [await idsIn('failed'), await idsIn('waiting')];
  const progress: LetterProgress = { sent: 0, queued: 0, failed: 0, dismissed: 0, notYet: 0 };
  const at = momentOf(kind, edition, now);
  await inTurns(records, (record) => {
    const letter = laterLetterNow(kind, record, at, announced);
    if (!letter) return;
    const id = mailJobId(letter);
    if (isTold(letter, record)) progress[endOf(letter, record.endedLetters)?.state ?? 'sent'] += 1;
    else if (failed.has(id)) progress.failed += 1;
    else progress[queued.has(id) ? 'queued' : 'notYet'] += 1;
  });
  return progress;
}

/** Does the same for each registration, and lets other requests go on meanwhile. */
export async function inTurns(
  records: readonly RegistrationRecord[],
  work: (record: RegistrationRecord) => void,
): Promise<void> {
  for (const [index, record] of records.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await nextTurn();
    work(record);
  }
}

/**
 * The moment for which an announcement's letters are worked out: now, but not before the time of these letters begins,
 * nor after it ends.
 */
function momentOf(kind: AnnouncedMailKind, { facts, timetable }: Edition, now: Date): Date {
  const { recordings: from } = timetable.letters;
  const [begins, ends] =
    kind === 'recordings' && from !== undefined
      ? [Date.parse(from), linksEndAt(facts).getTime()]
      : [0, Date.parse(facts.endsAt)];
  return new Date(Math.max(begins, Math.min(now.getTime(), ends - 1)));
}
