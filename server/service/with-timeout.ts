import { once } from 'node:events';
import { setImmediate as afterWhatHasCome } from 'node:timers/promises';

/** The work did not answer in time; it may still finish. */
export class TimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`No answer within ${timeoutMs} ms`);
    this.name = 'TimeoutError';
  }
}

/**
 * The outcome of the work, if it comes in time. An answer that arrived while this process was busy, and was
 * not read yet, is in time.
 * @throws {TimeoutError} when it does not come in time
 */
export async function withTimeout<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  const timeout = once(AbortSignal.timeout(timeoutMs), 'abort').then(async () => {
    await afterWhatHasCome();
    throw new TimeoutError(timeoutMs);
  });
  return Promise.race([work, timeout]);
}
