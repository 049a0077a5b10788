import { oweLetters } from '#server/letters/queue.ts';
import { waitingLettersDue } from '#server/letters/table.ts';
import { moment } from '#server/office/words.ts';
import {
  beginningOf,
  freeOf,
  isOutOfReach,
  type PlaceCounts,
  type WaitingRecord,
  type WaitingState,
  waitingStateOf,
} from '#server/registration/registration.ts';
import type { Edition } from '#shared/content/edition.ts';
import { OFFERED_HOURS } from '#shared/kept-for.ts';
import { type CommandContext, commandsAbout, impossible, Refusal } from './command.ts';
import { mark } from './inputs.ts';

const OFFER_MS = OFFERED_HOURS * 60 * 60 * 1000;
const HAS_TAKEN = 'She has taken a place, and no longer waits.';
const NO_PLACE = 'No place is free. One can be offered all the same, if that is said.';

/** An entry of the waiting list as it is now, and how many places can be offered. */
export interface Entry {
  record: WaitingRecord;
  now: Date;
  free: number;
}

export async function findEntry(
  { admission: { waitingList, places }, now }: Pick<CommandContext, 'admission' | 'now'>,
  id: string,
): Promise<Entry> {
  const record = await waitingList.find(id);
  if (!record) throw new Refusal('notFound', `There is no entry ${id} on the waiting list.`);
  const { facts } = record.edition;
  if (facts.places === undefined) throw impossible(`${facts.id} has no number of places.`);
  return { record, now: now(), free: freeOf(await places.count(facts)) };
}

const waitingCommand = commandsAbout<Entry>(({ record: { id, joinedAt, offer } }) => [id, joinedAt, offer]);

function requireInTime(outcome: string): undefined {
  if (outcome === 'full') throw impossible(NO_PLACE);
  if (outcome === 'took' || outcome === 'gone') throw impossible(HAS_TAKEN);
}

const offer = waitingCommand({
  id: 'offer',
  heading: 'Offer a place',
  sentence: 'Keeps a place for her, for 48 hours, and sends the message with the link to it.',
  fields: { exceed: { takes: mark, label: 'Also where none is free', input: 'mark' } },
  refuses({ record, now }) {
    const state = waitingStateOf(record, now);
    if (state === 'unconfirmed') return 'She has not confirmed yet that she wants to wait.';
    if (state === 'offered') return 'A place is already offered to her: take it back first.';
    return offerEnd(record, now) <= now ? 'Registration for this retreat is over.' : undefined;
  },
  plan({ about: { record, now, free }, by, context }, { exceed }) {
    if (free <= 0 && !exceed) throw impossible(NO_PLACE);
    const until = offerEnd(record, now);
    return {
      says: [
        `A place is kept for her until ${moment(until, record)}, and a message with the link to it goes to ${record.registrant.email}.`,
        free > 0
          ? `Places that can be offered: ${free}.`
          : 'No place is free: if she takes it, there is one more than planned.',
      ],
      async carryOut() {
        const { queue, letterLog, admission } = context;
        const offered = { at: now, until, by };
        const outcome = await admission.waitingList.offer(record, offered, exceed);
        requireInTime(outcome);
        // Queued here, so that she need not wait for the worker.
        if (outcome === 'offered')
          await oweLetters(waitingLettersDue({ ...record, offer: offered }, now), { queue, letterLog, now });
      },
    };
  },
});

/** A registration that was begun with it is ended. */
const withdraw = waitingCommand({
  id: 'withdraw',
  heading: 'Take back the offer',
  sentence: 'Its link no longer works. She waits as before.',
  refuses: ({ record }) => (record.offer ? undefined : 'No place is offered to her.'),
  plan: ({ about: { record }, by, context }) => ({
    says: ['The offer is taken back: its link no longer works. She is not told, and waits as before.'],
    carryOut: async () => requireInTime(await context.admission.waitingList.withdrawOffer(record.id, by)),
  }),
});

const remove = waitingCommand({
  id: 'remove',
  heading: 'Remove from the list',
  sentence: 'Takes her off the waiting list, and deletes her details.',
  refuses: () => undefined,
  plan: ({ about: { record }, by, context }) => ({
    says: ['She is taken off the waiting list, and her details are deleted. She is not told.'],
    carryOut: async () => requireInTime(await context.admission.waitingList.leave(record.id, by)),
  }),
});

export const waitingCommands = [offer, withdraw, remove];

/** The end of an offer, to the second, as in links; not after registration closes or the retreat begins. */
function offerEnd({ edition }: WaitingRecord, now: Date): Date {
  const latest = Math.min(Date.parse(edition.facts.registration.closes), beginningOf(edition).getTime());
  return new Date(Math.floor(Math.min(now.getTime() + OFFER_MS, latest) / 1000) * 1000);
}

const stateWords: Readonly<Record<WaitingState, string>> = {
  unconfirmed: 'Has not confirmed yet',
  waiting: 'Waiting',
  offered: 'A place is offered',
  lapsed: 'The offer is past',
};

export type WaitingListNow = NonNullable<Awaited<ReturnType<typeof readWaitingList>>>;

/** Those who wait, in the order of joining, with the places; undefined if the places are not limited. */
export async function readWaitingList(
  { admission: { places, waitingList }, now: findNow }: Pick<CommandContext, 'admission' | 'now'>,
  edition: Edition,
) {
  if (edition.facts.places === undefined) return undefined;
  const now = findNow();
  const records = await waitingList.list(edition);
  const entries = records.map((record) => {
    const state = waitingStateOf(record, now);
    const until =
      record.offer && `${state === 'offered' ? ' until ' : ': '}${moment(record.offer.until, record)}`;
    const reached = isOutOfReach(record, now) ? ' (messages to her come back)' : '';
    return { record, words: `${stateWords[state]}${until ?? ''}${reached}` };
  });
  return { places: await places.count(edition.facts), entries };
}

export function placesLine(counts: PlaceCounts): string {
  const { places, paid, held, offered, waiting } = counts;
  const more = [
    held > 0 && `${held} held while somebody pays`,
    offered > 0 && `${offered} offered`,
    waiting > 0 && `${waiting} waiting`,
  ].filter(Boolean);
  return `${paid} of ${places} places are paid; ${freeOf(counts)} can be offered${more.length > 0 ? `; ${more.join(', ')}` : ''}.`;
}
