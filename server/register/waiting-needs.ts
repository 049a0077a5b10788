import type { Queue } from 'bullmq';
import { isAboutWaiting, type MailJob, mailOf } from '#server/mail/job.ts';
import type { OfficeItem } from '#server/mail/job-facts.ts';
import { mailVersion } from '#server/mail/queued-job.ts';
import type { Edition } from '#shared/content/edition.ts';
import { freeOf } from './places.ts';
import { isOutOfReach, isToldWaiting, waitingLetterNow } from './waiting-letters.ts';
import { type Admission, type WaitingRecord, waitingStateOf } from './waiting-list.ts';

/** At most this many failed letters are listed: more of them have one common cause. */
const MOST_FAILED = 100;

/** What the office has to do about the waiting list of an edition at a moment. */
export async function waitingNeeds(
  edition: Edition,
  now: Date,
  queue: Queue<MailJob>,
  { places, waitingList }: Admission,
): Promise<OfficeItem[]> {
  const records = edition.facts.places === undefined ? [] : await waitingList.list(edition);
  if (records.length === 0) return [];
  const free = freeOf(await places.count(edition.facts));
  const somebodyWaits = records.some((record) => waitingStateOf(record, now) === 'waiting');
  const toOffer = free > 0 && somebodyWaits;
  return [
    ...(toOffer ? [{ need: 'place-free', count: free } as const] : []),
    ...records.filter((record) => isOutOfReach(record, now)).map(cameBack),
    ...(await failedLetters(queue, records, now)),
  ];
}

function cameBack({ registrant, bounced }: WaitingRecord): OfficeItem {
  const name = `${registrant.firstName} ${registrant.lastName}`.trim();
  return { need: 'waiting-bounced', name, ...(bounced && { since: bounced.at.toISOString() }) };
}

/** Failed letters, which are not retried automatically, as long as they are true. */
async function failedLetters(
  queue: Queue<MailJob>,
  records: readonly WaitingRecord[],
  now: Date,
): Promise<OfficeItem[]> {
  const failed = await queue.getFailed(0, MOST_FAILED - 1);
  return failed.flatMap(({ id, data, finishedOn }): OfficeItem[] => {
    const mail = mailOf(data);
    const record =
      mail && isAboutWaiting(mail) ? records.find((one) => one.id === mail.waitingId) : undefined;
    if (!id || !mail || !isAboutWaiting(mail) || !record) return [];
    const letter = waitingLetterNow(mail.kind, record, now);
    if (!letter || mailVersion(letter) !== mailVersion(mail) || isToldWaiting(letter, record)) return [];
    const name = `${mail.firstName} ${mail.lastName}`.trim();
    const since = finishedOn ? { since: new Date(finishedOn).toISOString() } : {};
    return [{ need: 'letter-failed', name, mail: id, ...since }];
  });
}
