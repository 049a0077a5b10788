import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import { providerBusy } from './provider-errors.ts';

/** So many visitors are served at once by one process, and no fewer than one. */
const MOST_AT_ONCE = 16;

/** How long one waits in line. Who would wait longer is told at once when to come again. */
const PATIENCE_MS = 8_000;

/** Requests that were on their way when Stripe refused the first one say nothing new. */
const SAME_REFUSAL_MS = 500;

/** So long after Stripe's last refusal it counts as throttling. */
const QUIET_MS = 10_000;

/** How fast turns end is known from those of this long. */
const RECENT_MS = 5_000;

/** Whoever is sent away comes again within this time, whatever is expected. */
const SOONEST_MS = 2_000;
const LATEST_MS = 120_000;

/** What visitors wait for at Stripe, first come, first served. */
export interface Turns {
  /**
   * Does somebody's work in her turn. While Stripe throttles, fewer are served at once, and the others wait.
   * @throws {AppError} 503 with the seconds after which her turn is expected, when that is later than she waits here
   */
  take<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Stripe asked for fewer requests. */
  throttled(): void;
}

/**
 * How many are served at once follows what Stripe takes, as TCP's window does: half as many after a refusal, and one more
 * once as many were served. Each process finds its share by itself.
 * @see https://www.rfc-editor.org/rfc/rfc5681
 */
export function createTurns(most = MOST_AT_ONCE): Turns {
  const line: (() => void)[] = [];
  let room = most;
  let inside = 0;
  let throttledMs = Number.NEGATIVE_INFINITY;
  let lastSlotMs = Number.NEGATIVE_INFINITY;
  let ended: number[] = [];

  const admit = (): void => {
    while (inside < Math.floor(room)) {
      const next = line.shift();
      if (!next) return;
      inside += 1;
      next();
    }
  };
  /** In milliseconds, from what ended lately. */
  const perTurn = (nowMs: number): number => {
    ended = ended.filter((atMs) => atMs > nowMs - RECENT_MS);
    return RECENT_MS / Math.max(1, ended.length);
  };
  /** Each who is sent away gets a time of her own, after those of all before her. */
  const sendAway = () => {
    const nowMs = performance.now();
    const turnMs = perTurn(nowMs);
    lastSlotMs = Math.max(lastSlotMs, nowMs + line.length * turnMs) + turnMs;
    const waitMs = Math.min(Math.max(lastSlotMs - nowMs, SOONEST_MS), LATEST_MS);
    return providerBusy(Math.ceil(waitMs / 1000));
  };
  const wait = async (): Promise<void> => {
    const throttles = performance.now() - throttledMs < QUIET_MS;
    if (throttles && line.length * perTurn(performance.now()) > PATIENCE_MS) throw sendAway();
    let enter = (): void => {};
    const turn = new Promise<true>((resolve) => {
      enter = () => resolve(true);
    });
    line.push(enter);
    const stop = new AbortController();
    const patience = pause(PATIENCE_MS, false, { signal: stop.signal }).catch(() => true);
    const admitted = await Promise.race([turn, patience]);
    stop.abort();
    if (admitted) return;
    const index = line.indexOf(enter);
    if (index < 0) return;
    line.splice(index, 1);
    if (performance.now() - throttledMs < QUIET_MS) throw sendAway();
    // It is not Stripe's limits that hold the others up.
    inside += 1;
  };
  return {
    async take(work) {
      if (inside < Math.floor(room) && line.length === 0) inside += 1;
      else await wait();
      try {
        return await work();
      } catch (error) {
        throw error instanceof Stripe.errors.StripeRateLimitError ? sendAway() : error;
      } finally {
        inside -= 1;
        ended.push(performance.now());
        room = Math.min(most, room + 1 / room);
        admit();
      }
    },
    throttled() {
      const nowMs = performance.now();
      if (nowMs - throttledMs > SAME_REFUSAL_MS) room = Math.max(1, Math.min(room, inside) / 2);
      throttledMs = nowMs;
    },
  };
}
