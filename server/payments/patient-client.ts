import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import { createCallPace, type Rests } from './call-pace.ts';

/** How a process retries when Stripe throttles it. */
export interface Patience extends Rests {
  /** How long one request is retried, in milliseconds. */
  withinMs: number;
}

/** For requests while a visitor waits. */
export const FOR_VISITORS: Patience = { withinMs: 10_000, firstMs: 400, longestMs: 2_000 };

/** For due work and letters, which can wait: they leave Stripe's quota to visitors. */
export const IN_BACKGROUND: Patience = { withinMs: 60_000, firstMs: 1_000, longestMs: 4_000 };

/** Sends each request once: the caller handles a refusal. */
const NONE: Patience = { withinMs: 0, firstMs: 0, longestMs: 0 };

/** One response of Stripe. */
interface Answer {
  /** The method and the path without ids, such as `POST customers`. */
  operation: string;
  status: number;
  seconds: number;
  /** By how much the machine's clock is ahead of Stripe's, in seconds; absent if the answer has no date. */
  clockAheadS?: number;
}

type HttpClient = ReturnType<typeof Stripe.createNodeHttpClient>;
type Answered = Awaited<ReturnType<HttpClient['makeRequest']>>;

export interface ClientWatcher {
  /** Called with each response, also one after which the request is retried. */
  answered(answer: Answer): void;
  /** Stripe asks for fewer requests: its reason, such as `global-rate` or `endpoint-rate`. */
  throttled(reason: string): void;
}

const TOO_MANY = 429;

/**
 * The SDK's HTTP client, extended to retry a request when Stripe answers 429: Stripe did nothing then, and
 * saved nothing under the idempotency key. The SDK itself does not retry these.
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
        const seconds = (performance.now() - startMs) / 1000;
        const operation = `${method} ${operationOf(path)}`;
        watcher.answered({ operation, status, seconds, ...clockAhead(answer) });
        return answer;
      };
      const kind = method === 'POST' ? 'write' : 'read';
      for (let call = await pace.enter(kind); ; ) {
        const answer = await send().catch((error: unknown) => {
          call.failed();
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
        // The connection is free for other requests only once the body is read, whatever it says.
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

/** `/v1/payment_intents/pi_1/cancel?…` is `payment_intents/cancel`: no ids. */
function operationOf(path: string): string {
  const [, , resource = '', ...rest] = path.split('?', 1)[0]?.split('/') ?? [];
  return [resource, ...rest.slice(1)].join('/');
}

/** Compares the machine's clock with the date of an answer, which has no fractions of a second. */
function clockAhead(answer: Answered): Pick<Answer, 'clockAheadS'> {
  const { date } = answer.getHeaders();
  const atMs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isNaN(atMs) ? {} : { clockAheadS: Math.round((Date.now() - atMs) / 1000) };
}

/**
 * Stripe's reason for a 429, in one of the words that it documents: it becomes a metric label. A 429 because
 * two requests lock the same object has no reason.
 */
function reasonOf(answer: Answered): string {
  const { 'stripe-rate-limited-reason': reason } = answer.getHeaders();
  return typeof reason === 'string' && /^[a-z-]{1,40}$/.test(reason) ? reason : LOCKED;
}

/** Two requests want to change one object at the same time: that does not concern any other request. */
export const LOCKED = 'object-lock';
