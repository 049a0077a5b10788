import type Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import { rowsWith } from '#server/database/engine.ts';
import type { RegistrationRow } from '#server/database/schema.ts';
import { AppError } from '#server/http/app-error.ts';
import { HERSELF, SOMEBODY_WITH_LINK, THE_WORKER } from '#server/registration/acts.ts';
import type { CardOnFile } from '#server/registration/card-on-file.ts';
import {
  balanceOnceHandedOver,
  handOverStop,
  isHandedOverBy,
  pendingHandOver,
  termsOnceHandedOver,
} from '#server/registration/hand-over.ts';
import { customerStaleBy } from '#server/registration/on-record.ts';
import { writeHolder } from '#server/registration/personal-data.ts';
import { findRegistration, readRegistration } from '#server/registration/read-registration.ts';
import { refused } from '#server/registration/refusals.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { comparableName, findRow, registrantIn } from '#server/registration/registrations.ts';
import { addAct, writeAct } from '#server/registration/write-acts.ts';
import { cancelOpen } from './balance.ts';
import { beginCardChange, readStored } from './cards.ts';
import { customerOf } from './customers.ts';

import { readMarksOfCard } from './payment-at-stripe.ts';
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
 * Begins to store the card of somebody to whom a place is to be handed over; it is charged for nothing before she has
 * accepted the place.
 * @returns the client secret that her browser stores it with
 * @throws {AppError} when the place cannot be had any more, or after too many declined cards in a day
 */
export async function beginTakersCard(
  records: Records,
  record: RegistrationRecord,
  now: Date,
): Promise<string> {
  const { id } = record;
  const pending = pendingHandOver(record, now);
  if (!pending?.agreedAt) throw refused('hand_over_gone');
  const { at } = pending;
  const act = { kind: 'takers-card' as const, at: now, by: SOMEBODY_WITH_LINK };
  await writeAct(records.database, id, (acts) => {
    const stale = acts.find((one) => one.id === customerStaleBy(acts));
    return stale?.kind === act.kind && stale.happenedAt >= at ? undefined : act;
  });
  const clientSecret = await beginCardChange(records, record, now, at);
  // If it ended meanwhile, the worker may have looked already: nothing may be stored for it any more.
  const after = await findRegistration(records, id);
  if (!after || pendingHandOver(after, now)?.at.getTime() !== at.getTime()) throw refused('hand_over_gone');
  return clientSecret;
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
  const { stripe } = records;
  const record = await findRegistration(records, id);
  if (!record) throw refused('hand_over_gone');
  if (isHandedOverBy(record, accepted.decidedAt)) return;
  const card = await readCardOf(records, record, accepted);
  try {
    await write(records, id, { ...accepted, card }, now);
  } catch (error) {
    // A card that is charged for nothing is not kept.
    if (card && error instanceof AppError && error.status === 409)
      await stripe.paymentMethods.detach(card.id);
    throw error;
  }
  await cancelOpen(records, id);
}

/** Not while somebody may be storing a card with which she takes the place. */
export function isCustomerToBeFitted(record: RegistrationRecord, now: Date): boolean {
  const { customerId, customerStaleBy: by } = record;
  const isStale = customerId !== undefined && by !== undefined;
  return isStale && pendingHandOver(record, now)?.agreedAt === undefined;
}

/**
 * Makes the customer at Stripe, by which all payments are found, that of who has the place now: with her name, and without
 * the cards of who had it before, or was to take it and did not. If it is interrupted, it is done once more.
 */
export async function fitCustomer(records: Records, id: string, now: Date): Promise<boolean> {
  const { stripe, database } = records;
  const customer = (await findRegistration(records, id))?.customerId;
  if (customer === undefined) return false;
  // Nothing of a customer who was deleted.
  const listed = await ifThere(stripe.setupIntents.list({ customer, limit: 100 }).autoPagingToArray(MOST));
  const setups = listed ?? [];
  // Read after the list: what was begun to take the place is on record before it is in the list.
  const record = await findRegistration(records, id);
  if (!record || !isCustomerToBeFitted(record, now)) return false;
  await ifThere(detachOthers(stripe, customer, record, setups));
  if (record.handedOver && !record.forgottenAt)
    await ifThere(stripe.customers.update(customer, customerOf(record.registrant)));
  const act = { kind: 'customer-fitted' as const, at: now, by: THE_WORKER };
  return writeAct(database, id, async (_, transaction) => {
    const after = await readRegistration(transaction, id);
    const isSame = after?.customerStaleBy === record.customerStaleBy;
    return after && isSame && isCustomerToBeFitted(after, now) ? act : undefined;
  });
}

