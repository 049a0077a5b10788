import { capacityInRedis, leftOf, type Places } from '#server/capacity/capacity-in-redis.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import { formatDateRange } from '#shared/dates.ts';
import type { ActContext } from './act-context.ts';
import type { Said, Told } from './carry-out.ts';

/** The counts of places of each retreat with limited places. */
export async function showPlaces({ redis, now }: Pick<ActContext, 'redis' | 'now'>): Promise<Told> {
  const date = await now();
  const capacity = capacityInRedis(redis, () => date);
  const says: Said[] = [];
  for (const { facts } of editions) {
    if (facts.places === undefined) continue;
    const places = await capacity.look(facts);
    const rows = placeFacts(places).map(({ count, words }) => ['', `${count}`, words]);
    says.push(`${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}`, { facts: rows });
    if (!places.isCounted) says.push(NOT_COUNTED);
  }
  return { outcome: 'done', says: says.length > 0 ? says : ['No retreat has a number of places.'], seen: '' };
}

/** Shown after Redis was lost, until the places are counted again. */
export const NOT_COUNTED =
  'Who has paid is not known yet: the worker’s next walk tells it. Until then nobody is turned away.';

/** The counts of a retreat's places, each with its words. */
export function placeFacts(places: Places): { count: number; words: string }[] {
  return [
    { count: places.places, words: 'places in all' },
    { count: places.paid, words: 'paid' },
    { count: places.held, words: 'held while somebody pays, for half an hour each' },
    { count: places.offered, words: 'offered to who waited' },
    { count: places.waiting, words: 'waiting for one' },
    { count: leftOf(places), words: 'left for visitors' },
  ];
}
