import type { Queue } from 'bullmq';
import { linksEndAt } from '#server/links/place-links.ts';
import { mailJobId } from '#server/mail/job.ts';
import { announcedFor, type announcedKinds, awaitsRecordings } from '#server/payments/announced-letters.ts';
import { isTold, laterLetterNow } from '#server/payments/later-letters.ts';
import { markName } from '#server/payments/recognise-deposit.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import type { Edition } from '#shared/content/edition.ts';
import { STATES } from './mail-jobs.ts';

export type AnnouncedKind = (typeof announcedKinds)[number];

/** Who gets a letter that is sent to all, by what the list of registrations holds. */
export interface AnnouncedPeople {
  /** So many get it, or have had it. */
  all: number;
  /** So many of them have not had it. */
  due: number;
  /** So many more get it once nothing is left to pay. */
  owing: number;
}

/** Who gets it now, or from the moment on at which it goes out; once it is over, as it was at its end. */
export function announcedPeople(
  records: readonly RegistrationRecord[],
  kind: AnnouncedKind,
  edition: Edition,
  now: Date,
  announced = announcedFor({ edition }, momentOf(kind, edition, now)),
): AnnouncedPeople {
  const at = momentOf(kind, edition, now);
  const letters = lettersOf(records, kind, at, announced);
  const owing = kind === 'recordings' ? records.filter((record) => awaitsRecordings(record, at)).length : 0;
  return { all: letters.length, due: letters.filter(({ isDone }) => !isDone).length, owing };
}

/** What has become of the letters of an announcement. */
export interface LetterProgress {
  sent: number;
  queued: number;
  failed: number;
  /** A person decided so. */
  dismissed: number;
  /** Owed, and not on the queue: the next walk through all registrations puts it there. */
  notYet: number;
}

/** The same of what was announced, by the marks of the list and by the queue. */
export async function letterProgress(
  records: readonly RegistrationRecord[],
  kind: AnnouncedKind,
  edition: Edition,
  now: Date,
  announced: ReturnType<typeof announcedFor>,
  queue: Pick<Queue, 'getRanges'>,
): Promise<LetterProgress> {
  const progress: LetterProgress = { sent: 0, queued: 0, failed: 0, dismissed: 0, notYet: 0 };
  const [failed, queued, sent] = await Promise.all(
    [STATES.failed, STATES.waiting, STATES.sent].map(
      async (states) => new Set(await queue.getRanges([...states], 0, -1)),
    ),
  );
  for (const { letter, record, isDone } of lettersOf(records, kind, momentOf(kind, edition, now), announced)) {
    const id = mailJobId(letter);
    const isDismissed = isDone && record.letterMarks[markName(kind)]?.startsWith('dismissed') === true;
    if (isDismissed) progress.dismissed += 1;
    else if (isDone || sent?.has(id)) progress.sent += 1;
    else if (failed?.has(id)) progress.failed += 1;
    else if (queued?.has(id)) progress.queued += 1;
    else progress.notYet += 1;
  }
  return progress;
}

function lettersOf(
  records: readonly RegistrationRecord[],
  kind: AnnouncedKind,
  at: Date,
  announced: ReturnType<typeof announcedFor>,
) {
  return records.flatMap((record) => {
    const letter = laterLetterNow(kind, record, at, announced);
    return letter ? [{ letter, record, isDone: isTold(letter, record) }] : [];
  });
}

/** The moment within its time that is next to now. */
function momentOf(kind: AnnouncedKind, { facts, timetable }: Edition, now: Date): Date {
  const ends = kind === 'recordings' ? linksEndAt(facts).getTime() : Date.parse(facts.endsAt);
  const begins = kind === 'recordings' ? Date.parse(timetable.letters.recordings ?? facts.endsAt) : 0;
  return new Date(Math.max(begins, Math.min(now.getTime(), ends - 1)));
}
