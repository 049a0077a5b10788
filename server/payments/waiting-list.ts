import type Stripe from 'stripe';
import type { DepositPayment } from './deposit.ts';
import { everybodyAt, findPlace } from './earlier-registrations.ts';
import { withRetries } from './find-all-due.ts';
import { isMissing } from './provider-errors.ts';
import { isOwnWaiting, isPaidInFull, isUnpaid } from './recognise-deposit.ts';
import { cancelUnpaid, type OfferedDeposit, registerByOffer } from './register-by-offer.ts';
import { retrieveIntent } from './retrieve-intent.ts';
import type { Turns } from './turns.ts';
import { findWaiting } from './waiting-letters.ts';
import {
  inOrderOfJoining,
  type Joining,
  type Offer,
  readWaiting,
  WAITING_MARKS,
  type WaitingRecord,
  waitingCustomerOf,
  waitingStateOf,
} from './waiting-record.ts';
import { writeOnce } from './write-once.ts';

/**
 * The waiting list at Stripe: customers without a payment. Every method throws an AppError as `Payments`
 * does.
 */
export interface WaitingList {
  /**
   * Adds somebody to the list of an edition; an address that is on it already, or joins twice at once, is on
   * it once.
   * @param key identifies this joining across repeated submits (R4.5)
   */
  join(joining: Omit<Joining, 'addressHasPlace'>, key: string, now: Date): Promise<WaitingRecord>;
  /** An entry as it is now; undefined after she has left. */
  find(id: string): Promise<WaitingRecord | undefined>;
  /** All entries made since a moment, a hundred per request. */
  findAll(since: Date): AsyncIterable<WaitingRecord>;
  /** Removes somebody from the list with all her data, unless she has taken a place. */
  leave(record: WaitingRecord): Promise<'left' | 'took'>;
  /** Records that a place is kept for her. */
  offer(record: WaitingRecord, offer: Offer): Promise<void>;
  /** Records that no place is kept for her any more, and closes the payment that she may have begun. */
  withdrawOffer(record: WaitingRecord): Promise<'withdrawn' | 'took'>;
  /**
   * Makes the deposit of an offer, or finds the one made before: there is never a second one that could be
   * paid.
   */
  register(deposit: OfferedDeposit, now: Date): Promise<DepositPayment>;
  /**
   * Records by which deposit she took a place, and empties the entry: her details are stored with the
   * deposit.
   */
  took(id: string, depositId: string): Promise<void>;
}

export function createWaitingList(
  stripe: Stripe,
  explain: (error: unknown) => never,
  turns: Pick<Turns, 'take'>,
): WaitingList {
  return {
    join: (joining, key, now) => turns.take(() => join(stripe, joining, key, now)).catch(explain),
    find: (id) => findWaiting(stripe, id).catch(explain),
    findAll: (since) => findAll(stripe, since),
    leave: (record) => leave(stripe, record).catch(explain),
    async offer(record, offer) {
      await writeOffer(stripe, record, JSON.stringify(offer)).catch(explain);
    },
    withdrawOffer: (record) => withdrawOffer(stripe, record).catch(explain),
    register: (deposit, now) => turns.take(() => registerByOffer(stripe, deposit, now)).catch(explain),
    took: (id, depositId) => took(stripe, id, depositId).catch(explain),
  };
}

async function join(
  stripe: Stripe,
  joining: Omit<Joining, 'addressHasPlace'>,
  key: string,
  now: Date,
): Promise<WaitingRecord> {
  const customers = await everybodyAt(stripe, joining.contact.email);
  const [earlier] = entriesOf(customers, joining);
  if (earlier) return waitingStateOf(earlier, now) === 'lapsed' ? joinAgain(stripe, earlier, now) : earlier;
  const registered = customers.filter((customer) => !isOwnWaiting(customer));
  const addressHasPlace = await findPlace(stripe, registered, { ...joining, somebodyElse: true });
  const entry = waitingCustomerOf({ ...joining, addressHasPlace }, key, now);
  const find = async () => entriesOf(await everybodyAt(stripe, joining.contact.email), joining);
  const made = await writeOnce(
    `${key}-waiting`,
    async (idempotencyKey) => read(await stripe.customers.create(entry, { idempotencyKey })),
    async () => (await find())[0],
  );
  // If two browsers joined at once, the first entry is kept.
  const [first = made] = await find();
  if (first.id !== made.id) await remove(stripe, made.id);
  return first;
}

