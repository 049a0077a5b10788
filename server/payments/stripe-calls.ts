import { setTimeout as pause } from 'node:timers/promises';
import type Stripe from 'stripe';
import {
  ifThere,
  isKeyInUse,
  isReplayed,
  isServerFailure,
  isUsedOtherwise,
  wasReplayed,
} from './provider-errors.ts';

/** How many failures of Stripe one call tolerates, not counting those that Stripe only replays. */
const MOST_FAILURES = 3;
const MOST_KEYS = 12;

/** How long to wait for the same request in flight elsewhere, and how often to retry. */
const TURN_TIMEOUT_MS = 8_000;
const TURN_POLL_MS = 250;

/**
 * Carries out a request once, under an idempotency key. Stripe saves a 500 under the key, whether it carried
 * out the request or not, and replays it for a day: so after a 500 the result is looked up, and if there is
 * none, the next key is used. Concurrent callers use the same keys in the same order. A replayed answer may
 * be out of date, so then the result is looked up too.
 * @param lookUp reads the result of the request as it is now; undefined if it was not carried out
 * @throws {Stripe.errors.StripeError} for every other error of Stripe: the same call later resumes where this
 *   one stopped
 * @see https://docs.stripe.com/api/idempotent_requests
 */
export async function writeOnce<Result extends object>(
  key: string,
  write: (idempotencyKey: string) => Promise<Result>,
  lookUp: () => Promise<Result | undefined>,
): Promise<Result> {
  let failures = 0;
  for (let number = 1; ; number += 1) {
    try {
      const answer = await inTurn(() => write(number === 1 ? key : `${key}-${number}`));
      return (wasReplayed(answer) && (await lookUp())) || answer;
    } catch (error) {
      if (!isServerFailure(error) && !isUsedOtherwise(error)) throw error;
      const done = await lookUp();
      if (done) return done;
      if (!isReplayed(error)) failures += 1;
      if (failures >= MOST_FAILURES || number >= MOST_KEYS) throw error;
    }
  }
}

/**
 * Makes a request; while the same request is in flight from elsewhere, such as another tab, waits for its
 * answer.
 */
export async function inTurn<Made>(make: () => Promise<Made>): Promise<Made> {
  const deadline = Date.now() + TURN_TIMEOUT_MS;
  for (;;) {
    try {
      return await untraced(make);
    } catch (error) {
      if (!isKeyInUse(error) || Date.now() > deadline) throw error;
      await pause(TURN_POLL_MS);
    }
  }
}

/** A payment as Stripe has it now; undefined when there is none of this id. */
export function retrieveIntent(
  stripe: Stripe,
  id: string,
  expand: readonly string[] = [],
): Promise<Stripe.PaymentIntent | undefined> {
  return ifThere(untraced(() => stripe.paymentIntents.retrieve(id, { expand: [...expand] })));
}

/** The id of what Stripe names, expanded or not. */
export function idOf(named: string | { id: string } | null | undefined): string | undefined {
  return typeof named === 'string' ? named : named?.id;
}

/**
 * Makes a Stripe call without the stack trace that the SDK captures with each call in case of an error; no
 * log shows it (see `toAppError`). For calls that every registration makes: with source maps the traces take
 * a tenth of a registration's CPU time. Budget: a registration's own time, 10 ms at p99.
 */
export function untraced<Answer>(call: () => Answer): Answer {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return call();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
