import type Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import type { RegistrationRow } from '#server/database/schema.ts';
import { HERSELF, THE_WORKER } from '#server/registration/act-kinds.ts';
import { type ActFacts, actsOfHolder, hasKind, lastOfKind } from '#server/registration/acts.ts';
import {
  balanceOnceHandedOver,
  handOverStop,
  isHandedOverBy,
  type PendingHandOver,
  pendingHandOver,
  termsOnceHandedOver,
} from '#server/registration/hand-over.ts';
import { writeHolder } from '#server/registration/personal-data.ts';
import { findRegistration, readRegistration } from '#server/registration/read-registration.ts';
import { refused } from '#server/registration/refusals.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { comparableName, findRow, registrantIn } from '#server/registration/registrations.ts';
import { addAct, writeAct } from '#server/registration/write-acts.ts';
import { cancelOpen } from './balance.ts';
import { beginCardChange, readStored } from './cards.ts';
import { customerOf, customerOfHeld } from './customers.ts';
import { readMarks } from './payment-at-stripe.ts';
import type { Records } from './record-payments.ts';
import { idOf, ifStillOpen, ifThere } from './stripe-calls.ts';

/** With what somebody accepts a place, as her page showed it. */
interface Acceptance {
  /** When it was decided to hand the place over to her. */
  decidedAt: Date;
  /** The text that she agreed to. */
  version: string;
  digest: string;
  /** What is left to pay, in US cents. */
  cents: number;
  timeZone: string;
  /** What has stored her card; absent where none is asked for. */
  setupIntent?: string | undefined;
}

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
 * Hands a place over to somebody who accepts it, in one transaction: names, address, zone, consent, card and links are hers
 * from then on. What the place still costs stays as it was agreed. The open payment of the balance is then cancelled, as
 * who had the place before may have it open in a browser. A second press changes nothing.
 * @throws {AppError} when the place cannot be had any more, something she was shown has changed, or her card is not stored
 */
export async function acceptHandOver(
  records: Records,
  id: string,
  accepted: Acceptance,
  now: Date,
): Promise<void> {
  const { decidedAt, setupIntent, timeZone, version, digest } = accepted;
  const before = await findRegistration(records, id);
  if (before && isHandedOverBy(before, decidedAt)) return;
  const stored = setupIntent ? await readStored(records.stripe, id, setupIntent) : undefined;
  const isHers = stored?.handOver === decidedAt.toISOString();
  const [holder, consent] = [uuidV7(), uuidV7()];
  await records.database.write(async (transaction) => {
    const row = await findRow(transaction, id);
    const record = await readRegistration(transaction, id);
    if (!row || !record) throw refused('hand_over_gone');
    // It was pressed twice, or the answer to the COMMIT was lost.
    if (isHandedOverBy(record, decidedAt)) return;
    const { pending, isCharged } = requireAsShown(record, accepted, now);
    if (setupIntent ? !isHers : isCharged) throw refused('changed');
    await requireNoPlace(transaction, row, pending);
    const registrant = registrantIn({ ...pending, timeZone });
    const act = { subject: id, at: now, by: HERSELF };
    await writeHolder(transaction, row, { ...act, id: holder, of: pending.at, registrant });
    await addAct(transaction, { ...act, id: consent, kind: 'consent' as const, facts: { version, digest } });
    if (!stored || !setupIntent) return;
    // As of any card: when Stripe made it.
    const { since: at, ...facts } = stored.card;
    await addAct(transaction, { ...act, id: setupIntent, kind: 'card' as const, at, facts });
  });
  await cancelOpen(records, id);
  await fitCustomer(records, id, now);
}

function requireAsShown(record: RegistrationRecord, accepted: Acceptance, now: Date) {
  const pending = pendingHandOver(record, now);
  if (!pending?.agreedAt || pending.at.getTime() !== accepted.decidedAt.getTime())
    throw refused('hand_over_gone');
  if (handOverStop(record, now) === 'being-charged') throw refused('hand_over_waits');
  const terms = termsOnceHandedOver(record);
  const { cents, isCharged } = balanceOnceHandedOver(record, now);
  const isSameText = terms?.version === accepted.version && terms.digest === accepted.digest;
  if (!isSameText || cents !== accepted.cents) throw refused('changed');
  return { pending, isCharged };
}

/** One person has one place: the second one would count as paid twice. */
async function requireNoPlace(
  transaction: Transaction,
  { id, edition }: RegistrationRow,
  taker: PendingHandOver,
): Promise<void> {
  const there = await rowsWith(transaction, 'registrations', 'address', [taker.email.toLowerCase()]);
  const person = comparableName(taker);
  const isOwn = (row: RegistrationRow) =>
    row.id !== id && row.edition === edition && row.standing === 'taken' && row.person === person;
  if (there.some(isOwn)) throw refused('hand_over_has_place');
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

/** An upper limit that nobody reaches. */
const MOST = { limit: 1_000 };

/** Nothing can be stored with it after that. */
async function endSetup(stripe: Stripe, setup: Stripe.SetupIntent): Promise<Stripe.SetupIntent> {
  const { id, status } = setup;
  if (status === 'succeeded' || status === 'canceled') return setup;
  return (await ifStillOpen(stripe.setupIntents.cancel(id))) ?? stripe.setupIntents.retrieve(id);
}