/** An upper limit that nobody reaches. */
const MOST = { limit: 1_000 };

/** A card that the holder has just given may not be on record yet: only those are detached that are known to be others'. */
async function detachOthers(
  stripe: Stripe,
  customer: string,
  { card, givenCard, handedOver }: RegistrationRecord,
  setups: readonly Stripe.SetupIntent[],
): Promise<void> {
  const isOfOther = (setup: Stripe.SetupIntent) => {
    const marks = readMarksOfCard(setup);
    return (
      marks !== undefined &&
      (marks.handOver !== undefined || marks.linksEpoch < (handedOver?.linksEpoch ?? 0))
    );
  };
  const others = new Set<string | undefined>();
  for (const setup of setups.filter(isOfOther))
    others.add(idOf((await endSetup(stripe, setup)).payment_method));
  // Stripe tells only in which second; what was stored before in the same one is known by its setup.
  const isBefore = ({ created }: Stripe.PaymentMethod) =>
    handedOver !== undefined && (created + 1) * 1000 <= handedOver.at.getTime();
  for await (const method of stripe.customers.listPaymentMethods(customer, { limit: 100 })) {
    const { id } = method;
    if (id === card?.id || id === givenCard?.id) continue;
    if (others.has(id) || isBefore(method)) await stripe.paymentMethods.detach(id);
  }
}

/** Nothing can be stored with it after that. */
async function endSetup(stripe: Stripe, setup: Stripe.SetupIntent): Promise<Stripe.SetupIntent> {
  const { id, status } = setup;
  if (status === 'succeeded' || status === 'canceled') return setup;
  return (await ifStillOpen(stripe.setupIntents.cancel(id))) ?? stripe.setupIntents.retrieve(id);
}

async function write(
  { database }: Records,
  id: string,
  { card, ...accepted }: Acceptance & { card: CardOnFile | undefined },
  now: Date,
): Promise<void> {
  const [holder, consent] = [uuidV7(), uuidV7()];
  await database.write(async (transaction) => {
    const row = await findRow(transaction, id);
    const record = await readRegistration(transaction, id);
    if (!row || !record) throw refused('hand_over_gone');
    // It was pressed twice, or the answer to the COMMIT was lost.
    if (isHandedOverBy(record, accepted.decidedAt)) return;
    const { pending, terms, isCharged } = requireAsShown(record, accepted, now);
    if (isCharged && !card) throw refused('changed');
    const there = await rowsWith(transaction, 'registrations', 'address', [pending.email.toLowerCase()]);
    const isOwn = ({ id, edition, standing, person }: RegistrationRow) =>
      id !== row.id && edition === row.edition && standing === 'taken' && person === comparableName(pending);
    // One person has one place: the second one would count as paid twice.
    if (there.some(isOwn)) throw refused('hand_over_has_place');
    const registrant = registrantIn({ ...pending, timeZone: accepted.timeZone });
    await writeHolder(transaction, row, {
      id: holder,
      at: now,
      of: pending.at,
      by: HERSELF,
      registrant,
    });
    const act = { subject: id, at: now, by: HERSELF };
    const { version, digest } = terms;
    await addAct(transaction, { ...act, id: consent, kind: 'consent', facts: { version, digest } });
    if (!card || accepted.setupIntent === undefined) return;
    // As of any card: when Stripe made it.
    const { since: at, ...facts } = card;
    await addAct(transaction, { ...act, id: accepted.setupIntent, kind: 'card', at, facts });
  });
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
  return { pending, terms, isCharged };
}

async function readCardOf(
  { stripe }: Records,
  record: RegistrationRecord,
  { setupIntent, decidedAt }: Acceptance,
): Promise<CardOnFile | undefined> {
  if (setupIntent === undefined) return undefined;
  const stored = await readStored(stripe, record, setupIntent);
  if (stored.handOver !== decidedAt.toISOString()) throw refused('changed');
  return stored.card;
}
