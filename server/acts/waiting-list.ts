import { type WaitingRecord, type WaitingState, waitingStateOf } from '#server/record/waiting-record.ts';
import { freeOf, type PlaceCounts } from '#server/register/places.ts';
import { isOutOfReach } from '#server/register/waiting-letters.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { ActContext } from './act-context.ts';
import { moment } from './plain-words.ts';

/** The state of a waiting-list entry, in words for the office. */
const stateWords: Readonly<Record<WaitingState, string>> = {
  unconfirmed: 'Has not confirmed yet',
  waiting: 'Waiting',
  offered: 'A place is offered',
  lapsed: 'The offer is past',
  took: 'Has taken a place',
};

/** A waiting list as it is shown to people. */
export interface WaitingListTold {
  places: PlaceCounts;
  entries: readonly { record: WaitingRecord; state: WaitingState; words: string }[];
}

/**
 * The waiting list of an edition, in the order of joining, with its places; undefined if the places are not
 * limited.
 */
export async function tellWaitingList(
  { openAdmission, now: findNow }: Pick<ActContext, 'openAdmission' | 'now'>,
  edition: Edition,
): Promise<WaitingListTold | undefined> {
  if (edition.facts.places === undefined) return undefined;
  const now = await findNow();
  const { places, waitingList } = await openAdmission();
  const records = await waitingList.list(edition);
  const counts = await places.count(edition.facts);
  const entries = records.map((record) => {
    const state = waitingStateOf(record, now);
    const until =
      record.offer && `${state === 'offered' ? ' until ' : ': '}${moment(record.offer.until, record)}`;
    const reached = isOutOfReach(record, now) ? ' (letters to her come back)' : '';
    return { record, state, words: `${stateWords[state]}${until ?? ''}${reached}` };
  });
  return { places: counts, entries };
}

/** The counts of the places, each with its words. */
export function placesTold(counts: PlaceCounts): [string, string][] {
  return [
    ['Places', String(counts.places)],
    ['Paid', String(counts.paid)],
    ['Held while somebody pays', String(counts.held)],
    ['Offered', String(counts.offered)],
    ['Waiting', String(counts.waiting)],
    ['Can be offered', String(freeOf(counts))],
  ];
}
