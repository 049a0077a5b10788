import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import { isMissing, isUnexpectedState, TOO_MANY_FAILURES } from './provider-errors.ts';
import { isDeposit, isUnpaid } from './recognise-deposit.ts';

/** Stripe's code for a 3-D Secure challenge that was not passed. */
const AUTHENTICATION_FAILURE = 'payment_intent_authentication_failure';

/** An attempt to pay a deposit that failed. */
export interface DepositFailure {
  paymentIntentId: string;
  /** The id of Stripe's event, the same in each delivery. */
  eventId: string;
  /** Stripe's reason. */
  code: string | undefined;
}

/** Failed attempts after which a payment is closed: more are rarely the cardholder's own. */
const MAX_FAILURES = 5;

/**
 * Metadata key, one per failed authentication (which makes no charge): separate keys, so that concurrent events do not
 * overwrite each other.
 */
const MARK = 'auth-failed-';

/**
 * Cancels a deposit on which five attempts failed, so that it cannot be used to try out stolen cards. It
 * counts what Stripe has on record, so an event that comes twice, late or out of order changes nothing.
 * @returns whether the intent was cancelled now
 * @see https://docs.stripe.com/disputes/prevention/card-testing
 */
export async function limitAttempts(stripe: Stripe, failure: DepositFailure): Promise<boolean> {
  try {
    return await closeAfterFailures(stripe, failure);
  } catch (error) {
    if (isUnexpectedState(error) || isMissing(error)) return false;
    throw error;
  }
}

/**
 * Removes the marks of failed attempts from a paid deposit: they are not needed, and metadata hold only fifty
 * keys.
 */
export async function forgetAttempts(stripe: Stripe, { id, metadata }: Stripe.PaymentIntent): Promise<void> {
  const marks = Object.keys(metadata).filter((name) => name.startsWith(MARK));
  if (marks.length === 0) return;
  await stripe.paymentIntents.update(id, { metadata: Object.fromEntries(marks.map((name) => [name, ''])) });
}

async function closeAfterFailures(stripe: Stripe, failure: DepositFailure): Promise<boolean> {
  const { paymentIntentId: id } = failure;
  const intent = await recordFailure(stripe, failure);
  if (!isDeposit(intent)) return false;
  const { data } = await stripe.charges.list({ payment_intent: id, limit: 100 });
  const declines = data.filter(({ status }) => status === 'failed').length;
  if (declines + countAuthentications(intent) < MAX_FAILURES) return false;
  await stripe.paymentIntents.cancel(id, { cancellation_reason: TOO_MANY_FAILURES });
  return true;
}

/** Records this failure if it makes no charge. Returns the intent with all failures recorded so far. */
async function recordFailure(
  stripe: Stripe,
  { paymentIntentId: id, eventId, code }: DepositFailure,
): Promise<Stripe.PaymentIntent> {
  const intent = await stripe.paymentIntents.retrieve(id);
  const needsMark = code === AUTHENTICATION_FAILURE && isDeposit(intent) && isUnpaid(intent);
  const mark = `${MARK}${createHash('sha256').update(eventId).digest('hex').slice(0, 16)}`;
  if (!needsMark || intent.metadata[mark] !== undefined || countAuthentications(intent) >= MAX_FAILURES)
    return intent;
  return stripe.paymentIntents.update(id, { metadata: { [mark]: 'yes' } });
}

function countAuthentications({ metadata }: Stripe.PaymentIntent): number {
  return Object.keys(metadata).filter((name) => name.startsWith(MARK)).length;
}
