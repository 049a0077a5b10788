import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import { createCallPace, type Rests } from './call-pace.ts';

/** How a process meets Stripe's limits. */
export interface Patience extends Rests {
  /** So long one request is made again, in milliseconds. */
  withinMs: number;
}

/** Of what is asked while a visitor waits. */
export const FOR_VISITORS: Patience = { withinMs: 10_000, firstMs: 400, longestMs: 2_000 };

/** Of walks and letters, which can wait: they leave visitors what Stripe allows. */
export const IN_BACKGROUND: Patience = { withinMs: 60_000, firstMs: 1_000, longestMs: 4_000 };

/** Sends each request once: what is refused is left to who asked. */
const NONE: Patience = { withinMs: 0, firstMs: 0, longestMs: 0 };

/** One answer of Stripe, such as to `POST /v1/customers`. */
interface Answer {
  method: string;
  path: string;
  status: number;
  seconds: number;
}

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;

interface ClientWatcher {
  /** Each answer, also one after which the request is sent again. */
  answered(answer: Answer): void;
  /** Stripe asks for fewer requests: its reason, such as `global-rate` or `endpoint-rate`. */
  throttled(reason: string): void;
}

const TOO_MANY = 429;

/**
 * The SDK's HTTP client, which makes a request again when Stripe answers 429: nothing was done then, and nothing is kept
 * under the idempotency key. The SDK does not repeat them.
 * @see https://docs.stripe.com/rate-limits
 */
export function createPatientClient(watcher: ClientWatcher, patience: Patience = NONE): HttpClient {
  const client = Stripe.createNodeHttpClient();
  const pace = createCallPace(patience);
  return {
    getClientName: () => client.getClientName(),
    async makeRequest(host, port, path, method, headers, body, protocol, timeoutMs) {
      const deadlineMs = performance.now() + patience.withinMs;
      const send = async () => {
        const startMs = performance.now();
        const answer = await client.makeRequest(host, port, path, method, headers, body, protocol, timeoutMs);
        const status = answer.getStatusCode();
        watcher.answered({ method, path, status, seconds: (performance.now() - startMs) / 1000 });
        return answer;
      };
      const kind = method === 'POST' ? 'write' : 'read';
      for (let call = await pace.enter(kind); ; ) {
        const answer = await send().catch((error: unknown) => {
          call.answered();
          throw error;
        });
        if (answer.getStatusCode() !== TOO_MANY) {
          call.answered();
          return answer;
        }
        const reason = reasonOf(answer);
        watcher.throttled(reason);
        if (performance.now() >= deadlineMs) {
          call.givenUp();
          return answer;
        }
        // The connection is free for others only once the answer is read, whatever it says.
        await answer.toJSON().catch(() => undefined);
        if (reason === LOCKED) {
          call.answered();
          await pause(patience.firstMs * Math.random());
          call = await pace.enter(kind);
        } else call = await call.refused();
      }
    },
  };
}

/** Why, in one of the words that Stripe documents: it becomes the label of a metric. Two that lock one object have none. */
function reasonOf(answer: Awaited<ReturnType<HttpClient['makeRequest']>>): string {
  const { 'stripe-rate-limited-reason': reason } = answer.getHeaders();
  return typeof reason === 'string' && /^[a-z-]{1,40}$/.test(reason) ? reason : LOCKED;
}

/** Two requests want to change one object at the same time: that says nothing of all others. */
export const LOCKED = 'object-lock';
