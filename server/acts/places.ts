import { leftOf, type PlaceCounts } from '#server/register/places.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import { formatDateRange } from '#shared/dates.ts';
import type { ActContext } from './act-context.ts';
import type { Said, Told } from './carry-out.ts';

/** The counts of places of each retreat with limited places. */
export async function showPlaces({ openAdmission }: Pick<ActContext, 'openAdmission'>): Promise<Told> {
  const says: Said[] = [];
  for (const { facts } of editions) {
    if (facts.places === undefined) continue;
    const { places } = await openAdmission();
    const rows = placeFacts(await places.count(facts)).map(({ count, words }) => ['', `${count}`, words]);
    says.push(`${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}`, { facts: rows });
  }
  return { outcome: 'done', says: says.length > 0 ? says : ['No retreat has a number of places.'], seen: '' };
}

export function placeFacts(counts: PlaceCounts): { count: number; words: string }[] {
  return [
    { count: counts.places, words: 'places in all' },
    { count: counts.paid, words: 'paid' },
    { count: counts.held, words: `held while somebody pays, for ${counts.holdMinutes} minutes each` },
    { count: counts.offered, words: 'offered to who waited' },
    { count: counts.waiting, words: 'waiting for one' },
    { count: leftOf(counts), words: 'left for visitors' },
  ];
}
