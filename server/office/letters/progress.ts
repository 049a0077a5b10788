import { setImmediate as nextTurn } from 'node:timers/promises';
import { type AnnouncedToAll, endOf } from '#server/letters/letter-kind.ts';
import { whyUnwritten } from '#server/letters/message.ts';
import { type AnnouncedLetter, allAnnounced, awaitsRecordings } from '#server/letters/retreat-letters.ts';
import { isSentOrDismissed, lettersDue, lettersNow } from '#server/letters/table.ts';
import type { MessageLetter } from '#server/mail/messages.ts';
import type { LetterQueue } from '#server/mail/queue.ts';
import { STATES } from '#server/office/commands/letters.ts';
import { linksEndAt } from '#server/registration/links.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { nameOf } from '#server/registration/registrations.ts';
import type { Edition } from '#shared/content/edition.ts';

/** How many are processed before yielding to the event loop, some milliseconds: this process may also serve visitors. */
const AT_ONCE = 100;

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

/** How many letters of an announcement are in which state; `notYet` are owed, and the worker puts them on the queue. */
export interface Progress {
  sent: number;
  queued: number;
  failed: number;
  dismissed: number;
  notYet: number;
}

export type Readers = Awaited<ReturnType<typeof readersOf>>;

/** How many get a letter if it is announced now, and how many more once they have nothing left to pay. */
export async function readersOf(
  records: readonly RegistrationRecord[],
  kind: AnnouncedLetter,
  edition: Edition,
  now: Date,
  queue: Pick<LetterQueue, 'getRanges'>,
) {
  const at = momentOf(kind, edition, now);
  const { queued, failed, notYet } = await progressOf(
    records,
    kind,
    edition,
    allAnnounced(edition, at),
    now,
    queue,
  );
  const owing = kind === 'recordings' ? records.filter(awaitsRecordings).length : 0;
  return { due: queued + failed + notYet, owing };
}

/** How many get a letter that has waited for the room, if it is announced now. */
export async function countAwaitingRoom(records: readonly RegistrationRecord[], now: Date): Promise<number> {
  let count = 0;
  await inTurns(records, (record) => {
    const due = (announced: AnnouncedToAll) => lettersDue(record, now, announced).length;
    if (due({ room: { at: now } }) > due({})) count += 1;
  });
  return count;
}

/** What has become of the letters of an announcement, from the register and from the queue. */
export async function progressOf(
  records: readonly RegistrationRecord[],
  kind: AnnouncedLetter,
  edition: Edition,
  announced: AnnouncedToAll,
  now: Date,
  queue: Pick<LetterQueue, 'getRanges'>,
): Promise<Progress> {
  const idsIn = async (states: keyof typeof STATES) =>
    new Set(await queue.getRanges([...STATES[states]], 0, -1));
  const [failed, queued] = [await idsIn('failed'), await idsIn('waiting')];
  const progress: Progress = { sent: 0, queued: 0, failed: 0, dismissed: 0, notYet: 0 };
  const at = momentOf(kind, edition, now);
  await inTurns(records, (record) => {
    const [letter] = lettersNow(kind, record, at, announced);
    if (!letter) return;
    if (isSentOrDismissed(letter, record)) progress[endOf(letter, record.endedLetters)?.state ?? 'sent'] += 1;
    else if (failed.has(letter.id)) progress.failed += 1;
    else progress[queued.has(letter.id) ? 'queued' : 'notYet'] += 1;
  });
  return progress;
}

/** Now, but not before the time of an announcement's letters begins, nor after it ends. */
function momentOf(kind: AnnouncedLetter, { facts, timetable }: Edition, now: Date): Date {
  const { recordings: from } = timetable.letters;
  const [begins, ends] =
    kind === 'recordings' && from !== undefined
      ? [Date.parse(from), linksEndAt(facts).getTime()]
      : [0, Date.parse(facts.endsAt)];
  return new Date(Math.max(begins, Math.min(now.getTime(), ends - 1)));
}

/** Somebody to whom a letter of a message did not come. */
export interface Unreached {
  registration: string;
  name: string;
}

/**
 * What has become of the letters of a message; `notSent` are not due any more, stopped or dismissed.
 * @param records of the edition
 * @param failed the ids of the letters that failed for good
 */
export function messageProgress(
  letters: readonly MessageLetter[],
  records: ReadonlyMap<string, RegistrationRecord>,
  failed: ReadonlySet<string>,
) {
  const named = (some: readonly MessageLetter[]): Unreached[] =>
    some.map(({ subject: registration }) => {
      const record = records.get(registration);
      return { registration, name: record ? nameOf(record.registrant) : '' };
    });
  const owed = letters.filter(({ state }) => state === 'owed');
  const sent = letters.filter(({ state }) => state === 'sent');
  const hasFailed = owed.filter(({ id }) => failed.has(id));
  const cameBack = sent.filter(({ subject, endedAt }) => {
    const record = records.get(subject);
    if (!record?.bounced || whyUnwritten(record) !== 'bounced') return false;
    return endedAt !== null && record.bounced.at >= new Date(endedAt);
  });
  return {
    sent: sent.length,
    waiting: owed.length - hasFailed.length,
    notSent: letters.length - owed.length - sent.length,
    failed: named(hasFailed),
    bounced: named(cameBack),
  };
}
