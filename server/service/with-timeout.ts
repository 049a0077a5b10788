/** The work did not answer in time; it may still finish. */
export class TimeoutError extends Error {
  constructor(timeoutMs: number) {
    super(`No answer within ${timeoutMs} ms`);
    this.name = 'TimeoutError';
  }
}

/**
 * The work's own outcome, if it comes in time. The timer ends with the work: that of an `AbortSignal` would go off for
 * every registration that was answered long ago. Budget: a registration's own time, 10 ms at p99.
 * @throws {TimeoutError} when it does not
 */
export function withTimeout<Value>(work: Promise<Value>, timeoutMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeoutError(timeoutMs)), timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
