import { isDeepStrictEqual } from 'node:util';
import type Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import { rowsWith } from '#server/database/engine.ts';
import type { ActRow } from '#server/database/schema.ts';
import { HER_BANK, HERSELF, readActs } from '#server/registration/acts.ts';
import type { CardOnFile } from '#server/registration/card-on-file.ts';
import { actsOfHolder, lastOfKind } from '#server/registration/on-record.ts';
import { readRegistration } from '#server/registration/read-registration.ts';
import { refused, tooManyDeclines } from '#server/registration/refusals.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { findDeposit, findRow } from '#server/registration/registrations.ts';
import { addAct } from '#server/registration/write-acts.ts';
import { customerOfHeld } from './customers.ts';
import { cancelEmptied } from './forget.ts';
import { ownMarksOfCard, readMarksOfCard } from './payment-at-stripe.ts';
import { type Records, recordChange } from './record-payments.ts';
import { idOf, ifStillOpen, ifThere, TOO_MANY_FAILURES } from './stripe-calls.ts';

/**
 * Begins to store another card for the balance, without a payment.
 * @param handOver for a card of somebody to whom the place is to be handed over, when that was decided
 * @returns the client secret that her browser stores it with
 * @throws {AppError} after too many declined cards in a day
 */
export async function beginCardChange(
  records: Records,
  record: RegistrationRecord,
  now: Date,
  handOver?: Date,
): Promise<string> {
  const { id, edition, linksEpoch } = record;
  const acts = await records.database.read((transaction) => readActs(transaction, id));
  if (failuresIn(acts, 'card-failed', now).length >= MAX_FAILURES) throw tooManyDeclines();
  const { client_secret } = await records.stripe.setupIntents.create({
    customer: await customerOfHeld(records, record, now),
    usage: 'off_session',
    allowed_payment_method_types: ['card'],
    payment_method_options: STORING,
    metadata: ownMarksOfCard(edition.facts, id, linksEpoch, handOver),
  });
  if (client_secret === null) throw new Error(`The setup of a card for ${id} has no client secret`);
  return client_secret;
}

/**
 * The balance is charged to it from now on. A late or repeated call changes nothing, and reads nothing at Stripe.
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
  const { card, linksEpoch, handOver } = await readStored(stripe, record, setupIntentId);
  // It is that of somebody who is to get the place.
  if (handOver !== undefined) throw refused('changed');
  const { since, ...facts } = card;
  const act = { id: setupIntentId, subject: record.id, kind: 'card' as const, at: since, by: HERSELF, facts };
  return database.write(async (transaction) => {
    const acts = await readActs(transaction, record.id);
    // It is that of somebody who had the place before.
    if (linksEpoch < (lastOfKind(acts, 'handed-over')?.linksEpoch ?? 0)) throw refused('changed');
    const given = lastOfKind(actsOfHolder(acts), 'card');
    const isNews = !given || (given.id !== card.id && given.since <= since);
    if (isNews) await addAct(transaction, act);
    return isNews || isRecorded(acts);
  });
}

/**
 * A card that was stored for a registration, and for whom.
 * @throws {AppError} when none was stored, or it was detached since, see `fitCustomer`
 */
export async function readStored(
  stripe: Stripe,
  { id, customerId }: Pick<RegistrationRecord, 'id' | 'customerId'>,
  setupIntentId: string,
) {
  const setup = await ifThere(stripe.setupIntents.retrieve(setupIntentId, { expand: ['payment_method'] }));
  const marks = setup && readMarksOfCard(setup);
  const method = setup?.status === 'succeeded' ? setup.payment_method : null;
  const isOwn =
    marks?.registration === id && customerId !== undefined && idOf(setup?.customer) === customerId;
  if (!isOwn || !method || typeof method === 'string' || method.customer === null) throw refused('changed');
  const facts = factsOf(method);
  if (!facts) throw refused('changed');
  return { ...marks, card: { ...facts, since: new Date(method.created * 1000) } };
}

/**
 * Her bank has changed number, brand or expiry of a card on file: it counts as one that she gave at that moment.
 * @returns its registration; undefined for a card that no registration has, or is not charged any more
 * @see https://docs.stripe.com/payments/cards/overview#automatic-card-updates
 */
