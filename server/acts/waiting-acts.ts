import type { Queue } from 'bullmq';
import { type CapacityInRedis, capacityInRedis, type Places } from '#server/capacity/capacity-in-redis.ts';
import { MAIL_JOB_OPTIONS, mailJobId } from '#server/mail/queued-job.ts';
import { beginningOf, waitingLettersDue } from '#server/payments/waiting-letters.ts';
import { type Offer, type WaitingRecord, waitingStateOf } from '#server/payments/waiting-record.ts';
import { createWaitingModel, type WaitingModel } from '#server/register/waiting-model.ts';
import type { ActContext } from './act-context.ts';
import { type Asked, carryOut, recordedFor, type Said, type Told } from './carry-out.ts';
import { moment } from './plain-words.ts';
import { Refusal } from './refusal.ts';

/** The dependencies of acts on the waiting list. */
type WaitingContext = Pick<ActContext, 'queue' | 'redis' | 'openRecord' | 'now'>;

/** How long an offered place is kept. */
const OFFER_MS = 48 * 60 * 60 * 1000;

/** The options of an offer. */
export interface OfferAsked extends Asked {
  /** Offers a place even if none is free. */
  'without-place': boolean;
}

/** One entry, as it is now, with what acts on it need. */
interface Entry {
  record: WaitingRecord;
  now: Date;
  model: WaitingModel;
  capacity: CapacityInRedis;
}

/** Keeps a place for somebody on the waiting list for 48 hours, and queues the letter that says so. */
export async function offerPlace(context: WaitingContext, id: string, asked: OfferAsked): Promise<Told> {
  const entry = await openEntry(context, id);
  const { record, now, capacity, model } = entry;
  const { facts } = record.edition;
  if (record.took !== undefined) throw hasTaken();
  if (waitingStateOf(record, now) === 'offered') {
    throw new Refusal('wrongState', 'A place is already offered to her.');
  }
  const until = offerEnd(record, now);
  if (until <= now) throw new Refusal('wrongState', 'Registration for this retreat is over.');
  const free = freePlaces(await capacity.look(facts));
  if (free <= 0 && !asked['without-place']) throw noPlaceFree();
  const says = [
    `A place is kept for her until ${moment(until, record)}, and a letter with the link to it goes to ${record.registrant.email}.`,
    free > 0
      ? `Places that can be offered: ${free}.`
      : 'No place is free: if she takes it, there is one more than planned.',
  ];
  return carryOutForEntry(entry, asked, says, async () => {
    const held = await capacity.offer(facts, record.id, until, asked['without-place']);
    if (held === 'full') throw noPlaceFree();
    const offered = await recordOffer(context, record, { at: now, until, by: asked.by }).catch(
      async (error: unknown) => {
        // If the offer was recorded despite the error, the next walk holds the place again.
        await capacity.endOffer(facts, record.id);
        throw error;
      },
    );
    await model.patch(offered);
    await queueLetters(context.queue, offered, now);
    return [];
  });
}

async function recordOffer(
  context: WaitingContext,
  { id }: WaitingRecord,
  offer: Offer,
): Promise<WaitingRecord> {
  const { waiting } = await context.openRecord();
  const record = await waiting.find(id);
  if (!record) throw new Refusal('wrongState', 'She has left the waiting list.');
  if (record.took !== undefined) throw hasTaken();
  await waiting.offer(record, offer);
  return { ...record, offer };
}

/** Withdraws an offer: its link stops working, and a payment that was begun with it is closed. */
export async function withdrawOffer(context: WaitingContext, id: string, asked: Asked): Promise<Told> {
  const entry = await openEntry(context, id);
  const { record, capacity, model } = entry;
  if (record.took !== undefined) throw hasTaken();
  if (!record.offer) throw new Refusal('wrongState', 'No place is offered to her.');
  const says = ['The offer is taken back: its link no longer works. She is not told, and waits as before.'];
  return carryOutForEntry(entry, asked, says, async () => {
    const { waiting } = await context.openRecord();
    if ((await waiting.withdrawOffer(record)) === 'took') throw hasTaken();
    await capacity.endOffer(record.edition.facts, record.id);
    const { offer: _, ...rest } = record;
    await model.patch(rest);
    return [];
  });
}

/** Removes somebody from the waiting list with all her data. */
export async function removeWaiting(context: WaitingContext, id: string, asked: Asked): Promise<Told> {
  const entry = await openEntry(context, id);
  const { record, capacity, model } = entry;
  if (record.took !== undefined) throw hasTaken();
  const says = ['She is taken off the waiting list, and her details are deleted. She is not told.'];
  return carryOutForEntry(entry, asked, says, async () => {
    const { waiting } = await context.openRecord();
    if ((await waiting.leave(record)) === 'took') throw hasTaken();
    await model.remove(record);
    await capacity.endOffer(record.edition.facts, record.id);
    return [];
  });
}

/** How many places can be offered. */
function freePlaces({ places, paid, held, offered }: Places): number {
  return places - paid - held - offered;
}

async function openEntry(context: WaitingContext, id: string): Promise<Entry> {
  const [{ waiting }, now] = [await context.openRecord(), await context.now()];
  const record = await waiting.find(id);
  if (!record) throw new Refusal('noSuchMail', `There is no entry ${id} on the waiting list.`);
  if (record.edition.facts.places === undefined)
    throw new Refusal('wrongState', `${record.edition.facts.id} has no number of places.`);
  const model = createWaitingModel(context.redis, () => now);
  return { record, now, model, capacity: capacityInRedis(context.redis, () => now) };
}

function carryOutForEntry(
  { record }: Entry,
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

/** Queues the letters under their own job ids, so that the walk does not queue them a second time. */
async function queueLetters(queue: Queue<unknown>, record: WaitingRecord, now: Date): Promise<void> {
  for (const letter of waitingLettersDue(record, now)) {
    await queue.add(letter.kind, letter, { ...MAIL_JOB_OPTIONS, jobId: mailJobId(letter) });
  }
}

function hasTaken(): Refusal {
  return new Refusal('wrongState', 'She has taken a place, and no longer waits.');
}

function noPlaceFree(): Refusal {
  return new Refusal('wrongState', 'No place is free. One can be offered all the same, if that is said.');
}
