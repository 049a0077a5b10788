import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import { providerBusy } from './stripe-calls.ts';

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

/** In one of the words that Stripe documents: it becomes a metric label. */
function reasonOf(answer: Answered): string {
  const { 'stripe-rate-limited-reason': reason } = answer.getHeaders();
  return typeof reason === 'string' && /^[a-z-]{1,40}$/.test(reason) ? reason : LOCKED;
}

/** Two requests want to change one object at the same time: that does not concern any other request. */
export const LOCKED = 'object-lock';

/**
 * Backoff after a 429, in ms: at random half to all of `firstMs`, doubled with each further 429 up to
 * `longestMs`.
 */
export interface Rests {
  firstMs: number;
  longestMs: number;
}

/** Writes come before reads: a visitor who has begun is served to the end before the next one begins. */
type CallKind = 'write' | 'read';

/** A call in flight; one of these methods ends it. */
interface CallInPace {
  /** It was answered. */
  answered(): void;
  /** It was refused: it is retried before all calls of its kind that came later. */
  refused(): Promise<CallInPace>;
  /** It was refused, and is not retried. */
  givenUp(): void;
  /** The connection failed: that says nothing about what Stripe accepts. */
  failed(): void;
}

interface Waiting {
  /** Counts calls in the order in which they first came. */
  number: number;
  begin(): void;
}

/**
 * Limits the concurrency of a process's calls while Stripe throttles. First come, first served within each kind, also
 * after a refusal. After a refusal nothing is sent during a backoff, which doubles with each further refusal and is
 * randomised so that several processes do not resume together. Then half as many calls are in flight as before, and one
 * more each time that many were answered, as in TCP congestion control: so each process finds its share of what Stripe
 * accepts.
 * @see https://www.rfc-editor.org/rfc/rfc5681
 */
export function createCallPace({ firstMs, longestMs }: Rests) {
  const lines: Record<CallKind, Waiting[]> = { write: [], read: [] };
  let came = 0;
  let sending = 0;
  let most = Number.POSITIVE_INFINITY;
  let longestNowMs = firstMs;
  let rest: NodeJS.Timeout | undefined;

  const admit = (): void => {
    while (!rest && sending < Math.floor(most)) {
      const next = lines.write.shift() ?? lines.read.shift();
      if (!next) break;
      next.begin();
    }
    const isOver = !rest && sending === 0;
    if (isOver) most = Number.POSITIVE_INFINITY;
  };
  const pauseAll = (): void => {
    if (rest) return;
    most = Math.max(1, Math.min(most, sending + 1) / 2);
    rest = setTimeout(
      () => {
        rest = undefined;
        admit();
      },
      longestNowMs * (0.5 + Math.random() / 2),
    );
    longestNowMs = Math.min(2 * longestNowMs, longestMs);
  };
  const inLine = (kind: CallKind, number: number): Promise<CallInPace> =>
    new Promise((resolve) => {
      const begin = (): void => {
        sending += 1;
        resolve(callOf(kind, number));
      };
      const line = lines[kind];
      const later = line.findIndex((other) => other.number > number);
      line.splice(later < 0 ? line.length : later, 0, { number, begin });
      admit();
    });
  const callOf = (kind: CallKind, number: number): CallInPace => ({
    answered() {
      sending -= 1;
      most += 1 / most;
      longestNowMs = firstMs;
      admit();
    },
    refused() {
      this.givenUp();
      return inLine(kind, number);
    },
    givenUp() {
      sending -= 1;
      pauseAll();
    },
    failed() {
      sending -= 1;
      admit();
    },
  });
  return {
    /** Waits until a call may be made: no wait unless calls were refused and are queued. */
    enter(kind: CallKind): Promise<CallInPace> {
      came += 1;
      return inLine(kind, came);
    },
  };
}

/**
 * How many visitors one process serves at once: with four calls of 0.3 s each that makes 53 calls a second.
 */
const MOST_AT_ONCE = 16;

