import { createHash } from 'node:crypto';
import type { AppError } from '#server/http/app-error.ts';
import { isKeyInUse, isUsedOtherwise } from './provider-errors.ts';
import { inTurn } from './write-once.ts';

interface ConditionalWrite {
  /** The name of what is written; part of the idempotency key. */
  name: string;
  /** The value there when the decision was made. */
  before: string;
  /** When the decision was made. */
  at: Date;
  write(idempotencyKey: string): Promise<unknown>;
  /** Reads the current value. */
  readAgain(): Promise<string>;
  /** The error for the second of two concurrent writers. */
  changed(): AppError;
}

/**
 * Writes, unless somebody else has changed the same value since it was read. Stripe has no conditional
 * update: the idempotency key is derived from the previous value, so of two concurrent writes one succeeds.
 * @throws {AppError} `changed`, when somebody else did
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
    // What Stripe saved under the key is a failure of its own, which it would replay for a day.
    await inTurn(() => write(`${key}-at-${at.toISOString()}`));
  }
}
