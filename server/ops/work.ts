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
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const afterWhatHasCome = () => setImmediate(() => reject(new TimeoutError(timeoutMs)));
    timer = setTimeout(afterWhatHasCome, timeoutMs);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}

/** Work that never runs twice at a time: who asks for it while it runs gets the result of that run. */
export function sharedWhileRunning<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Does work, which never rejects, at intervals and whenever it is asked for, but never twice at a time. */
export function repeat(work: () => Promise<void>, everyMs: number) {
  let last = Promise.resolve();
  const shared = sharedWhileRunning(work);
  const now = (): Promise<void> => {
    last = shared();
    return last;
  };
  const timer = setInterval(now, everyMs).unref();
  return {
    now,
    /** Does it no more, and waits for the end of what runs. */
    async close(): Promise<void> {
      clearInterval(timer);
      await last;
    },
  };
}
