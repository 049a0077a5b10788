import type { ActRow } from '#server/database/schema.ts';
import { addAct, HERSELF, readActs } from '#server/record/acts.ts';
import { ACTS } from '#server/record/on-record.ts';
import { isDeposit, isUnpaid } from '#server/record/recognise-deposit.ts';
import { findRow } from '#server/record/registrations.ts';
import { cancelEmptied } from './close-unpaid.ts';
import type { Records } from './find-registration.ts';
import { ifStillOpen, ifThere, TOO_MANY_FAILURES } from './provider-errors.ts';

/** Stripe's code for a 3-D Secure challenge that was not passed. */
const AUTHENTICATION_FAILURE = 'payment_intent_authentication_failure';

/** An attempt to pay a deposit, or to store a card for its balance, that failed. */
export interface AttemptFailure {
  /** The deposit. */
  paymentIntentId: string;
  /** What was to store the card. */
  setupIntentId?: string;
  /** The id of Stripe's event, the same in each delivery. */
  eventId: string;
  at: Date;
  /** Stripe's reason. */
  code: string | undefined;
}

/** Failed attempts after which nothing more can be tried: more are rarely the cardholder's own. */
const MAX_FAILURES = 5;

/** For how long a card that could not be stored counts, whatever was to store it: each proof begins again. */
const CARD_COUNTS_MS = 24 * 60 * 60 * 1000;

/**
 * Cancels a deposit on which five attempts failed, or all that was to store a card after five failures in a day, so that
 * neither can be used to try out stolen cards. Declined payments are counted at Stripe; failed authentications and cards
 * that could not be stored, which make no charge, in the register: an event that comes twice, late or out of order changes
 * nothing.
 * @returns whether the intent was cancelled now
 * @see https://docs.stripe.com/disputes/prevention/card-testing
 */
export async function limitAttempts(records: Records, failure: AttemptFailure): Promise<boolean> {
  return (await ifThere(ifStillOpen(closeAfterFailures(records, failure)))) ?? false;
}

async function closeAfterFailures(records: Records, failure: AttemptFailure): Promise<boolean> {
  const { stripe } = records;
  const { paymentIntentId: id, setupIntentId, code } = failure;
  if (setupIntentId !== undefined) {
    if ((await countFailures(records, ACTS.cardFailed, failure)) < MAX_FAILURES) return false;
    return cancelSetups(records, id);
  }
  const intent = await stripe.paymentIntents.retrieve(id);
  if (!isDeposit(intent)) return false;
  const isNew = code === AUTHENTICATION_FAILURE && isUnpaid(intent);
  const authentications = await countFailures(records, ACTS.notAuthenticated, failure, isNew);
  const { data } = await stripe.charges.list({ payment_intent: id, limit: 100 });
  const declines = data.filter(({ status }) => status === 'failed').length;
  if (declines + authentications < MAX_FAILURES) return false;
  await cancelEmptied(stripe, id, {}, { cancellation_reason: TOO_MANY_FAILURES });
  return true;
}

/** Cancels all that could still store a card for a registration, also what was begun before. */
async function cancelSetups({ stripe, database }: Records, deposit: string): Promise<boolean> {
  const row = await database.read((transaction) => findRow(transaction, deposit));
  if (!row?.customer) return false;
  let isAny = false;
  for await (const { id, status } of stripe.setupIntents.list({ customer: row.customer, limit: 100 })) {
    if (status === 'succeeded' || status === 'canceled') continue;
    const cancelled = stripe.setupIntents.cancel(id, { cancellation_reason: TOO_MANY_FAILURES });
    if (await ifStillOpen(cancelled)) isAny = true;
  }
  return isAny;
}

/** Counts the failures of a kind that are on record of a deposit, this one included, which is recorded if it is new. */
async function countFailures(
  { database }: Records,
  kind: string,
  { paymentIntentId: subject, eventId: id, at }: AttemptFailure,
  isNew = true,
): Promise<number> {
  return database.write(async (transaction) => {
    const failed = failuresIn(await readActs(transaction, subject), kind, at);
    if (!isNew || failed.length >= MAX_FAILURES || failed.some((act) => act.id === id)) return failed.length;
    await addAct(transaction, { id, subject, kind, at, by: HERSELF });
    return failed.length + 1;
  });
}

/** The failures of a kind that count at a moment. */
function failuresIn(acts: readonly ActRow[], kind: string, now: Date): readonly ActRow[] {
  const since = kind === ACTS.cardFailed ? now.getTime() - CARD_COUNTS_MS : 0;
  return acts.filter((act) => act.kind === kind && Date.parse(act.at) > since);
}

/** Whether too many cards could not be stored for a registration, so that no other is tried today. */
export async function areCardsSpent({ database }: Records, deposit: string, now: Date): Promise<boolean> {
  const acts = await database.read((transaction) => readActs(transaction, deposit));
  return failuresIn(acts, ACTS.cardFailed, now).length >= MAX_FAILURES;
}
