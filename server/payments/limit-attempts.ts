import type Stripe from 'stripe';
import { addAct, HERSELF, readActs } from '#server/record/acts.ts';
import { ACTS } from '#server/record/on-record.ts';
import { isDeposit, isUnpaid } from '#server/record/recognise-deposit.ts';
import { cancelEmptied } from './close-unpaid.ts';
import type { Records } from './find-registration.ts';
import { isMissing, isUnexpectedState, TOO_MANY_FAILURES } from './provider-errors.ts';

/** Stripe's code for a 3-D Secure challenge that was not passed. */
const AUTHENTICATION_FAILURE = 'payment_intent_authentication_failure';

/** An attempt to pay a deposit that failed. */
export interface DepositFailure {
  paymentIntentId: string;
  /** The id of Stripe's event, the same in each delivery. */
  eventId: string;
  at: Date;
  /** Stripe's reason. */
  code: string | undefined;
}

/** Failed attempts after which a payment is closed: more are rarely the cardholder's own. */
const MAX_FAILURES = 5;

/**
 * Cancels a deposit on which five attempts failed, so that it cannot be used to try out stolen cards. Declined cards are
 * counted at Stripe, failed authentications, which make no charge, in the register: an event that comes twice, late or out
 * of order changes nothing.
 * @returns whether the intent was cancelled now
 * @see https://docs.stripe.com/disputes/prevention/card-testing
 */
export async function limitAttempts(records: Records, failure: DepositFailure): Promise<boolean> {
  try {
    return await closeAfterFailures(records, failure);
  } catch (error) {
    if (isUnexpectedState(error) || isMissing(error)) return false;
    throw error;
  }
}

async function closeAfterFailures(records: Records, failure: DepositFailure): Promise<boolean> {
  const { stripe } = records;
  const { paymentIntentId: id } = failure;
  const intent = await stripe.paymentIntents.retrieve(id);
  if (!isDeposit(intent)) return false;
  const authentications = await countAuthentications(records, intent, failure);
  const { data } = await stripe.charges.list({ payment_intent: id, limit: 100 });
  const declines = data.filter(({ status }) => status === 'failed').length;
  if (declines + authentications < MAX_FAILURES) return false;
  await cancelEmptied(stripe, id, {}, { cancellation_reason: TOO_MANY_FAILURES });
  return true;
}

/** Counts the failed authentications of a deposit, this one included, which is recorded while the deposit is unpaid. */
async function countAuthentications(
  { database }: Records,
  intent: Stripe.PaymentIntent,
  { eventId: id, code, at }: DepositFailure,
): Promise<number> {
  const { id: subject } = intent;
  const isNew = code === AUTHENTICATION_FAILURE && isUnpaid(intent);
  return database.write(async (transaction) => {
    const acts = await readActs(transaction, subject);
    const failed = acts.filter(({ kind }) => kind === ACTS.notAuthenticated);
    if (!isNew || failed.length >= MAX_FAILURES || failed.some((act) => act.id === id)) return failed.length;
    await addAct(transaction, { id, subject, kind: ACTS.notAuthenticated, at, by: HERSELF });
    return failed.length + 1;
  });
}
