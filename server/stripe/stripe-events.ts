import type Stripe from 'stripe';
import type { Database } from '#server/database/database.ts';
import { AppError } from '#server/http/app-error.ts';
import { lettersAtOnce } from '#server/letters/table.ts';
import type { RegistrationMail } from '#server/mail/job.ts';
import { unreadablePayment } from '#server/registration/acts.ts';
import { findRegistration } from '#server/registration/read-registration.ts';
import { isRefused } from '#server/registration/refusals.ts';
import { limitAttempts, limitCards, recordCard, renewCard } from './cards.ts';
import { isAsMade, isDeposit, readMarksOfCard, recognise, registrationOf } from './payment-at-stripe.ts';
import { type Records, recordPayment } from './record-payments.ts';
import { idOf } from './stripe-calls.ts';

export type Change =
  | ('deposit-paid' | 'balance-paid')
  /** Paid, but not as the site made it: no letter is sent before a person has looked. */
  | 'payment-held'
  /** Not paid, or not stored; `closed` once there were too many, see `limitAttempts`. */
  | `${'deposit' | 'card'}-${'failed' | 'closed'}`
  /** She gave another card for her balance, or her bank has renewed it. */
  | 'card'
  | ('refund' | 'refund-failed')
  /** `moved` where the bank has withdrawn or given back the money. */
  | `dispute-${'opened' | 'moved' | 'won' | 'lost' | 'closed'}`;

/** What an event has changed. */
export interface Taken {
  change: Change;
  registration: string;
  /** For the log. */
  facts?: { amountCents?: number; reason?: string | undefined };
  /** The letters of a paid deposit that are due now. */
  letters?: readonly RegistrationMail[];
}

/**
 * Takes a verified Stripe event: its effects are on record after that. What it names is read from Stripe: an event may come
 * late or again.
 * @returns undefined where nothing follows, such as from events of another shop on the same account
 * @throws {AppError} when the kind of a payment of this site or its registrant cannot be read, so that the
 *   failure is noticed and Stripe sends the event again
 * @see https://docs.stripe.com/api/events/types
 */
export async function takeEvent(records: Records, event: Stripe.Event): Promise<Taken | undefined> {
  const at = momentOf(event);
  const eventId = event.id;
  switch (event.type) {
    case 'payment_intent.succeeded':
      return succeeded(records, event.data.object.id);
    case 'payment_intent.canceled':
    case 'payment_intent.payment_failed': {
      const { object } = event.data;
      if (recognise(object) === 'foreign') return undefined;
      await recordPayment(records, object.id);
      if (event.type === 'payment_intent.canceled' || !isDeposit(object)) return undefined;
      const [registration, reason] = [registrationOf(object), object.last_payment_error?.code];
      const isClosed = await limitAttempts(records, { registration, eventId, at });
      return { change: isClosed ? 'deposit-closed' : 'deposit-failed', registration, facts: { reason } };
    }
    case 'setup_intent.setup_failed': {
      const { object } = event.data;
      const { registration } = readMarksOfCard(object) ?? {};
      if (registration === undefined) return undefined;
      const isClosed = await limitCards(records, { registration, eventId, at });
      const facts = { reason: object.last_setup_error?.code };
      return { change: isClosed ? 'card-closed' : 'card-failed', registration, facts };
    }
    case 'setup_intent.succeeded': {
      const { object } = event.data;
      const record = await findRegistration(records, readMarksOfCard(object)?.registration ?? '');
      if (!record) return undefined;
      const isNews = await recordCard(records, record, object.id).catch((error: unknown) => {
        // It was detached since, or is that of somebody else by now.
        if (!isRefused(error, 'changed')) throw error;
        return false;
      });
      return isNews ? { change: 'card', registration: record.id } : undefined;
    }
    case 'payment_method.automatically_updated': {
      const registration = await renewCard(records, event.data.object.id, at);
      return registration === undefined ? undefined : { change: 'card', registration };
    }
    case 'charge.refunded':
    case 'refund.created':
    case 'refund.updated':
      return moneyBack(records, event.data.object, 'refund');
    case 'refund.failed':
      return moneyBack(records, event.data.object, 'refund-failed');
    case 'charge.dispute.created':
      return moneyBack(records, event.data.object, 'dispute-opened');
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
      return moneyBack(records, event.data.object, 'dispute-moved');
    case 'charge.dispute.closed': {
      const { status } = event.data.object;
      const change = status === 'won' ? 'dispute-won' : status === 'lost' ? 'dispute-lost' : 'dispute-closed';
      return moneyBack(records, event.data.object, change);
    }
    default:
      return undefined;
  }
}

