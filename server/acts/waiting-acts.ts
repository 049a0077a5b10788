import { waitingLettersDue } from '#server/letters/table.ts';
import { oweLetters } from '#server/mail/queue.ts';
import { freeOf, leftOf, type PlaceCounts } from '#server/registration/places.ts';
import { nameOf } from '#server/registration/registrations.ts';
import {
  beginningOf,
  isOutOfReach,
  type WaitingRecord,
  type WaitingState,
  waitingStateOf,
} from '#server/registration/waiting-record.ts';
import type { Edition } from '#shared/content/edition.ts';
import { OFFERED_HOURS } from '#shared/kept-for.ts';
import {
  type ActContext,
  type ActSpec,
  actsAbout,
  carryOut,
  impossible,
  Refusal,
  recordedFor,
  refuseIf,
} from './act.ts';
import { moment } from './words.ts';

const OFFER_MS = OFFERED_HOURS * 60 * 60 * 1000;

const HAS_TAKEN = 'She has taken a place, and no longer waits.';
const NO_PLACE = 'No place is free. One can be offered all the same, if that is said.';

/** An entry of the waiting list as it is now, and how many places can be offered. */
export interface Entry {
  record: WaitingRecord;
  now: Date;
  free: number;
}

interface WaitingSpec
  extends Omit<ActSpec<Record<never, never>, Entry, string>, 'fields' | 'run' | 'confirm'> {
  confirm: string;
  says(entry: Entry): readonly string[];
  /** `took`, `gone` and `full` say that it came too late. */
  act(entry: Entry, context: ActContext, by: string): Promise<string>;
}

const actOnEntry = actsAbout<Entry, string>();

/** Makes an act on an entry of the waiting list, which is named by its ID. */
function waitingAct({ says, act, confirm, ...spec }: WaitingSpec) {
  return actOnEntry({
    ...spec,
    confirm: () => confirm,
    async run(context, id, _given, asked) {
      const entry = await findEntry(context, id);
      refuseIf(spec.whyNot(entry));
      const { record } = entry;
      const about = [record.id, nameOf(record.registrant)].filter(Boolean).join(', ');
      const restsOn = [record.id, record.joinedAt, record.offer];
      return carryOut(asked, { about, says: says(entry), restsOn }, async () => {
        const outcome = await act(entry, context, asked.by);
        if (outcome === 'full') throw impossible(NO_PLACE);
        if (outcome === 'took' || outcome === 'gone') throw impossible(HAS_TAKEN);
        return [recordedFor(asked.by)];
      });
    },
  });
}

/** @throws {Refusal} when there is no such entry */
export async function findEntry(
  { admission: { waitingList, places }, now }: Pick<ActContext, 'admission' | 'now'>,
  id: string,
): Promise<Entry> {
  const record = await waitingList.find(id);
  if (!record) throw new Refusal('noSuchMail', `There is no entry ${id} on the waiting list.`);
  const { facts } = record.edition;
  if (facts.places === undefined) throw impossible(`${facts.id} has no number of places.`);
  return { record, now: now(), free: freeOf(await places.count(facts)) };
}

export const offerPlace = waitingAct({
  id: 'offer',
  heading: 'Offer a place',
  sentence: 'Keeps a place for her, for 48 hours, and sends the message with the link to it.',
  whyNot: (entry) => whyNotOffered(entry) ?? (entry.free > 0 ? undefined : NO_PLACE),
  confirm: 'Offer the place',
  ...offering({ mayExceed: false }),
});

export const offerWithoutPlace = waitingAct({
  id: 'offer-without-place',
  heading: 'Offer a place, also without a free one',
  sentence: 'Keeps a place for her, also where none is free.',
  whyNot: whyNotOffered,
  confirm: 'Offer a place all the same',
  ...offering({ mayExceed: true }),
});

function whyNotOffered({ record, now }: Entry): string | undefined {
  const state = waitingStateOf(record, now);
  if (state === 'unconfirmed') return 'She has not confirmed yet that she wants to wait.';
  if (state === 'offered') return 'A place is already offered to her.';
  return offerEnd(record, now) <= now ? 'Registration for this retreat is over.' : undefined;
}

/** @param mayExceed whether to do so even if no place is free */
function offering({ mayExceed }: { mayExceed: boolean }): Pick<WaitingSpec, 'says' | 'act'> {
  return {
    says: ({ record, now, free }) => [
      `A place is kept for her until ${moment(offerEnd(record, now), record)}, and a message with the link to it goes to ${record.registrant.email}.`,
      free > 0
        ? `Places that can be offered: ${free}.`
        : 'No place is free: if she takes it, there is one more than planned.',
    ],
    async act({ record, now }, { queue, letterLog, admission: { waitingList } }, by) {
      const offer = { at: now, until: offerEnd(record, now), by };
      const outcome = await waitingList.offer(record, offer, mayExceed);
      // Queued here, so that she need not wait for the worker.
      if (outcome === 'offered')
        await oweLetters(waitingLettersDue({ ...record, offer }, now), { queue, letterLog, now });
      return outcome;
    },
  };
}

/** Withdraws an offer: its link stops working, and a payment that was begun with it is closed. */
export const withdrawOffer = waitingAct({
  id: 'withdraw',
  heading: 'Take back the offer',
  sentence: 'Its link no longer works. She waits as before.',
  whyNot: ({ record }) => (record.offer ? undefined : 'No place is offered to her.'),
  confirm: 'Take it back',
  says: () => ['The offer is taken back: its link no longer works. She is not told, and waits as before.'],
  act: ({ record }, { admission }) => admission.waitingList.withdrawOffer(record.id),
});

const removeWaiting = waitingAct({
  id: 'remove',
  heading: 'Remove from the list',
  sentence: 'Takes her off the waiting list, and deletes her details.',
  whyNot: () => undefined,
  confirm: 'Remove her',
  says: () => ['She is taken off the waiting list, and her details are deleted. She is not told.'],
  act: ({ record }, { admission }) => admission.waitingList.leave(record.id),
});

export const waitingActs = [offerPlace, offerWithoutPlace, withdrawOffer, removeWaiting];

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

export type WaitingListTold = NonNullable<Awaited<ReturnType<typeof tellWaitingList>>>;

/**
 * The waiting list of an edition, in the order of joining, with its places; undefined if the places are not limited.
 */
export async function tellWaitingList(
  { admission: { places, waitingList }, now: findNow }: Pick<ActContext, 'admission' | 'now'>,
  edition: Edition,
) {
  if (edition.facts.places === undefined) return undefined;
  const now = findNow();
  const records = await waitingList.list(edition);
  const counts = await places.count(edition.facts);
  const entries = records.map((record) => {
    const state = waitingStateOf(record, now);
    const until =
      record.offer && `${state === 'offered' ? ' until ' : ': '}${moment(record.offer.until, record)}`;
    const reached = isOutOfReach(record, now) ? ' (messages to her come back)' : '';
    return { record, state, words: `${stateWords[state]}${until ?? ''}${reached}` };
  });
  return { places: counts, entries };
}

/** What is told of the places: each number with its words. */
export function placeFacts(counts: PlaceCounts): [words: string, count: number][] {
  return [
    ['Places', counts.places],
    ['Paid', counts.paid],
    [`Held while somebody pays, for ${counts.holdMinutes} minutes each`, counts.held],
    ['Offered', counts.offered],
    ['Waiting', counts.waiting],
    ['Can be offered', freeOf(counts)],
    ['Left for visitors', leftOf(counts)],
  ];
}
