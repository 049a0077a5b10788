import type Stripe from 'stripe';
import { type Database, isRegisterAway } from '#server/database/database.ts';
import { rowsWith } from '#server/database/engine.ts';
import type { RegisterRow } from '#server/database/schema.ts';
import { AppError } from '#server/http/app-error.ts';
import { lettersAtOnce } from '#server/letters/table.ts';
import type { RegistrationMail } from '#server/mail/job.ts';
import { unreadablePayment } from '#server/registration/acts.ts';
import { OVER } from '#server/registration/entries.ts';
import { findRegistration } from '#server/registration/read-registration.ts';
import { isRefused } from '#server/registration/refusals.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { type AttemptFailure, limitAttempts, recordCard, renewCard } from './cards.ts';
import { isAsMade, isDeposit, recognise, registrationOf, registrationOfCard } from './payment-at-stripe.ts';
import { RECORD_EXPANSION, type Records, recordList, recordPayment } from './record-payments.ts';
import { idOf, inSeconds, invalidSignature, unknownPayment } from './stripe-calls.ts';

/**
 * What happened to a refund or a dispute; `refund` is any change of a refund except a failure, `dispute-moved` that the
 * bank has withdrawn or given back the money.
 */
export type MoneyBack =
  | ('refund' | 'refund-failed')
  | `dispute-${'opened' | 'moved' | 'won' | 'lost' | 'closed'}`;

/** What an event has changed. */
export type Taken =
  | {
      type: 'deposit-paid';
      registration: string;
      amountCents: number;
      /** The entry of the waiting list by whose offer she registered. */
      waiting: string | undefined;
      /** The letters that are due now. */
      letters: readonly RegistrationMail[];
    }
  /** A deposit or balance was paid, but not as the site made it: no letter is sent before a person has looked. */
  | { type: 'payment-held'; registration: string }
  /** A deposit was not paid, or a card not stored; `isClosed` once there were too many, see `limitAttempts`. */
  | { type: 'deposit-failed' | 'card-failed'; registration: string; reason?: string; isClosed: boolean }
  /** A balance was paid, by whomever. */
  | { type: 'balance-paid'; registration: string; amountCents: number }
  /** A refund was made or failed, or a charge is disputed. */
  | { type: 'money-back'; registration: string; change: MoneyBack }
  /** A registrant gave another card for her balance, or her bank has renewed it; `isNews` unless that was on record. */
  | { type: 'card'; isNews: boolean }
  /** Nothing follows from the event. */
  | { type: 'other'; name: string };

/**
 * Takes a verified Stripe event: its effects are on record after that. An event of another shop on the same account is
 * `other`. What it names is read from Stripe: an event may come late or again.
 * @throws {AppError} when the kind of a payment of this site or its registrant cannot be read, so that the
 *   failure is noticed and Stripe sends the event again
 * @see https://docs.stripe.com/api/events/types
 */
async function takeEvent(records: Records, event: Stripe.Event): Promise<Taken> {
  const other = { type: 'other', name: event.type } as const;
  switch (event.type) {
    case 'payment_intent.succeeded':
      return succeeded(records, event.data.object);
    case 'payment_intent.payment_failed':
    case 'payment_intent.canceled': {
      const { object } = event.data;
      if (recognise(object) === 'foreign') return other;
      await recordPayment(records, object.id);
      if (event.type === 'payment_intent.canceled' || !isDeposit(object)) return other;
      return failed(records, event, 'deposit-failed', object.last_payment_error, {
        registration: registrationOf(object),
        payment: object.id,
      });
    }
    case 'setup_intent.succeeded': {
      const record = await findRegistration(records, registrationOfCard(event.data.object) ?? '');
      if (!record) return other;
      return { type: 'card', isNews: await isNewCard(records, record, event.data.object.id) };
    }
    case 'setup_intent.setup_failed': {
      const { id: setupIntentId, last_setup_error: error } = event.data.object;
      const registration = registrationOfCard(event.data.object);
      if (registration === undefined) return other;
      return failed(records, event, 'card-failed', error, { registration, setupIntentId });
    }
    case 'payment_method.automatically_updated':
      return { type: 'card', isNews: await renewCard(records, event.data.object.id, momentOf(event)) };
    default:
      return (await moneyBack(records, event)) ?? other;
  }
}