export async function renewCard(
  { stripe, database }: Records,
  cardId: string,
  at: Date,
): Promise<string | undefined> {
  const method = await ifThere(stripe.paymentMethods.retrieve(cardId));
  const customer = idOf(method?.customer);
  const facts = method && factsOf(method);
  if (!customer || !facts) return undefined;
  const id = uuidV7();
  return database.write(async (transaction) => {
    const [row] = await rowsWith(transaction, 'registrations', 'customer', [customer]);
    const card = row && (await readRegistration(transaction, row.id))?.card;
    if (!row || card?.id !== cardId) return undefined;
    const { since: _, ...held } = card;
    if (!isDeepStrictEqual(held, facts))
      await addAct(transaction, { id, subject: row.id, kind: 'card', at, by: HER_BANK, facts });
    return row.id;
  });
}

function factsOf({ id, card }: Stripe.PaymentMethod): Omit<CardOnFile, 'since'> | undefined {
  if (!card) return undefined;
  const { brand, last4, exp_month: expMonth, exp_year: expYear } = card;
  return { id, brand, last4, expMonth, expYear };
}

/**
 * What the networks are told that a card is stored for: one purchase that is paid in parts.
 * @see https://docs.stripe.com/payments/cards/save-and-reuse
 */
const USAGE = 'installment';

/** Options of a payment or a setup that stores her card while she is present. */
export const STORING = { card: { setup_credential_usage: USAGE } } as const;

/** Options of the confirmation that charges the stored card without her. */
export const CHARGING_STORED = { card: { stored_credential_usage: USAGE } } as const;

/** A try without her leaves its indicator on the payment, which must not say of her own that she was not present. */
export async function toBeConfirmedByHer(
  records: Records,
  open: Stripe.PaymentIntent,
): Promise<Stripe.PaymentIntent> {
  if (!open.payment_method_options?.card?.stored_credential_usage) return open;
  return recordChange(records, ({ paymentIntents }) =>
    paymentIntents.update(open.id, { payment_method_options: { card: '' } }),
  );
}

/** An attempt to pay a deposit, or to store a card for its balance, that failed. */
interface AttemptFailure {
  registration: string;
  /** The id of Stripe's event, the same in each delivery. */
  eventId: string;
  at: Date;
}

/** Failed attempts after which nothing more can be tried: more are rarely the cardholder's own. */
const MAX_FAILURES = 5;

/** For how long a card that could not be stored counts, whatever was to store it: each proof begins again. */
const CARD_COUNTS_MS = 24 * 60 * 60 * 1000;

/**
 * Cancels a deposit once five attempts to pay it have failed, so that it cannot be used to try out stolen cards. An event that
 * comes twice, late or out of order counts once.
 * @returns whether it was cancelled now
 * @see https://docs.stripe.com/disputes/prevention/card-testing
 */
export async function limitAttempts(records: Records, failure: AttemptFailure): Promise<boolean> {
  if ((await countFailures(records, 'deposit-failed', failure)) < MAX_FAILURES) return false;
  const payment = await records.database.read((transaction) =>
    findDeposit(transaction, failure.registration),
  );
  if (payment?.status !== 'open' || payment.asMade === 0) return false;
  return (await ifStillOpen(cancelEmptied(records, payment.id, TOO_MANY_FAILURES))) !== undefined;
}

/** The same for all that is to store a card, also what was begun before, after five failures in a day. */
export async function limitCards(records: Records, failure: AttemptFailure): Promise<boolean> {
  const { stripe, database } = records;
  if ((await countFailures(records, 'card-failed', failure)) < MAX_FAILURES) return false;
  const row = await database.read((transaction) => findRow(transaction, failure.registration));
  if (!row?.customer) return false;
  let isAny = false;
  for await (const { id, status } of stripe.setupIntents.list({ customer: row.customer, limit: 100 })) {
    if (status === 'succeeded' || status === 'canceled') continue;
    const cancelled = stripe.setupIntents.cancel(id, { cancellation_reason: TOO_MANY_FAILURES });
    if (await ifStillOpen(cancelled)) isAny = true;
  }
  return isAny;
}

async function countFailures(
  { database }: Records,
  kind: 'deposit-failed' | 'card-failed',
  { registration: subject, eventId: id, at }: AttemptFailure,
): Promise<number> {
  return database.write(async (transaction) => {
    const failed = failuresIn(await readActs(transaction, subject), kind, at);
    if (failed.length >= MAX_FAILURES || failed.some((act) => act.id === id)) return failed.length;
    await addAct(transaction, { id, subject, kind, at, by: HERSELF });
    return failed.length + 1;
  });
}

function failuresIn(acts: readonly ActRow[], kind: string, now: Date): readonly ActRow[] {
  const since = kind === 'card-failed' ? now.getTime() - CARD_COUNTS_MS : 0;
  return acts.filter((act) => act.kind === kind && act.happenedAt.getTime() > since);
}
