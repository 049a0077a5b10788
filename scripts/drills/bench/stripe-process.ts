import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { startSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { keyInEmail } from './new-registration.ts';

/** How long it takes to answer, as Stripe takes its time. */
const LATENCY_MS = 100;

/** What is added to a registration's idempotency key for each of its calls to Stripe. */
const CALL = /-(customer|intent)$/;

// A side process: a payment sandbox which tells the times when it is asked.
const takeTimes = followStripeTime();
const { url } = await startSandbox({ intercept: () => pause(LATENCY_MS) });
process.on('disconnect', () => process.exit());
process.on('message', () => process.send?.({ times: takeTimes() }));
process.send?.({ url });

interface Message {
  request: IncomingMessage;
}

/**
 * Follows how long the servers of this process, the payment sandbox, take over the calls of each registration: from a
 * call's head to the end of its answer. What a registration takes beyond that is its server's own time.
 * @returns what hands over the milliseconds since it was last called, by the registration's idempotency key
 */
function followStripeTime(): () => Record<string, number> {
  const startMs = new WeakMap<IncomingMessage, number>();
  let tookMs: Record<string, number> = {};
  diagnostics.subscribe('http.server.request.start', (message) => {
    startMs.set((message as Message).request, performance.now());
  });
  diagnostics.subscribe('http.server.response.finish', (message) => {
    const { request } = message as Message;
    const registration = registrationOf(request);
    const start = startMs.get(request);
    if (registration === undefined || start === undefined) return;
    tookMs[registration] = (tookMs[registration] ?? 0) + performance.now() - start;
  });
  return () => {
    const times = tookMs;
    tookMs = {};
    return times;
  };
}

/** By the key of what it makes, or by the address whose earlier registrations it looks for. */
function registrationOf({ headers, url = '' }: IncomingMessage): string | undefined {
  const key = headers['idempotency-key'];
  if (typeof key === 'string') return CALL.test(key) ? key.replace(CALL, '') : undefined;
  return keyInEmail(new URL(url, 'http://stripe').searchParams.get('email') ?? '');
}
