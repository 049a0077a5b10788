import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** What is added to a registration's idempotency key for each of its calls to Stripe. */
const CALL = /-(customer|intent)$/;

interface Message {
  request: IncomingMessage;
}

/**
 * Follows how long the servers of this process, the payment sandbox, take over the calls of each registration: from a
 * call's head to the end of its answer. What a registration takes beyond that is its server's own time.
 * @returns what hands over the milliseconds since it was last called, by the registration's idempotency key
 */
export function followStripeTime(): () => Record<string, number> {
  const startMs = new WeakMap<IncomingMessage, number>();
  let tookMs: Record<string, number> = {};
  diagnostics.subscribe('http.server.request.start', (message) => {
    startMs.set((message as Message).request, performance.now());
  });
  diagnostics.subscribe('http.server.response.finish', (message) => {
    const { request } = message as Message;
    const key = request.headers['idempotency-key'];
    const start = startMs.get(request);
    if (typeof key !== 'string' || !CALL.test(key) || start === undefined) return;
    const registration = key.replace(CALL, '');
    tookMs[registration] = (tookMs[registration] ?? 0) + performance.now() - start;
  });
  return () => {
    const times = tookMs;
    tookMs = {};
    return times;
  };
}
