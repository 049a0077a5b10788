import { setImmediate as nextTurn } from 'node:timers/promises';
import { allAnnounced } from '#server/letters/announcements.ts';
import { isSentOrDismissed, type LetterName, lettersNow } from '#server/letters/table.ts';
import { linksEndAt, type RegistrationRecord } from '#server/registration/registration.ts';
import type { Edition } from '#shared/content/edition.ts';

/** How many are processed before yielding to the event loop, some milliseconds: this process may also serve visitors. */
const AT_ONCE = 100;

export async function inTurns(
  records: readonly RegistrationRecord[],
  work: (record: RegistrationRecord) => void,
): Promise<void> {
  for (const [index, record] of records.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await nextTurn();
    work(record);
  }
}

/** How many people get a letter if what it tells is announced now. */
export async function countReaders(
  records: readonly RegistrationRecord[],
  letter: LetterName,
  edition: Edition,
  now: Date,
): Promise<number> {
  const at = momentFor(letter, edition, now);
  const announced = allAnnounced(edition, at);
  let due = 0;
  await inTurns(records, (record) => {
    const hers = lettersNow(letter, record, at, announced);
    if (hers.some((one) => !isSentOrDismissed(one, record))) due += 1;
  });
  return due;
}

/** Now, but not before the time of an announcement's letters begins, nor after it ends. */
function momentFor(letter: LetterName, { facts, timetable }: Edition, now: Date): Date {
  const { recordings: from } = timetable.letters;
  const [begins, ends] =
    letter === 'recordings' && from !== undefined
      ? [Date.parse(from), linksEndAt(facts).getTime()]
      : [0, Date.parse(facts.endsAt)];
  return new Date(Math.max(begins, Math.min(now.getTime(), ends - 1)));
}
