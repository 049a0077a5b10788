import { isReplayed, isServerFailure, isUsedOtherwise } from './provider-errors.ts';

/** How many of Stripe's failures one call puts up with, those aside that it only repeats. */
const MOST_FAILURES = 3;
const MOST_KEYS = 12;

/**
 * Carries a request out once, under an idempotency key. Stripe saves a 500 under the key, whether it carried the request out
 * or not, and repeats it for a day: so after one it is looked up what became of it, and if nothing did, the next key is
 * used. All who come meanwhile take the same keys in the same order.
 * @param lookUp what the request was to bring about, if it has
 * @throws {Stripe.errors.StripeError} for all else that Stripe answers: the same call later goes on where this one was
 * @see https://docs.stripe.com/api/idempotent_requests
 */
export async function writeOnce<Result>(
  key: string,
  write: (idempotencyKey: string) => Promise<Result>,
  lookUp: () => Promise<Result | undefined>,
): Promise<Result> {
  let failures = 0;
  for (let number = 1; ; number += 1) {
    try {
      return await write(number === 1 ? key : `${key}-${number}`);
    } catch (error) {
      if (!isServerFailure(error) && !isUsedOtherwise(error)) throw error;
      const done = await lookUp();
      if (done) return done;
      if (!isReplayed(error)) failures += 1;
      if (failures >= MOST_FAILURES || number >= MOST_KEYS) throw error;
    }
  }
}
