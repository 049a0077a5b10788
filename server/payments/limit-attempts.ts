import Stripe from 'stripe';
import { AUTHENTICATION_FAILURE, type DepositFailure } from './payment-event.ts';
import { isMissing } from './provider-errors.ts';

/** Failed attempts after which a payment is closed: more are rarely the cardholder's own. */
const MAX_FAILURES = 5;

/** In the intent's metadata: the events that told of failed authentications, which make no charge. */
const MARK = 'failed-authentications';

/**
 * Cancels an intent on which five attempts failed, so that it cannot be used to try out stolen cards. It counts what
 * Stripe has on record: to be told twice, late or out of order changes nothing.
 * @returns whether the intent was cancelled now
 * @see https://docs.stripe.com/disputes/prevention/card-testing
 */
export async function limitAttempts(stripe: Stripe, failure: DepositFailure): Promise<boolean> {
  try {
    return await closeAfterFailures(stripe, failure);
  } catch (error) {
    if (isSettled(error) || isMissing(error)) return false;
    throw error;
  }
}

async function closeAfterFailures(stripe: Stripe, failure: DepositFailure): Promise<boolean> {
  const { paymentIntentId } = failure;
  const { data } = await stripe.charges.list({ payment_intent: paymentIntentId, limit: 100 });
  const declines = data.filter(({ status }) => status === 'failed').length;
  const failures = declines + (await countAuthentications(stripe, failure));
  if (failures < MAX_FAILURES) return false;
  await stripe.paymentIntents.cancel(paymentIntentId, { cancellation_reason: 'abandoned' });
  return true;
}

async function countAuthentications(
  stripe: Stripe,
  { paymentIntentId, eventId, code }: DepositFailure,
): Promise<number> {
  const { metadata } = await stripe.paymentIntents.retrieve(paymentIntentId);
  const events = new Set((metadata[MARK] ?? '').split(' ').filter(Boolean));
  if (code === AUTHENTICATION_FAILURE && !events.has(eventId) && events.size < MAX_FAILURES) {
    events.add(eventId);
    await stripe.paymentIntents.update(paymentIntentId, { metadata: { [MARK]: [...events].join(' ') } });
  }
  return events.size;
}

/** It was paid or cancelled meanwhile. */
function isSettled(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError &&
    error.code === 'payment_intent_unexpected_state'
  );
}
