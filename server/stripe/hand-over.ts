import type Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import { rowsWith } from '#server/database/engine.ts';
import type { RegistrationRow } from '#server/database/schema.ts';
import { AppError } from '#server/http/app-error.ts';
import { addAct, HERSELF, hasKind, THE_WORKER, writeAct } from '#server/registration/acts.ts';
import type { CardOnFile } from '#server/registration/card-on-file.ts';
import { writeConsent } from '#server/registration/consent.ts';
import { findRegistration } from '#server/registration/find-registration.ts';
import {
  balanceOnceHandedOver,
  handOverStop,
  isHandedOverBy,
  pendingHandOver,
  termsOnceHandedOver,
} from '#server/registration/hand-over.ts';
import { ACTS, actsOfHolder } from '#server/registration/on-record.ts';
import { writeHolder } from '#server/registration/personal-data.ts';
import { readRegistration } from '#server/registration/read-registration.ts';
import { isRefused, refused } from '#server/registration/refusals.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { comparableName, findRow, registrantIn } from '#server/registration/registrations.ts';
import { beginCardChange, readStored } from './cards.ts';
import { customerOf } from './customers.ts';
import { cancelOpenBalances } from './open-balance.ts';
import { handOverOfCard } from './payment-at-stripe.ts';
import type { Records } from './record-payments.ts';
import { ifThere } from './stripe-calls.ts';

/** With what somebody accepts a place, as her page showed it. */
export interface Acceptance {
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
  await cancelOpenBalances(records, id);
}

/**
 * Makes the customer at Stripe, by which all payments are found, that of who has the place now, without the cards of who
 * had it before.
 */
export async function giveCustomer(records: Records, id: string, now: Date): Promise<boolean> {
  const { stripe, database } = records;
  const record = await findRegistration(records, id);
  if (!record?.handedOver || record.customerId === undefined) return false;
  // If it is interrupted, it is done once more. Nothing of a customer who was deleted.
  await ifThere(detachOthers(stripe, record));
  if (!record.forgottenAt)
    await ifThere(stripe.customers.update(record.customerId, customerOf(record.registrant)));
  const act = { kind: ACTS.customerGiven, at: now, by: THE_WORKER };
  return writeAct(database, id, (acts) =>
    hasKind(actsOfHolder(acts), ACTS.customerGiven) ? undefined : act,
  );
}

async function detachOthers(stripe: Stripe, { customerId = '', card }: RegistrationRecord): Promise<void> {
  for await (const { id } of stripe.customers.listPaymentMethods(customerId, { limit: 100 }))
    if (id !== card?.id) await stripe.paymentMethods.detach(id);
}

async function write(
  { database }: Records,
  id: string,
  { card, ...accepted }: Acceptance & { card: CardOnFile | undefined },
  now: Date,
): Promise<void> {
  const [holder, ids] = [uuidV7(), { id: uuidV7(), due: uuidV7() }];
  await database.write(async (transaction) => {
    const row = await findRow(transaction, id);
    const record = await readRegistration(transaction, id);
    if (!row || !record) throw refused('hand_over_gone');
    // It was pressed twice, or the answer to the COMMIT was lost.
    if (isHandedOverBy(record, accepted.decidedAt)) return;
    const { pending, terms, isCharged } = requireAsShown(record, accepted, now);
    if (isCharged && !card) throw refused('hand_over_changed');
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
    await writeConsent(transaction, { ...act, ...ids }, { ...terms, ...record.agreed });
    if (!card || accepted.setupIntent === undefined) return;
    // As of any card: when Stripe made it.
    const { since: at, ...facts } = card;
    await addAct(transaction, { ...act, id: accepted.setupIntent, kind: ACTS.card, at, facts });
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
  if (!isSameText || cents !== accepted.cents) throw refused('hand_over_changed');
  return { pending, terms, isCharged };
}

async function readCardOf(
  { stripe }: Records,
  record: RegistrationRecord,
  { setupIntent, decidedAt }: Acceptance,
): Promise<CardOnFile | undefined> {
  if (setupIntent === undefined) return undefined;
  const stored = await readStored(stripe, record, setupIntent).catch((error: unknown) => {
    throw isRefused(error, 'changed') ? refused('hand_over_changed') : error;
  });
  if (handOverOfCard(stored.setup) !== decidedAt.toISOString()) throw refused('hand_over_changed');
  return stored.card;
}
