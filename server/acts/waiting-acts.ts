import { oweLetters } from '#server/mail/queue.ts';
import { type Offer, type WaitingRecord, waitingStateOf } from '#server/record/waiting-record.ts';
import { freeOf } from '#server/register/places.ts';
import { beginningOf, waitingLettersDue } from '#server/register/waiting-letters.ts';
import type { Admission } from '#server/register/waiting-list.ts';
import type { ActContext } from './act-context.ts';
import { type Asked, carryOut, recordedFor, type Said, type Told } from './carry-out.ts';
import { moment } from './plain-words.ts';
import { Refusal } from './refusal.ts';

/** The dependencies of acts on the waiting list. */
type WaitingContext = Pick<ActContext, 'queue' | 'openAdmission' | 'openLetterLog' | 'now'>;

/** How long an offered place is kept. */
const OFFER_MS = 48 * 60 * 60 * 1000;

/** The options of an offer. */
export interface OfferAsked extends Asked {
  /** Offers a place even if none is free. */
  'without-place': boolean;
}

/** One entry, as it is now, with what acts on it need. */
interface Entry extends Admission {
  record: WaitingRecord;
  now: Date;
}

/** Keeps a place for somebody on the waiting list for 48 hours, and queues the letter that says so. */
export async function offerPlace(context: WaitingContext, id: string, asked: OfferAsked): Promise<Told> {
  const { record, now, places, waitingList } = await openEntry(context, id);
  if (record.took !== undefined) throw hasTaken();
  const state = waitingStateOf(record, now);
  if (state === 'unconfirmed')
    throw new Refusal('wrongState', 'She has not confirmed yet that she wants to wait.');
  if (state === 'offered') {
    throw new Refusal('wrongState', 'A place is already offered to her.');
  }
  const until = offerEnd(record, now);
  if (until <= now) throw new Refusal('wrongState', 'Registration for this retreat is over.');
  const free = freeOf(await places.count(record.edition.facts));
  if (free === 0 && !asked['without-place']) throw noPlaceFree();
  const says = [
    `A place is kept for her until ${moment(until, record)}, and a letter with the link to it goes to ${record.registrant.email}.`,
    free > 0
      ? `Places that can be offered: ${free}.`
      : 'No place is free: if she takes it, there is one more than planned.',
  ];
  return carryOutForEntry(record, asked, says, async () => {
    const offer: Offer = { at: now, until, by: asked.by };
    const outcome = await waitingList.offer(record, offer, asked['without-place']);
    if (outcome === 'full') throw noPlaceFree();
    if (outcome === 'gone') throw hasTaken();
    // Queued here, so that she need not wait for the worker.
    const letters = waitingLettersDue({ ...record, offer }, now);
    await oweLetters(letters, { queue: context.queue, letterLog: await context.openLetterLog(), now });
    return [];
  });
}

/** Withdraws an offer: its link stops working, and a payment that was begun with it is closed. */
export async function withdrawOffer(context: WaitingContext, id: string, asked: Asked): Promise<Told> {
  const { record, waitingList } = await openEntry(context, id);
  if (record.took !== undefined) throw hasTaken();
  if (!record.offer) throw new Refusal('wrongState', 'No place is offered to her.');
  const says = ['The offer is taken back: its link no longer works. She is not told, and waits as before.'];
  return carryOutForEntry(record, asked, says, async () => {
    if ((await waitingList.withdrawOffer(id)) === 'took') throw hasTaken();
    return [];
  });
}

/** Removes somebody from the waiting list with all her data. */
export async function removeWaiting(context: WaitingContext, id: string, asked: Asked): Promise<Told> {
  const { record, waitingList } = await openEntry(context, id);
  if (record.took !== undefined) throw hasTaken();
  const says = ['She is taken off the waiting list, and her details are deleted. She is not told.'];
  return carryOutForEntry(record, asked, says, async () => {
    if ((await waitingList.leave(id)) === 'took') throw hasTaken();
    return [];
  });
}

async function openEntry(context: WaitingContext, id: string): Promise<Entry> {
  const [admission, now] = [await context.openAdmission(), await context.now()];
  const record = await admission.waitingList.find(id);
  if (!record) throw new Refusal('noSuchMail', `There is no entry ${id} on the waiting list.`);
  if (record.edition.facts.places === undefined)
    throw new Refusal('wrongState', `${record.edition.facts.id} has no number of places.`);
  return { record, now, ...admission };
}

function carryOutForEntry(
  record: WaitingRecord,
  asked: Asked,
  says: readonly Said[],
  act: () => Promise<readonly Said[]>,
): Promise<Told> {
  const { firstName, lastName } = record.registrant;
  const about = [record.id, `${firstName} ${lastName}`.trim()].filter(Boolean).join(', ');
  const restsOn = [record.id, record.joinedAt, record.offer, record.deposit];
  return carryOut(asked, { about, says, restsOn }, async () => [...(await act()), recordedFor(asked.by)]);
}

/** The end of an offer, to the second, as in links; not after registration closes or the retreat begins. */
function offerEnd({ edition }: WaitingRecord, now: Date): Date {
  const latest = Math.min(Date.parse(edition.facts.registration.closes), beginningOf(edition).getTime());
  return new Date(Math.floor(Math.min(now.getTime() + OFFER_MS, latest) / 1000) * 1000);
}

function hasTaken(): Refusal {
  return new Refusal('wrongState', 'She has taken a place, and no longer waits.');
}

function noPlaceFree(): Refusal {
  return new Refusal('wrongState', 'No place is free. One can be offered all the same, if that is said.');
}
