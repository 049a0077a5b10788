import { createHash } from 'node:crypto';
import type { AppError } from '#server/http/app-error.ts';
import { isKeyInUse, isUsedOtherwise } from './provider-errors.ts';
import { inTurn } from './write-once.ts';

interface ConditionalWrite {
  /** Of what is written, for the key. */
  name: string;
  /** What stood there when the decision was made. */
  before: string;
  /** When it is decided. */
  at: Date;
  write(idempotencyKey: string): Promise<unknown>;
  /** What stands there now. */
  readAgain(): Promise<string>;
  /** What is told to who comes second. */
  changed(): AppError;
}

/**
 * Writes, unless somebody else wrote the same since it was looked at. Stripe has no conditional update: the key under which
 * it takes the request is made of what stood there before, so of two that come at once, one passes.
 * @throws {AppError} `changed`, when somebody did
 * @see https://docs.stripe.com/api/idempotent_requests
 */
export async function writeUnlessChanged(spec: ConditionalWrite): Promise<void> {
  const { name, before, at, write, readAgain, changed } = spec;
  const key = `${name}-${createHash('sha256').update(before).digest('hex')}`;
  try {
    await inTurn(() => write(key));
  } catch (error) {
    if (isKeyInUse(error)) throw changed();
    if (!isUsedOtherwise(error)) throw error;
    if ((await readAgain()) !== before) throw changed();
    // What Stripe has under the key is a failure of its own, which it would repeat for a day.
    await inTurn(() => write(`${key}-at-${at.toISOString()}`));
  }
}
