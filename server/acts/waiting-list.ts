import { capacityInRedis, type Places } from '#server/capacity/capacity-in-redis.ts';
import { isOutOfReach } from '#server/payments/waiting-letters.ts';
import { type WaitingRecord, type WaitingState, waitingStateOf } from '#server/payments/waiting-record.ts';
import { createWaitingModel } from '#server/register/waiting-model.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { ActContext } from './act-context.ts';
import { moment } from './plain-words.ts';

/** The state of a waiting-list entry, in words for the office. */
const stateWords: Readonly<Record<WaitingState, string>> = {
  waiting: 'Waiting',
  offered: 'A place is offered',
  lapsed: 'The offer is past',
  took: 'Has taken a place',
};

/** A waiting list as it is shown to people. */
export interface WaitingListTold {
  places: Places;
  entries: readonly { record: WaitingRecord; state: WaitingState; words: string }[];
}

/**
 * The waiting list of an edition, in the order of joining, with its places; undefined if the places are not
 * limited.
 */
export async function tellWaitingList(
  { redis, now: findNow }: Pick<ActContext, 'redis' | 'now'>,
  edition: Edition,
): Promise<WaitingListTold | undefined> {
  if (edition.facts.places === undefined) return undefined;
  const now = await findNow();
  const records = await createWaitingModel(redis, () => now).list(edition);
  const places = await capacityInRedis(redis, () => now).look(edition.facts);
  const entries = records.map((record) => {
    const state = waitingStateOf(record, now);
    const until =
      record.offer && `${state === 'offered' ? ' until ' : ': '}${moment(record.offer.until, record)}`;
    const reached = isOutOfReach(record, now) ? ' (letters to her come back)' : '';
    return { record, state, words: `${stateWords[state]}${until ?? ''}${reached}` };
  });
  return { places, entries };
}

/** The counts of the places, each with its words. */
export function placesTold({ places, paid, held, offered, waiting, isCounted }: Places): [string, string][] {
  return [
    ['Places', String(places)],
    ['Paid', isCounted ? String(paid) : 'not counted yet'],
    ['Held while somebody pays', String(held)],
    ['Offered', String(offered)],
    ['Waiting', String(waiting)],
    ['Can be offered', isCounted ? String(Math.max(0, places - paid - held - offered)) : 'not known yet'],
  ];
}
