import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import { AppError } from '#server/http/app-error.ts';
import { BOUNCED_MARK, type Bounced, bouncedBy, type LetterEvent, readBounced } from './bounce-mark.ts';
import { customersAt, depositOf } from './earlier-registrations.ts';
import { isMissing, isServerFailure, isUsedOtherwise, unknownPayment } from './provider-errors.ts';
import { isDeposit, RECORD_MARKS, recognise } from './recognise-deposit.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { retrieveIntent } from './retrieve-intent.ts';
import { inTurn, writeOnce } from './write-once.ts';

/** What a mail provider reports about a letter, and whose registration it was about, if known. */
export interface BounceToRecord extends LetterEvent {
  paymentIntentId?: string;
}

export interface BounceRecorded {
  /** The deposits of the registrations that have the address now. */
  found: readonly string[];
  /** Those among `found` for which the event is new. */
  marked: readonly string[];
}

/**
 * Records with the customer of a registration that a letter to its current address bounced, or that she
 * complained about it. If the letter is unknown, it is recorded for all registrations with that address, paid
 * or not. An event that is recorded already, or about an address that is no
 * longer hers, changes nothing.
 * @throws {AppError} when somebody wrote the same mark at this moment, or the payment is for an edition that
 *   this release does not know: the provider sends the event again
 */
export async function recordBounce(
  stripe: Stripe,
  event: BounceToRecord,
  now: Date,
): Promise<BounceRecorded> {
  const named = await readNamed(stripe, event);
  const people = named ? [named] : await readAt(stripe, event.address);
  const found: string[] = [];
  const marked: string[] = [];
  for (const { deposit, customer } of people) {
    const { id } = deposit;
    const { email, [RECORD_MARKS.forgotten]: forgottenAt } = { ...customer.metadata, ...deposit.metadata };
    const address = email ?? customer.email ?? '';
    if (forgottenAt !== undefined || address.toLowerCase() !== event.address.toLowerCase()) continue;
    found.push(id);
    const mark = bouncedBy(event, readBounced(customer), now);
    if (mark && (await writeMark(stripe, customer, mark))) marked.push(id);
  }
  return { found, marked };
}

/**
 * Records that letters reach her again, or that a complaint was looked at; does nothing for a deleted
 * customer.
 */
export async function clearBounce(
  stripe: Stripe,
  { customerId }: Pick<RegistrationRecord, 'customerId'>,
  by: string,
  now: Date,
): Promise<void> {
  const customer = customerId === undefined ? undefined : await stripe.customers.retrieve(customerId);
  if (!customer || customer.deleted) return;
  const before = readBounced(customer);
  if (!before || before.over) return;
  const lost = before.type === 'bounce' && { lostUntil: now };
  await writeMark(stripe, customer, { ...before, over: now, by, ...lost });
}

interface Person {
  deposit: Stripe.PaymentIntent;
  customer: Stripe.Customer;
}

/** The person whose registration the event names; undefined if it names none, or one that is not here. */
async function readNamed(stripe: Stripe, { paymentIntentId }: BounceToRecord): Promise<Person | undefined> {
  if (paymentIntentId === undefined) return undefined;
  const deposit = await retrieveIntent(stripe, paymentIntentId, ['customer']);
  if (!deposit) return undefined;
  if (recognise(deposit) === 'unknown') throw unknownPayment(deposit);
  const { customer } = deposit;
  if (!isDeposit(deposit) || !customer || typeof customer === 'string' || customer.deleted) return undefined;
  return { deposit, customer };
}

async function readAt(stripe: Stripe, address: string): Promise<Person[]> {
  const found: Person[] = [];
  for (const customer of await customersAt(stripe, address)) {
    const deposit = await depositOf(stripe, customer.id);
    if (deposit) found.push({ deposit, customer });
  }
  return found;
}

/**
 * Writes the mark, unless somebody has written it since the customer was read: the key is derived from the
 * previous value. What Stripe saved under that key may be a failure of its own; then another key is used.
 * @returns false for a customer that was deleted meanwhile
 */
async function writeMark(stripe: Stripe, { id, metadata }: Stripe.Customer, mark: Bounced): Promise<boolean> {
  const before = metadata[BOUNCED_MARK] ?? '';
  const text = JSON.stringify(mark);
  const key = `${id}-${BOUNCED_MARK}-${digest(before)}`;
  const write = (idempotencyKey: string) =>
    inTurn(() => stripe.customers.update(id, { metadata: { [BOUNCED_MARK]: text } }, { idempotencyKey }));
  const lookUp = async () => {
    const now = await stripe.customers.retrieve(id);
    const current = now.deleted ? text : (now.metadata[BOUNCED_MARK] ?? '');
    if (current !== text && current !== before) throw markedMeanwhile();
    return current === text ? now : undefined;
  };
  try {
    await write(key).catch(async (error: unknown) => {
      if (!isUsedOtherwise(error) && !isServerFailure(error)) throw error;
      if (!(await lookUp())) await writeOnce(`${key}-${digest(text)}`, write, lookUp);
    });
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function markedMeanwhile(): AppError {
  const message = 'Something else was recorded about her letters at the same time: look at the registration';
  return new AppError({ code: 'marked_meanwhile', status: 503, message });
}
