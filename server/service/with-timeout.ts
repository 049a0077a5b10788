import { once } from 'node:events';

/**
 * The work's own outcome, if it comes in time. Work that is too late may still finish.
 * @throws {DOMException} named `TimeoutError` when it does not come in time
 */
export async function withTimeout<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  const signal = AbortSignal.timeout(timeoutMs);
  const timeout = once(signal, 'abort').then(() => Promise.reject(signal.reason));
  return Promise.race([work, timeout]);
}

/** Whether work did not come in time. */
export function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}
