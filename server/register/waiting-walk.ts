import type { Queue } from 'bullmq';
import type { CapacityInRedis } from '#server/capacity/capacity-in-redis.ts';
import type { MailJob } from '#server/mail/job.ts';
import type { IsOver } from '#server/payments/find-all-due.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import { waitingLettersDue } from '#server/payments/waiting-letters.ts';
import { type WaitingRecord, waitingStateOf } from '#server/payments/waiting-record.ts';
import type { Logger } from '#server/service/logger.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import { queueOnce } from './queue-once.ts';
import type { WaitingModel } from './waiting-model.ts';
import { recordIfSent } from './walk.ts';

interface WaitingWalkDependencies {
  register: Pick<Payments, 'waiting' | 'markSent'>;
  model: WaitingModel;
  capacity: Pick<CapacityInRedis, 'offer'>;
  queue: Queue<MailJob>;
  logger: Logger;
}

/**
 * Scans the waiting lists of editions with limited places: queues the letters that are due, closes the
 * entries of those who took a place, holds the places that are offered, and deletes all entries once
 * registration for their edition is over. An error with one entry does not stop the others.
 * @param registrations all registrations, which show who took a place
 * @returns when the next offer ends, after which its place is free for others; undefined if there is no offer
 */
export async function walkWaiting(
  { since, now, isOver }: { since: Date; now: Date; isOver: IsOver },
  registrations: readonly RegistrationRecord[],
  { register, model, capacity, queue, logger }: WaitingWalkDependencies,
): Promise<Date | undefined> {
  const withPlaces = editions.filter(({ facts }) => facts.places !== undefined);
  if (withPlaces.length === 0) return undefined;
  const before = new Map<string, string[]>();
  for (const edition of withPlaces) before.set(edition.facts.id, await model.ids(edition));
  const taken = new Map(
    registrations.flatMap(({ id, offer, deposit }) => (offer && deposit === 'paid' ? [[offer, id]] : [])),
  );
  const shown: WaitingRecord[] = [];
  for await (const record of register.waiting.findAll(since)) {
    try {
      const took = taken.get(record.id);
      if (record.took !== undefined) continue;
      if (took !== undefined) await register.waiting.took(record.id, took);
      else if (isOver(record.edition.facts)) await register.waiting.leave(record);
      else {
        shown.push(record);
        await keepTo(record, now, { register, capacity, queue });
      }
    } catch (error) {
      const facts = { err: error, waiting: record.id };
      logger.error(facts, 'Something that is due for an entry of the waiting list could not be done');
    }
  }
  for (const edition of withPlaces) {
    const own = shown.filter((record) => record.edition.facts.id === edition.facts.id);
    await model.rebuild(edition, before.get(edition.facts.id) ?? [], own);
  }
  return shown
    .flatMap((record) => (waitingStateOf(record, now) === 'offered' ? (record.offer?.until ?? []) : []))
    .toSorted((one, other) => one.getTime() - other.getTime())
    .at(0);
}

/** Queues the letters of an entry, and holds its offered place, also after Redis was lost. */
async function keepTo(
  record: WaitingRecord,
  now: Date,
  { register, capacity, queue }: Omit<WaitingWalkDependencies, 'model' | 'logger'>,
): Promise<void> {
  const { id, offer, edition } = record;
  if (offer && waitingStateOf(record, now) === 'offered') {
    await capacity.offer(edition.facts, id, offer.until, true);
  }
  for (const letter of waitingLettersDue(record, now)) {
    const state = await queueOnce(queue, letter);
    if (state !== 'unknown') await recordIfSent(letter, now, register, queue);
  }
}