/** A visitor whose expected wait is longer than this gets a 503 with a `Retry-After` at once. */
const MAX_EXPECTED_WAIT_MS = 8_000;

/** How long a visitor stays in the queue, even if it moves more slowly than expected. */
const QUEUE_TIMEOUT_MS = 15_000;

/** How long after its last 429 Stripe is considered to be throttling. */
const QUIET_MS = 10_000;

/** The rate at which turns end is measured over the last `RECENT_MS`, and over at least `LEAST_MS`. */
const RECENT_MS = 5_000;
const LEAST_MS = 1_000;

/** The bounds of `Retry-After`, whatever the expected wait. */
const SOONEST_MS = 2_000;
const LATEST_MS = 120_000;

/**
 * Queues the visitors whose work needs Stripe and who are not being served yet: first come, first served. The calls of
 * those being served are paced by `createCallPace`.
 */
export function createTurns(most = MOST_AT_ONCE) {
  const queue: (() => void)[] = [];
  let inside = 0;
  let busySinceMs = performance.now();
  let throttledMs = Number.NEGATIVE_INFINITY;
  let lastSlotMs = Number.NEGATIVE_INFINITY;
  let ended: number[] = [];

  const admit = (): void => {
    while (inside < most) {
      const next = queue.shift();
      if (!next) return;
      inside += 1;
      next();
    }
  };
  /** The average time between the ends of recent turns, in milliseconds. */
  const perTurn = (nowMs: number): number => {
    ended = ended.filter((atMs) => atMs > nowMs - RECENT_MS);
    const spanMs = Math.min(Math.max(nowMs - busySinceMs, LEAST_MS), RECENT_MS);
    return spanMs / Math.max(1, ended.length);
  };
  /**
   * Each turn that ends makes room for one visitor: each visitor who is sent away gets such a moment of her
   * own.
   */
  const sendAway = () => {
    const nowMs = performance.now();
    const turnMs = perTurn(nowMs);
    lastSlotMs = Math.min(Math.max(lastSlotMs, nowMs) + turnMs, nowMs + LATEST_MS);
    const waitMs = Math.max(lastSlotMs - nowMs, SOONEST_MS);
    return providerBusy(Math.ceil(waitMs / 1000));
  };
  const wait = async (): Promise<void> => {
    const throttles = performance.now() - throttledMs < QUIET_MS;
    if (throttles && queue.length * perTurn(performance.now()) > MAX_EXPECTED_WAIT_MS) throw sendAway();
    let enter = (): void => {};
    const turn = new Promise<true>((resolve) => {
      enter = () => resolve(true);
    });
    queue.push(enter);

    const stop = new AbortController();
    const timeout = pause(QUEUE_TIMEOUT_MS, false, { signal: stop.signal }).catch(() => true);
    const admitted = await Promise.race([turn, timeout]);
    stop.abort();
    if (admitted) return;
    const index = queue.indexOf(enter);
    if (index < 0) return;
    queue.splice(index, 1);
    if (performance.now() - throttledMs < QUIET_MS) throw sendAway();
    // Stripe is not throttling, so the queue is slow for another reason: serve her anyway.
    inside += 1;
  };
  return {
    /**
     * Does a visitor's work when it is her turn.
     * @throws {AppError} 503 with the seconds until her turn is expected, when the wait would be too long
     */
    async take<Result>(work: () => Promise<Result>): Promise<Result> {
      if (inside === 0) busySinceMs = performance.now();
      if (inside < most && queue.length === 0) inside += 1;
      else await wait();
      try {
        return await work();
      } catch (error) {
        throw error instanceof Stripe.errors.StripeRateLimitError ? sendAway() : error;
      } finally {
        inside -= 1;
        const nowMs = performance.now();
        ended = [...ended.filter((atMs) => atMs > nowMs - RECENT_MS), nowMs];
        admit();
      }
    },
    /** Stripe asked for fewer requests. */
    throttled(): void {
      throttledMs = performance.now();
    },
  };
}