async function failed(
  records: Records,
  event: Stripe.Event,
  type: 'deposit-failed' | 'card-failed',
  error: { code?: string } | null,
  about: Pick<AttemptFailure, 'registration' | 'payment' | 'setupIntentId'>,
): Promise<Taken> {
  const code = error?.code;
  const failure = { ...about, eventId: event.id, at: momentOf(event), code };
  const isClosed = await limitAttempts(records, failure);
  return { type, registration: about.registration, isClosed, ...(code !== undefined && { reason: code }) };
}

/** A card that was detached since, or is that of somebody else by now, is not recorded. */
async function isNewCard(records: Records, record: RegistrationRecord, setup: string): Promise<boolean> {
  try {
    return await recordCard(records, record, setup);
  } catch (error) {
    if (!isRefused(error, 'changed')) throw error;
    return false;
  }
}

/** Undefined for all other events, and for payments of other shops, which have no registration. */
async function moneyBack(records: Records, event: Stripe.Event): Promise<Taken | undefined> {
  switch (event.type) {
    case 'charge.refunded':
    case 'charge.dispute.created':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed': {
      const { payment_intent: intent } = event.data.object;
      const id = idOf(intent);
      const payment = id && (await recordPayment(records, id));
      if (!payment || recognise(payment) === 'foreign') return undefined;
      return { type: 'money-back', registration: registrationOf(payment), change: changeOf(event) };
    }
    default:
      return undefined;
  }
}

function changeOf(event: Stripe.Event): MoneyBack {
  if (event.type === 'refund.failed') return 'refund-failed';
  if (event.type === 'charge.dispute.created') return 'dispute-opened';
  if (event.type.startsWith('charge.dispute.funds_')) return 'dispute-moved';
  if (event.type !== 'charge.dispute.closed') return 'refund';
  const { status } = event.data.object;
  if (status === 'won') return 'dispute-won';
  return status === 'lost' ? 'dispute-lost' : 'dispute-closed';
}

async function succeeded(records: Records, { id }: Stripe.PaymentIntent): Promise<Taken> {
  const payment = await recordPayment(records, id);
  const recognition = payment ? recognise(payment) : 'foreign';
  if (!payment || recognition === 'foreign') return { type: 'other', name: 'payment_intent.succeeded' };
  if (recognition === 'unknown') throw unknownPayment(payment);
  const [registration, amountCents] = [registrationOf(payment), payment.amount_received];
  if (!isAsMade(payment)) return { type: 'payment-held', registration };
  const record = await findRegistration(records, registration);
  if (recognition === 'balance') {
    if (!record) throw unreadablePayment(`${id} is a balance without its registration`);
    return { type: 'balance-paid', registration, amountCents };
  }
  if (record?.deposit !== 'paid' || record.forgottenAt)
    throw unreadablePayment(`${id} is paid, and its registrant is not on record`);
  const letters = lettersAtOnce(record);
  return { type: 'deposit-paid', registration, amountCents, waiting: record.offer, letters };
}

/**
 * What must be configured in Stripe's dashboard. The app logs it when it starts, and server/ops/launch.md
 * lists it.
 * @see https://docs.stripe.com/keys/restricted-api-keys
 */
export const stripeSetup = {
  /** The events to be sent to the webhook. */
  events: [
    'payment_intent.succeeded',
    'payment_intent.payment_failed',
    'payment_intent.canceled',
    'charge.refunded',
    'charge.dispute.created',
    'charge.dispute.closed',
    'charge.dispute.funds_withdrawn',
    'charge.dispute.funds_reinstated',
    'refund.created',
    'refund.updated',
    'refund.failed',
    'setup_intent.succeeded',
    'setup_intent.setup_failed',
    'payment_method.automatically_updated',
    'payment_method.detached',
  ],
  /** A restricted key must be able to write these … */
  keyWrites: ['Customers', 'PaymentIntents', 'SetupIntents', 'PaymentMethods', 'Charges and Refunds'],
  /** … and to read these. */
  keyReads: ['Disputes', 'Events', 'Balance transaction sources', 'Payouts'],
} as const satisfies { events: readonly Stripe.Event['type'][]; [permission: string]: readonly string[] };

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Events may be listed later than others that were made after them. */
const OVERLAP_MS = HOUR_MS;
/** Stripe lists events for thirty days. */
const EVENTS_KEPT_MS = 29 * DAY_MS;
/** How far back payments are compared each day: Stripe may fail to make an event. */
const COMPARED_MS = 7 * DAY_MS;
/** How far back they are compared where events are missing: longer than an edition lasts. */
const SEASON_MS = 400 * DAY_MS;

