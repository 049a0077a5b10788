import { isDeepStrictEqual } from 'node:util';
import type Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import { rowsWith } from '#server/database/read-rows.ts';
import type { ActRow } from '#server/database/schema.ts';
import { addAct, HER_BANK, HERSELF, readActs } from '#server/record/acts.ts';
import { type CardOnFile, readCard } from '#server/record/card-on-file.ts';
import { ACTS, actsOfHolder, handedOverOf, onRecordIn } from '#server/record/on-record.ts';
import { readRecord } from '#server/record/read-record.ts';
import {
  depositOfCard,
  epochOfCard,
  handOverOfCard,
  ownMarksOfCard,
} from '#server/record/recognise-deposit.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import type { Records } from './find-registration.ts';
import { areCardsSpent } from './limit-attempts.ts';
import { tooManyDeclines } from './pay-balance.ts';
import { ifThere } from './provider-errors.ts';
import { refused } from './refusals.ts';
import { STORING } from './stored-card.ts';
import { idOf } from './stripe-calls.ts';

/**
 * Begins to store another card for the balance, without a payment.
 * @param handOver for a card of somebody to whom the place is to be handed over, when that was decided
 * @returns the client secret that her browser stores it with
 * @throws {AppError} after too many declined cards in a day
 */
export async function beginCardChange(
  records: Records,
  { id, edition, customerId, linksEpoch }: RegistrationRecord,
  now: Date,
  handOver?: Date,
): Promise<string> {
  if (await areCardsSpent(records, id, now)) throw tooManyDeclines();
  if (!customerId) throw new Error(`${id} has no customer`);
  const { client_secret } = await records.stripe.setupIntents.create({
    customer: customerId,
    usage: 'off_session',
    allowed_payment_method_types: ['card'],
    payment_method_options: STORING,
    metadata: ownMarksOfCard(edition.facts, id, linksEpoch, handOver),
  });
  if (client_secret === null) throw new Error(`The setup of a card for ${id} has no client secret`);
  return client_secret;
}

/**
 * Records a card that Stripe has stored for a registration: the balance is charged to it from now on. A late
 * or repeated call changes nothing: a card that she gave later is kept, and what is on record is not read at Stripe again.
 * @returns whether it was news
 * @throws {AppError} when no card was stored for this registration
 */
export async function recordCard(
  { stripe, database }: Records,
  record: RegistrationRecord,
  setupIntentId: string,
): Promise<boolean> {
  const isRecorded = (acts: readonly ActRow[]) => acts.some(({ id }) => id === setupIntentId);
  if (isRecorded(await database.read((transaction) => readActs(transaction, record.id)))) return false;
  const { setup, card } = await readStored(stripe, record, setupIntentId);
  // It is that of somebody who is to get the place.
  if (handOverOfCard(setup) !== undefined) throw refused('changed');
  const { since, ...facts } = card;
  const act = { id: setupIntentId, subject: record.id, kind: ACTS.card, at: since, by: HERSELF, facts };
  return database.write(async (transaction) => {
    const acts = await readActs(transaction, record.id);
    // It is that of somebody who had the place before.
    if (epochOfCard(setup) < (handedOverOf(acts)?.linksEpoch ?? 0)) throw refused('changed');
    const given = readCard(actsOfHolder(acts));
    const isNews = !isRecorded(acts) && (!given || (given.id !== card.id && given.since <= since));
    if (isNews) await addAct(transaction, act);
    return isNews;
  });
}

/**
 * A card that Stripe has stored for a registration.
 * @throws {AppError} when none was stored
 */
export async function readStored(
  stripe: Stripe,
  record: Pick<RegistrationRecord, 'id' | 'customerId'>,
  setupIntentId: string,
): Promise<{ setup: Stripe.SetupIntent; card: CardOnFile }> {
  const setup = await ifThere(stripe.setupIntents.retrieve(setupIntentId, { expand: ['payment_method'] }));
  const customer = idOf(setup?.customer);
  const isHers = setup && depositOfCard(setup) === record.id && customer === record.customerId;
  const card = setup && cardOf(setup);
  if (!isHers || !customer || setup.status !== 'succeeded' || !card) throw refused('changed');
  return { setup, card };
}

/**
 * Records what her bank has changed of a card on file, which keeps its payment method at Stripe: number, brand or expiry.
 * It counts as a card that she gave at that moment.
 * @returns whether it was news: not for a card that no registration has, or is not charged any more
 * @see https://docs.stripe.com/payments/cards/overview#automatic-card-updates
 */
export async function renewCard({ stripe, database }: Records, cardId: string, at: Date): Promise<boolean> {
  const method = await ifThere(stripe.paymentMethods.retrieve(cardId));
  const customer = idOf(method?.customer);
  const facts = method && factsOf(method);
  if (!customer || !facts) return false;
  const id = uuidV7();
  return database.write(async (transaction) => {
    const [row] = await rowsWith(transaction, 'registrations', 'customer', [customer]);
    const deposit = row?.deposit ?? '';
    const card = readRecord(await onRecordIn(transaction, deposit))?.card;
    if (card?.id !== cardId) return false;
    const { since: _, ...held } = card;
    // Of a card that was recorded without its kind, the kind alone is no news.
    if (isDeepStrictEqual({ funding: facts.funding, ...held }, facts)) return false;
    await addAct(transaction, { id, subject: deposit, kind: ACTS.card, at, by: HER_BANK, facts });
    return true;
  });
}

function cardOf({ payment_method: method }: Stripe.SetupIntent): CardOnFile | undefined {
  if (!method || typeof method === 'string') return undefined;
  const facts = factsOf(method);
  return facts && { ...facts, since: new Date(method.created * 1000) };
}

function factsOf({ id, card }: Stripe.PaymentMethod): Omit<CardOnFile, 'since'> | undefined {
  if (!card) return undefined;
  const { brand, last4, exp_month: expMonth, exp_year: expYear, funding } = card;
  return { id, brand, last4, expMonth, expYear, funding };
}
