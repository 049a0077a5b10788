import { isWaitingMail } from '#server/mail/job.ts';
import type { OfficeItem } from '#server/mail/job-facts.ts';
import { type WaitingRecord, waitingStateOf } from '#server/record/waiting-record.ts';
import type { Edition } from '#shared/content/edition.ts';
import { type FailedLetters, readFailed } from './office-digest.ts';
import { freeOf } from './places.ts';
import { isOutOfReach, waitingLetterDue } from './waiting-letters.ts';
import type { Admission } from './waiting-list.ts';

/** What the office has to do about the waiting list of an edition at a moment. */
export async function waitingNeeds(
  edition: Edition,
  now: Date,
  sources: FailedLetters,
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
    ...(await failedLetters(sources, records, now)),
  ];
}

function cameBack({ registrant, bounced }: WaitingRecord): OfficeItem {
  const name = `${registrant.firstName} ${registrant.lastName}`.trim();
  return { need: 'waiting-bounced', name, ...(bounced && { since: bounced.at.toISOString() }) };
}

/** Failed letters, which are not retried automatically, as long as they apply. */
async function failedLetters(
  sources: FailedLetters,
  records: readonly WaitingRecord[],
  now: Date,
): Promise<OfficeItem[]> {
  return (await readFailed(sources)).flatMap(
    ({ letter: { id, kind, subject, version }, since }): OfficeItem[] => {
      const record = records.find((one) => one.id === subject);
      if (!record || !isWaitingMail(kind) || !waitingLetterDue({ kind, version }, record, now)) return [];
      const name = `${record.registrant.firstName} ${record.registrant.lastName}`.trim();
      return [{ need: 'letter-failed', name, mail: id, since }];
    },
  );
}
