import type { Logger } from '#server/config/logger.ts';
import type { LetterLog } from '#server/letters/letter-log.ts';
import type { OfficeItem } from '#server/letters/office-digest-words.ts';
import { type LetterQueue, oweLetters } from '#server/letters/queue.ts';
import { waitingLettersDue } from '#server/letters/table.ts';
import {
  type Admission,
  confirmableUntil,
  freeOf,
  isOutOfReach,
  nameOf,
  THE_WORKER,
  type WaitingList,
  type WaitingRecord,
  waitingStateOf,
} from '#server/registration/registration.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { Circumstances } from './due.ts';

/** What is due also depends on other records, such as addresses that work again. */
export const LONGEST_WAIT_MS = 60 * 60 * 1000;

interface WaitingWorkDependencies {
  waitingList: WaitingList;
  letterLog: Pick<LetterLog, 'owe'>;
  queue: LetterQueue;
  logger: Logger;
}

/** Queues letters, and deletes what was not confirmed in time, and all once registration is over. */
export async function workOffWaiting(
  { now, isOver }: Pick<Circumstances, 'now' | 'isOver'>,
  { waitingList, letterLog, queue, logger }: WaitingWorkDependencies,
): Promise<void> {
  const look = async (record: WaitingRecord): Promise<void> => {
    const { id, edition } = record;
    const mayEndAt = waitingStateOf(record, now) === 'unconfirmed' ? confirmableUntil(record) : undefined;
    if (isOver(edition.facts) || (mayEndAt && mayEndAt <= now))
      return void (await waitingList.leave(id, THE_WORKER));
    await oweLetters(waitingLettersDue(record, now), { queue, letterLog, now });
    const nextAt = Math.min(now.getTime() + LONGEST_WAIT_MS, mayEndAt?.getTime() ?? Number.POSITIVE_INFINITY);
    await waitingList.lookAgain(record, new Date(nextAt));
  };
  const over = editions.filter(({ facts }) => isOver(facts)).map(({ facts }) => facts.id);
  for (const record of await waitingList.due(now, over)) {
    await look(record).catch((error: unknown) => {
      const facts = { err: error, waiting: record.id };
      logger.error(facts, 'Something that is due for an entry of the waiting list could not be done');
    });
  }
}

export async function waitingNeeds(
  edition: Edition,
  now: Date,
  { places, waitingList }: Admission,
): Promise<OfficeItem[]> {
  const records = edition.facts.places === undefined ? [] : await waitingList.list(edition);
  if (records.length === 0) return [];
  const free = freeOf(await places.count(edition.facts));
  const somebodyWaits = records.some((record) => waitingStateOf(record, now) === 'waiting');
  return [
    ...(free > 0 && somebodyWaits ? [{ need: 'place-free', count: free } as const] : []),
    ...records
      .filter((record) => isOutOfReach(record, now))
      .map(({ bounced, registrant }): OfficeItem => {
        const since = bounced && { since: bounced.at.toISOString() };
        return { need: 'waiting-bounced', name: nameOf(registrant), ...since };
      }),
  ];
}