async function moneyBack(
  records: Records,
  { payment_intent: intent }: Stripe.Charge | Stripe.Refund | Stripe.Dispute,
  change: Change,
): Promise<Taken | undefined> {
  const id = idOf(intent);
  const payment = id && (await recordPayment(records, id));
  if (!payment || recognise(payment) === 'foreign') return undefined;
  return { change, registration: registrationOf(payment) };
}

async function succeeded(records: Records, id: string): Promise<Taken | undefined> {
  const payment = await recordPayment(records, id);
  const recognition = payment ? recognise(payment) : 'foreign';
  if (!payment || recognition === 'foreign') return undefined;
  const { kind, edition, package: packageId } = payment.metadata;
  if (recognition === 'unknown')
    throw unreadablePayment(
      `${id} is a payment of this site for ${kind} ${edition} ${packageId}, unknown here`,
    );
  const registration = registrationOf(payment);
  if (!isAsMade(payment)) return { change: 'payment-held', registration };
  const record = await findRegistration(records, registration);
  const facts = { amountCents: payment.amount_received };
  if (recognition === 'balance' && record) return { change: 'balance-paid', registration, facts };
  if (record?.deposit !== 'paid' || record.forgottenAt)
    throw unreadablePayment(`${id} is paid, and its registrant is not on record`);
  return {
    change: 'deposit-paid',
    registration,
    facts,
    letters: lettersAtOnce(record),
  };
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

const momentOf = ({ created }: Stripe.Event): Date => new Date(created * 1000);

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

/** Stripe’s own recommendation against replays. */
const TOLERANCE_S = 300;

/** A header that Stripe may have sent: a time, and at least one signature of the current scheme. */
const TIME = /(?:^|,)t=(\d{1,12})(?:,|$)/;
const SIGNATURE = /(?:^|,)v1=[\da-f]{64}(?:,|$)/;

/**
 * Checks what the header of a webhook request shows without its body; the returned function checks the body against it,
 * and takes the event. Its `noteTaken` is to be called once all that follows is done, so that it is not read again.
 * @throws {AppError} when the header is missing, malformed or too old; later, when the signature is not Stripe's
 * @see https://docs.stripe.com/webhooks/signature
 */
export function eventReader(records: Records, header: string, secret: string) {
  const [, time] = TIME.exec(header) ?? [];
  if (time === undefined || !SIGNATURE.test(header))
    throw invalidSignature('The Stripe-Signature header is missing or malformed');
  if (Date.now() / 1000 - Number(time) > TOLERANCE_S)
    throw invalidSignature('The Stripe-Signature header is more than five minutes old');
  return async (rawBody: Buffer) => {
    const { webhooks } = records.stripe;
    const verified = webhooks.constructEventAsync(rawBody, header, secret, TOLERANCE_S);
    const event = await verified.catch((error: unknown) => {
      throw invalidSignature(error);
    });
    const taken = await takeEvent(records, event);
    return { type: event.type, taken, noteTaken: () => noteTaken(records.database, event) };
  };
}

function invalidSignature(why: unknown): AppError {
  const cause = typeof why === 'string' ? new Error(why) : why;
  return new AppError({
    code: 'invalid_signature',
    status: 400,
    message: 'The signature does not match',
    cause,
  });
}
