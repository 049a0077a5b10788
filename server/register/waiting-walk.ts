import type { LetterLog } from '#server/mail/letter-log.ts';
import { type LetterQueue, oweLetters } from '#server/mail/queue.ts';
import type { IsOver } from '#server/payments/find-all-due.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import type { Logger } from '#server/service/logger.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import { waitingLettersDue } from './waiting-letters.ts';
import { confirmableUntil, type WaitingList, type WaitingRecord, waitingStateOf } from './waiting-list.ts';

interface WaitingWalkDependencies {
  waitingList: WaitingList;
  letterLog: Pick<LetterLog, 'owe'>;
  queue: LetterQueue;
  logger: Logger;
}

/**
 * Looks through the waiting lists of editions with limited places: queues the letters that are due, closes the
 * entries of those who took a place, deletes those that were not confirmed in time, and all once registration for their edition is over. An
 * error with one entry does not stop the others.
 * @param registrations all registrations, which show who took a place
 */
export async function walkWaiting(
  { now, isOver }: { now: Date; isOver: IsOver },
  registrations: readonly RegistrationRecord[],
  { waitingList, letterLog, queue, logger }: WaitingWalkDependencies,
): Promise<void> {
  const taken = new Map(
    registrations.flatMap(({ id, offer, deposit }) => (offer && deposit === 'paid' ? [[offer, id]] : [])),
  );
  const handle = async (record: WaitingRecord): Promise<void> => {
    const took = taken.get(record.id);
    if (took !== undefined) return waitingList.took(record.id, took);
    const hasEnded = waitingStateOf(record, now) === 'unconfirmed' && confirmableUntil(record) <= now;
    if (hasEnded || isOver(record.edition.facts)) return void (await waitingList.leave(record.id));
    await oweLetters(waitingLettersDue(record, now), { queue, letterLog, now });
  };
  for (const edition of editions) {
    if (edition.facts.places === undefined) continue;
    for (const record of await waitingList.list(edition)) {
      await handle(record).catch((error: unknown) => {
        const facts = { err: error, waiting: record.id };
        logger.error(facts, 'Something that is due for an entry of the waiting list could not be done');
      });
    }
  }
}