/**
 * Takes the events that no webhook brought, and once a day compares payments, refunds and disputes of the
 * last week; of the season where the register is new or held.
 * @returns the errors of what cannot be taken, which stop nothing else
 * @see https://docs.stripe.com/api/events/list
 * @see https://docs.stripe.com/webhooks/handle-irrecoverable-events
 */
export async function catchUp(records: Records, now: Date): Promise<AppError[]> {
  const { database, stripe } = records;
  const { eventsUntil, comparedAt } = await database.read((transaction) =>
    transaction.selectFrom('register').selectAll().executeTakeFirstOrThrow(),
  );
  const isNew = eventsUntil === null || comparedAt === null;
  const hasEvents = !isNew && now.getTime() - eventsUntil.getTime() < EVENTS_KEPT_MS;
  // Before payments are read: what happens meanwhile is taken next time.
  const newest =
    eventsUntil === null ? (await stripe.events.list({ types: TYPES, limit: 1 })).data[0] : undefined;
  const sinceCompared = now.getTime() - (comparedAt?.getTime() ?? 0);
  if (isNew || sinceCompared >= DAY_MS || sinceCompared < 0) {
    const since = new Date(now.getTime() - (hasEvents ? COMPARED_MS : SEASON_MS));
    await compare(records, since);
    await noteCompared(database, comparedAt, now);
  }
  const failures = eventsUntil === null ? [] : await takeEvents(records, eventsUntil);
  await noteInRegister(database, { caughtUpAt: now, ...(newest && { eventsUntil: momentOf(newest) }) });
  return failures;
}

const TYPES = [...stripeSetup.events];

const momentOf = ({ created }: Stripe.Event): Date => new Date(created * 1000);

async function noteInRegister(
  database: Database,
  noted: Partial<Pick<RegisterRow, 'eventsUntil' | 'caughtUpAt'>>,
): Promise<void> {
  await database.write((transaction) => transaction.updateTable('register').set(noted).execute());
}

/** Unless the register is held since the comparison began: then the whole season has to be compared. */
async function noteCompared(database: Database, before: Date | null, now: Date): Promise<void> {
  await database.write((transaction) =>
    transaction
      .updateTable('register')
      .set({ comparedAt: now })
      .where('comparedAt', before === null ? 'is' : '=', before)
      .execute(),
  );
}

async function takeEvents(records: Records, until: Date): Promise<AppError[]> {
  const { stripe, database } = records;
  const since = new Date(until.getTime() - OVERLAP_MS);
  const taken = await takenSince(database, since);
  const failures: AppError[] = [];
  let newest: Stripe.Event | undefined;
  let oldestFailed: Stripe.Event | undefined;
  const created = { gte: inSeconds(since) };
  for await (const event of stripe.events.list({ types: TYPES, limit: 100, created })) {
    newest ??= event;
    if (taken.has(event.id)) continue;
    const failure = await failureOf(async () => {
      await takeEvent(records, event);
      await noteTaken(database, event);
    });
    if (!failure) continue;
    failures.push(failure);
    oldestFailed = event;
  }
  // What failed is listed again for a day; after that a person has seen it in the log.
  const latest = newest?.created ?? 0;
  const mark = Math.max(oldestFailed?.created ?? latest, latest - DAY_MS / 1000) * 1000;
  if (mark > until.getTime()) await noteInRegister(database, { eventsUntil: new Date(mark) });
  return failures;
}

