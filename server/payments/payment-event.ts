import type Stripe from 'stripe';
import type { RegistrationMail } from '#server/mail/job.ts';
import { lettersOfPayment } from './deposit-letters.ts';
import { findRegistration, type Records } from './find-registration.ts';
import type { DepositFailure } from './limit-attempts.ts';
import { readOnRecord } from './on-record.ts';
import { unknownPayment, unreadablePayment } from './provider-errors.ts';
import { depositOfCard, isDeposit, isPaidInFull, recognise } from './recognise-deposit.ts';
import { recoverRegistration } from './recover-registration.ts';
import type { RegistrationRecord } from './registration-record.ts';

/** What happened to a refund or a dispute; `refund` is any change of a refund except a failure. */
export type MoneyBack = 'refund' | 'refund-failed' | `dispute-${'opened' | 'won' | 'lost' | 'closed'}`;

/** What a webhook event means to this site. */
export type PaymentEvent =
  | {
      type: 'deposit-paid';
      paymentIntentId: string;
      amountCents: number;
      /** The registration's name, see `registrationName`. */
      registration: string | undefined;
      /** The letters that are due now. */
      letters: readonly RegistrationMail[];
    }
  /** A deposit or balance was paid, but not as the site made it: no letter is sent before a person has looked. */
  | { type: 'payment-held'; paymentIntentId: string }
  | ({ type: 'deposit-failed' } & DepositFailure)
  /** A balance was paid, by whomever; with its registration as it is now. */
  | { type: 'balance-paid'; paymentIntentId: string; amountCents: number; registration: RegistrationRecord }
  /** A refund was made or failed, or a charge is disputed; with her registration as it is now. */
  | {
      type: 'money-back';
      paymentIntentId: string;
      change: MoneyBack;
      registration: RegistrationRecord;
    }
  /** A registrant gave another card for the balance of this deposit. */
  | { type: 'card-given'; paymentIntentId: string; setupIntentId: string }
  /** The event has no effect; with the payment that it may have changed. */
  | { type: 'other'; name: string; paymentIntentId?: string };

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
    const { id, last_payment_error } = event.data.object;
    return {
      type: 'deposit-failed',
      paymentIntentId: id,
      eventId: event.id,
      at: new Date(event.created * 1000),
      code: last_payment_error?.code,
    };
  }
  if (event.type === 'setup_intent.succeeded') {
    const deposit = depositOfCard(event.data.object);
    if (deposit !== undefined)
      return { type: 'card-given', paymentIntentId: deposit, setupIntentId: event.data.object.id };
  }
  const paymentIntentId = changedPayment(event);
  return (
    (await moneyBack(records, event)) ?? {
      ...{ type: 'other', name: event.type },
      ...(paymentIntentId && { paymentIntentId }),
    }
  );
}

/** The payment that an event says has changed; undefined for those of other shops. */
function changedPayment(event: Stripe.Event): string | undefined {
  if (event.type !== 'payment_intent.canceled' && event.type !== 'payment_intent.payment_failed')
    return undefined;
  return recognise(event.data.object) === 'foreign' ? undefined : event.data.object.id;
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
      const paymentIntentId = typeof intent === 'string' ? intent : intent?.id;
      const registration = paymentIntentId && (await findRegistration(records, paymentIntentId));
      if (!paymentIntentId || !registration) return undefined;
      return { type: 'money-back', paymentIntentId, change: changeOf(event), registration };
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
  const { stripe } = records;
  const { id: paymentIntentId } = inEvent;
  if (recognise(inEvent) === 'foreign') return { type: 'other', name: 'payment_intent.succeeded' };
  const intent = await stripe.paymentIntents.retrieve(paymentIntentId, {
    expand: ['customer', 'latest_charge'],
  });
  const { amount_received: amountCents, metadata } = intent;
  const recognition = recognise(intent);
  if (recognition === 'unknown') throw unknownPayment(intent);
  if (recognition === 'balance') {
    const registration = await findRegistration(records, paymentIntentId);
    if (!registration) throw unreadablePayment(`${paymentIntentId} is a balance without its deposit`);
    return { type: 'balance-paid', paymentIntentId, amountCents, registration };
  }
  if (!isPaidInFull(intent)) return { type: 'payment-held', paymentIntentId };
  const held = await readOnRecord(records, intent.id);
  const isLost = !held.registration && (await recoverRegistration(records, intent));
  const letters = lettersOfPayment(intent, isLost ? await readOnRecord(records, intent.id) : held);
  if (!letters) throw unreadablePayment(`${paymentIntentId} is paid, and its registrant is not on record`);
  return { type: 'deposit-paid', paymentIntentId, amountCents, registration: metadata.registration, letters };
}
