import type Stripe from 'stripe';
import { THE_WORKER } from '#server/registration/act-kinds.ts';
import { type ActFacts, actsOfHolder, hasKind, lastOfKind } from '#server/registration/acts.ts';
import { isHandedOverBy, pendingHandOver } from '#server/registration/hand-over.ts';
import { type Acceptance, acceptPlace } from '#server/registration/personal-data.ts';
import { findRegistration } from '#server/registration/read-registration.ts';
import { refused } from '#server/registration/refusals.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { writeAct } from '#server/registration/write-acts.ts';
import { cancelOpen } from './balance.ts';
import { beginCardChange, readStored } from './cards.ts';
import { customerOf, customerOfHeld } from './customers.ts';
import { readMarks } from './payment-at-stripe.ts';
import type { Records } from './record-payments.ts';
import { idOf, ifStillOpen, ifThere } from './stripe-calls.ts';

/**
 * Begins to store the card of somebody to whom a place is to be handed over. It belongs to no customer, so nothing can be
 * charged to it, before she has accepted the place.
 * @returns the client secret that her browser stores it with
 * @throws {AppError} when the place cannot be had any more, or after too many declined cards in a day
 */
export async function beginTakersCard(
  records: Records,
  record: RegistrationRecord,
  now: Date,
): Promise<string> {
  const pending = pendingHandOver(record, now);
  if (!pending?.agreedAt) throw refused('hand_over_gone');
  return beginCardChange(records, record, now, pending.at);
}

/**
 * Hands a place over to somebody who accepts it. The open payment of the balance is then cancelled, as who had the place
 * before may have it open in a browser. A second press changes nothing.
 * @throws {AppError} when the place cannot be had any more, something she was shown has changed, or her card is not stored
 */
export async function acceptHandOver(
  records: Records,
  id: string,
  { setupIntent, ...accepted }: Acceptance & { setupIntent?: string | undefined },
  now: Date,
): Promise<void> {
  const { decidedAt } = accepted;
  const before = await findRegistration(records, id);
  if (before && isHandedOverBy(before, decidedAt)) return;
  const stored = setupIntent ? await readStored(records.stripe, id, setupIntent) : undefined;
  const isHers = stored?.handOver === decidedAt.toISOString();
  if (setupIntent && !isHers) throw refused('changed');
  const given = setupIntent && stored ? { setupIntent, ...stored.card } : undefined;
  await acceptPlace(records, id, accepted, given, now);
  await cancelOpen(records, id);
  await fitCustomer(records, id, now);
}

export function isCustomerToBeFitted({ handedOver, acts, forgottenAt }: RegistrationRecord): boolean {
  return handedOver !== undefined && !forgottenAt && !hasKind(actsOfHolder(acts), 'customer-fitted');
}

/**
 * Makes the customer at Stripe, by which all payments are found, that of who has the place now: with her name and her card,
 * and without the cards of who had it before. If it is interrupted, it is done once more.
 */
export async function fitCustomer(records: Records, id: string, now: Date): Promise<boolean> {
  const record = await findRegistration(records, id);
  if (!record?.handedOver || !isCustomerToBeFitted(record)) return false;
  const { handedOver, card, customerId } = record;
  // Nothing of a customer who was deleted.
  if (customerId !== undefined || card)
    await ifThere(fit(records.stripe, await customerOfHeld(records, record, now), record, handedOver));
  const act = { kind: 'customer-fitted' as const, at: now, by: THE_WORKER };
  return writeAct(records.database, id, (acts) =>
    lastOfKind(acts, 'handed-over')?.linksEpoch === handedOver.linksEpoch ? act : undefined,
  );
}

async function fit(
  stripe: Stripe,
  customer: string,
  { card, registrant }: RegistrationRecord,
  { linksEpoch, at }: ActFacts<'handed-over'>,
): Promise<void> {
  await stripe.customers.update(customer, customerOf(registrant));
  const others = new Set<string | undefined>();
  for await (const setup of stripe.setupIntents.list({ customer, limit: 100 }))
    if (Number(readMarks(setup)?.linksEpoch) < linksEpoch)
      others.add(idOf((await endSetup(stripe, setup)).payment_method));
  const methods = await stripe.customers.listPaymentMethods(customer, { limit: 100 }).autoPagingToArray(MOST);
  if (card && !methods.some(({ id }) => id === card.id))
    await stripe.paymentMethods.attach(card.id, { customer });
  for (const { id, created } of methods) {
    // Stripe tells only in which second; what was stored before in the same one is known by its setup.
    const isBefore = (created + 1) * 1000 <= at.getTime();
    if (id !== card?.id && (isBefore || others.has(id))) await stripe.paymentMethods.detach(id);
  }
}

const MOST = { limit: 1_000 };

/** Nothing can be stored with it after that. */
async function endSetup(stripe: Stripe, setup: Stripe.SetupIntent): Promise<Stripe.SetupIntent> {
  const { id, status } = setup;
  if (status === 'succeeded' || status === 'canceled') return setup;
  return (await ifStillOpen(stripe.setupIntents.cancel(id))) ?? stripe.setupIntents.retrieve(id);
}