/** If it stops nothing else. */
async function failureOf(take: () => Promise<void>): Promise<AppError | undefined> {
  try {
    await take();
    return undefined;
  } catch (error) {
    if (error instanceof AppError && !isRegisterAway(error)) return error;
    throw error;
  }
}

/** The events that are on record as taken; older ones are removed, since they are not listed again. */
async function takenSince(database: Database, since: Date): Promise<ReadonlySet<string>> {
  const rows = await database.write(async (transaction) => {
    await transaction.deleteFrom('stripeEvents').where('createdAt', '<', since).execute();
    return transaction.selectFrom('stripeEvents').select('id').execute();
  });
  return new Set(rows.map(({ id }) => id));
}

/** Records that the effects of an event are on record, so that it is not read again. */
export async function noteTaken(database: Database, event: Stripe.Event): Promise<void> {
  await database.write((transaction) =>
    transaction
      .insertInto('stripeEvents')
      .values({ id: event.id, createdAt: momentOf(event) })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
}

/** Records payments, refunds and disputes made since a moment, and all open disputes, as Stripe shows them. */
async function compare(records: Records, since: Date): Promise<void> {
  const { stripe, database } = records;
  await recordAll(records, since);
  const recent = { created: { gte: inSeconds(since) }, limit: 100 };
  const named = new Set<string>();
  for (const list of [stripe.refunds.list(recent), stripe.disputes.list(recent)])
    for await (const { payment_intent: intent } of list) {
      const id = idOf(intent);
      if (id !== undefined) named.add(id);
    }
  const open = await database.read((transaction) =>
    transaction.selectFrom('disputes').select('payment').where('status', 'not in', OVER).execute(),
  );
  for (const { payment } of open) named.add(payment);
  const payments = await database.read((transaction) => rowsWith(transaction, 'payments', 'id', [...named]));
  const older = payments.filter(({ madeAt }) => madeAt < since);
  for (const { id } of older) await recordPayment(records, id);
}

/** Records the payments made since a moment, a hundred per request; the registrations of paid deposits, too, if they are lost. */
async function recordAll(records: Records, since: Date): Promise<void> {
  const expand = RECORD_EXPANSION.map((path) => `data.${path}`);
  const parameters = { created: { gte: inSeconds(since) }, limit: 100, expand };
  for (let last: string | undefined; ; ) {
    const next = { hasMore: false };
    const overtaken = await recordList(records, async ({ paymentIntents }) => {
      const page = await paymentIntents.list({ ...parameters, ...(last && { starting_after: last }) });
      next.hasMore = page.has_more;
      last = page.data.at(-1)?.id;
      return page.data;
    });
    for (const id of overtaken) await recordPayment(records, id);
    if (!next.hasMore || !last) return;
  }
}

/** Stripe’s own recommendation against replays. */
const TOLERANCE_S = 300;

/** A header that Stripe may have sent: a time, and at least one signature of the current scheme. */
const TIME = /(?:^|,)t=(\d{1,12})(?:,|$)/;
const SIGNATURE = /(?:^|,)v1=[\da-f]{64}(?:,|$)/;

/**
 * Checks what the header of a webhook request shows without its body; the returned function checks the body against it,
 * and reads the event. Its `noteTaken` is to be called once the effects of the event are on record, so that it is not read
 * again.
 * @throws {AppError} when the header is missing, malformed or too old; later, when the signature is not Stripe's
 * @see https://docs.stripe.com/webhooks/signature
 */
export function eventReader(records: Records, header: string, secret: string) {
  const [, time] = TIME.exec(header) ?? [];
  if (time === undefined || !SIGNATURE.test(header))
    throw invalidSignature(new Error('The Stripe-Signature header is missing or malformed'));
  if (Date.now() / 1000 - Number(time) > TOLERANCE_S)
    throw invalidSignature(new Error('The Stripe-Signature header is more than five minutes old'));
  return async (rawBody: Buffer) => {
    const { webhooks } = records.stripe;
    const verified = webhooks.constructEventAsync(rawBody, header, secret, TOLERANCE_S);
    const event = await verified.catch((error: unknown) => {
      throw invalidSignature(error);
    });
    return {
      event: await takeEvent(records, event),
      noteTaken: () => noteTaken(records.database, event),
    };
  };
}