/** The entries of one edition that wait or may join again, the earliest first. */
function entriesOf(
  customers: readonly Stripe.Customer[],
  { facts }: Pick<Joining, 'facts'>,
): WaitingRecord[] {
  return customers
    .flatMap((customer) => readWaiting(customer) ?? [])
    .filter(({ edition, took }) => edition.facts.id === facts.id && took === undefined)
    .toSorted(inOrderOfJoining);
}

async function joinAgain(stripe: Stripe, { id }: WaitingRecord, now: Date): Promise<WaitingRecord> {
  const metadata = { [WAITING_MARKS.joined]: now.toISOString(), [WAITING_MARKS.offer]: '' };
  return read(await stripe.customers.update(id, { metadata }));
}

function read(customer: Stripe.Customer): WaitingRecord {
  const record = readWaiting(customer);
  if (!record) throw new Error(`${customer.id} is no entry of the waiting list`);
  return record;
}

async function* findAll(stripe: Stripe, since: Date): AsyncGenerator<WaitingRecord> {
  const parameters = { created: { gte: Math.floor(since.getTime() / 1000) }, limit: 100 };
  let last: string | undefined;
  for (;;) {
    const page = await withRetries(() =>
      stripe.customers.list({ ...parameters, ...(last && { starting_after: last }) }),
    );
    for (const customer of page.data) {
      const record = readWaiting(customer);
      if (record) yield record;
    }
    last = page.data.at(-1)?.id;
    if (!page.has_more || !last) return;
  }
}

async function leave(stripe: Stripe, record: WaitingRecord): Promise<'left' | 'took'> {
  if ((await closeBegun(stripe, record)) === 'took') return 'took';
  await remove(stripe, record.id);
  return 'left';
}

/**
 * Removes the offer first, so that nobody begins another payment with it: a registration that is just
 * beginning reads the entry again.
 */
async function withdrawOffer(stripe: Stripe, record: WaitingRecord): Promise<'withdrawn' | 'took'> {
  if (record.took !== undefined) return 'took';
  const now = readWaiting(await writeOffer(stripe, record, ''));
  return now && (await closeBegun(stripe, now)) === 'took' ? 'took' : 'withdrawn';
}

/**
 * Cancels the payment that was begun by an offer, unless it is paid: a registrant who has paid keeps her
 * place.
 */
async function closeBegun(stripe: Stripe, { deposit, took }: WaitingRecord): Promise<'closed' | 'took'> {
  if (took !== undefined) return 'took';
  const intent = deposit === undefined ? undefined : await retrieveIntent(stripe, deposit);
  if (!intent || intent.status === 'canceled') return 'closed';
  if (isUnpaid(intent)) await cancelUnpaid(stripe, intent);
  const now = await stripe.paymentIntents.retrieve(intent.id);
  return isPaidInFull(now) || now.status === 'processing' ? 'took' : 'closed';
}

function writeOffer(stripe: Stripe, { id }: WaitingRecord, offer: string): Promise<Stripe.Customer> {
  return stripe.customers.update(id, { metadata: { [WAITING_MARKS.offer]: offer } });
}

/**
 * Deletes a customer without payments: nothing of her data stays.
 * https://docs.stripe.com/api/customers/delete
 */
async function remove(stripe: Stripe, id: string): Promise<void> {
  await stripe.customers.del(id).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

async function took(stripe: Stripe, id: string, depositId: string): Promise<void> {
  const record = await findWaiting(stripe, id);
  if (!record || record.took !== undefined) return;
  const nobody = { firstName: '', lastName: '', email: '', phoneNumber: '', timeZone: '' };
  const metadata = { ...nobody, [WAITING_MARKS.took]: depositId };
  await stripe.customers.update(id, { name: '', email: '', phone: '', metadata });
}
