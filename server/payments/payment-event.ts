import type Stripe from 'stripe';
import type { RegistrationRow } from '#server/database/schema.ts';
import type { RegistrationMail } from '#server/mail/job.ts';
import { unreadablePayment } from '#server/record/acts.ts';
import { lettersOfPayment } from '#server/record/deposit-letters.ts';
import { depositOfCard, isDeposit, isPaidInFull, recognise } from '#server/record/recognise-deposit.ts';
import { findRegistration, type Records, recordPaymentsOf, takeDeposit } from './find-registration.ts';
import type { AttemptFailure } from './limit-attempts.ts';
import { unknownPayment } from './provider-errors.ts';
import { idOf } from './stripe-calls.ts';

/** What happened to a refund or a dispute; `refund` is any change of a refund except a failure. */
export type MoneyBack = 'refund' | 'refund-failed' | `dispute-${'opened' | 'won' | 'lost' | 'closed'}`;

/** What a webhook event means to this site. */
export type PaymentEvent =
  | {
      type: 'deposit-paid';
      paymentIntentId: string;
      amountCents: number;
      registration: RegistrationRow;
      /** The letters that are due now. */
      letters: readonly RegistrationMail[];
    }
  /** A deposit or balance was paid, but not as the site made it: no letter is sent before a person has looked. */
  | { type: 'payment-held'; paymentIntentId: string }
  | ({ type: 'deposit-failed' } & AttemptFailure)
  /** A card that a registrant gave for the balance could not be stored. */
  | ({ type: 'card-failed' } & AttemptFailure)
  /** A balance was paid, by whomever. */
  | { type: 'balance-paid'; paymentIntentId: string; amountCents: number }
  /** A refund was made or failed, or a charge is disputed. */
  | { type: 'money-back'; paymentIntentId: string; change: MoneyBack }
  /** A registrant gave another card for the balance of this deposit. */
  | { type: 'card-given'; paymentIntentId: string; setupIntentId: string }
  /** Her bank has given a registrant a new number or expiry for a card that Stripe stores. */
  | { type: 'card-renewed'; cardId: string; at: Date }
  /** Nothing follows from the event. */
  | { type: 'other'; name: string };

/**
 * Reads a verified Stripe event. An event of another shop on the same account is `other`. The payment is read
 * from Stripe: an event that comes late or again does not contain which letters were sent since.
 * @throws {AppError} when the kind of a payment of this site or its registrant cannot be read, so that the
 *   failure is noticed and Stripe sends the event again
 * @see https://docs.stripe.com/api/events/types
 */
export async function paymentEventOf(records: Records, event: Stripe.Event): Promise<PaymentEvent> {
  if (event.type === 'payment_intent.succeeded') return succeeded(records, event.data.object);
  if (event.type === 'payment_intent.payment_failed' && isDeposit(event.data.object)) {
    const { id: paymentIntentId, last_payment_error: error } = event.data.object;
    return { type: 'deposit-failed', paymentIntentId, ...failureOf(event, error) };
  }
  if (event.type === 'setup_intent.succeeded' || event.type === 'setup_intent.setup_failed') {
    const { id: setupIntentId, last_setup_error: error } = event.data.object;
    const paymentIntentId = depositOfCard(event.data.object);
    if (paymentIntentId === undefined) return { type: 'other', name: event.type };
    if (event.type === 'setup_intent.succeeded')
      return { type: 'card-given', paymentIntentId, setupIntentId };
    return { type: 'card-failed', paymentIntentId, setupIntentId, ...failureOf(event, error) };
  }
  if (event.type === 'payment_method.automatically_updated')
    return { type: 'card-renewed', cardId: event.data.object.id, at: new Date(event.created * 1000) };
  if (event.type === 'payment_intent.canceled' || event.type === 'payment_intent.payment_failed') {
    if (recognise(event.data.object) !== 'foreign') await recordPaymentsOf(records, event.data.object.id);
  }
  return (await moneyBack(records, event)) ?? { type: 'other', name: event.type };
}

function failureOf({ id: eventId, created }: Stripe.Event, error: { code?: string } | null) {
  return { eventId, at: new Date(created * 1000), code: error?.code };
}

/** Undefined for all other events, and for payments of other shops, which have no registration. */
async function moneyBack(records: Records, event: Stripe.Event): Promise<PaymentEvent | undefined> {
  switch (event.type) {
    case 'charge.refunded':
    case 'charge.dispute.created':
    case 'charge.dispute.closed':
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed': {
      const { payment_intent: intent } = event.data.object;
      const paymentIntentId = idOf(intent);
      const registration = paymentIntentId && (await findRegistration(records, paymentIntentId));
      if (!paymentIntentId || !registration) return undefined;
      return { type: 'money-back', paymentIntentId, change: changeOf(event) };
    }
    default:
      return undefined;
  }
}

function changeOf(event: Stripe.Event): MoneyBack {
  if (event.type === 'refund.failed') return 'refund-failed';
  if (event.type === 'charge.dispute.created') return 'dispute-opened';
  if (event.type !== 'charge.dispute.closed') return 'refund';
  const { status } = event.data.object;
  if (status === 'won') return 'dispute-won';
  return status === 'lost' ? 'dispute-lost' : 'dispute-closed';
}

async function succeeded(records: Records, inEvent: Stripe.PaymentIntent): Promise<PaymentEvent> {
  const { id: paymentIntentId, amount_received: amountCents } = inEvent;
  const recognition = recognise(inEvent);
  if (recognition === 'foreign') return { type: 'other', name: 'payment_intent.succeeded' };
  if (recognition === 'unknown') throw unknownPayment(inEvent);
  if (recognition === 'balance') {
    const registration = await findRegistration(records, paymentIntentId);
    if (!registration) throw unreadablePayment(`${paymentIntentId} is a balance without its deposit`);
    return { type: 'balance-paid', paymentIntentId, amountCents };
  }
  const taken = await takeDeposit(records, paymentIntentId);
  if (!taken || !isPaidInFull(taken.deposit)) return { type: 'payment-held', paymentIntentId };
  const { registration } = taken.onRecord;
  const letters = lettersOfPayment(taken.onRecord);
  if (!letters || !registration)
    throw unreadablePayment(`${paymentIntentId} is paid, and its registrant is not on record`);
  return { type: 'deposit-paid', paymentIntentId, amountCents, registration, letters };
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
    'refund.created',
    'refund.updated',
    'refund.failed',
    'setup_intent.succeeded',
    'setup_intent.setup_failed',
    'payment_method.automatically_updated',
  ],
  /** A restricted key must be able to write these … */
  keyWrites: ['Customers', 'PaymentIntents', 'SetupIntents', 'PaymentMethods', 'Charges and Refunds'],
  /** … and to read these. */
  keyReads: ['Disputes', 'Events', 'Balance transaction sources', 'Payouts'],
} as const satisfies { events: readonly Stripe.Event['type'][]; [permission: string]: readonly string[] };
