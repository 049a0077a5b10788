import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** What is added to a registration's idempotency key for each of its calls to Stripe. */
const CALLS = ['-customer', '-intent'] as const;

interface Message {
  request: IncomingMessage;
}

/**
 * Follows how long the servers of this process, the payment sandbox, take over the calls of each registration: from a
 * call's head to the end of its answer. What a registration takes beyond that is its server's own time.
 */
export class StripeTime {
  readonly #startMs = new WeakMap<IncomingMessage, number>();
  readonly #tookMs = new Map<string, number>();

  constructor() {
    diagnostics.subscribe('http.server.request.start', (message) => {
      this.#startMs.set((message as Message).request, performance.now());
    });
    diagnostics.subscribe('http.server.response.finish', (message) => {
      const { request } = message as Message;
      const key = request.headers['idempotency-key'];
      const startMs = this.#startMs.get(request);
      if (typeof key === 'string' && startMs !== undefined)
        this.#tookMs.set(key, performance.now() - startMs);
    });
  }

  /** The milliseconds of a registration, by its idempotency key; asked once. */
  take(key: string): number {
    return CALLS.reduce((sum, call) => sum + this.#takeCall(`${key}${call}`), 0);
  }

  #takeCall(key: string): number {
    const tookMs = this.#tookMs.get(key);
    if (tookMs === undefined) throw new Error(`Stripe was not asked under ${key}`);
    this.#tookMs.delete(key);
    return tookMs;
  }
}
