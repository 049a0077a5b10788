import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import { providerBusy } from './provider-errors.ts';

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
