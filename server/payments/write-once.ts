import { setTimeout as pause } from 'node:timers/promises';
import { isKeyInUse, isReplayed, isServerFailure, isUsedOtherwise, wasReplayed } from './provider-errors.ts';
import { untraced } from './untraced.ts';

/** How many of Stripe's failures one call puts up with, those aside that it only repeats. */
const MOST_FAILURES = 3;
const MOST_KEYS = 12;

/** How long to wait for the same request under way elsewhere, and how often to ask. */
const TURN_TIMEOUT_MS = 8_000;
const TURN_POLL_MS = 250;

/**
 * Carries a request out once, under an idempotency key. Stripe saves a 500 under the key, whether it carried the request out
 * or not, and repeats it for a day: so after one it is looked up what became of it, and if nothing did, the next key is
 * used. All who come meanwhile take the same keys in the same order. An answer that Stripe only repeats is as old as the
 * first one, so that is looked up too.
 * @param lookUp what the request was to bring about as it is now, if it has
 * @throws {Stripe.errors.StripeError} for all else that Stripe answers: the same call later goes on where this one was
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

/** While the same request is under way from elsewhere, such as another tab, waits for its answer. */
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
