import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import { providerBusy } from './provider-errors.ts';

/** So many visitors are served at once by one process: four calls of 0.3 s each make 53 calls a second. */
const MOST_AT_ONCE = 16;

/** Who is expected to wait longer than this is told at once when to come again. */
const PATIENCE_MS = 8_000;

/** Who stands in line keeps her place for so long, even if the line moves more slowly. */
const LONGEST_MS = 15_000;

/** So long after Stripe's last refusal it counts as throttling. */
const QUIET_MS = 10_000;

/** How fast turns end is known from those of so long, and from a little at least. */
const RECENT_MS = 5_000;
const LEAST_MS = 1_000;

/** A call that is sent away comes again within this time, however long the expected wait. */
const SOONEST_MS = 2_000;
const LATEST_MS = 120_000;

/** What visitors wait for at Stripe, first come, first served. */
export interface Turns {
  /**
   * Does somebody's work in her turn.
   * @throws {AppError} 503 with the seconds after which her turn is expected, when that is later than she waits here
   */
  take<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Stripe asked for fewer requests. */
  throttled(): void;
}

/** Those who are being served are paced by their calls, see `createCallPace`; here wait all others. */
export function createTurns(most = MOST_AT_ONCE): Turns {
  const line: (() => void)[] = [];
  let inside = 0;
  let busySinceMs = performance.now();
  let throttledMs = Number.NEGATIVE_INFINITY;
  let lastSlotMs = Number.NEGATIVE_INFINITY;
  let ended: number[] = [];

  const admit = (): void => {
    while (inside < most) {
      const next = line.shift();
      if (!next) return;
      inside += 1;
      next();
    }
  };
  /** In milliseconds, from what ended lately. */
  const perTurn = (nowMs: number): number => {
    ended = ended.filter((atMs) => atMs > nowMs - RECENT_MS);
    const spanMs = Math.min(Math.max(nowMs - busySinceMs, LEAST_MS), RECENT_MS);
    return spanMs / Math.max(1, ended.length);
  };
  /** The line has room for one more with each turn that ends: each who is sent away gets one of these moments for herself. */
  const sendAway = () => {
    const nowMs = performance.now();
    const turnMs = perTurn(nowMs);
    lastSlotMs = Math.min(Math.max(lastSlotMs, nowMs) + turnMs, nowMs + LATEST_MS);
    const waitMs = Math.max(lastSlotMs - nowMs, SOONEST_MS);
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
    const patience = pause(LONGEST_MS, false, { signal: stop.signal }).catch(() => true);
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
      if (inside === 0) busySinceMs = performance.now();
      if (inside < most && line.length === 0) inside += 1;
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
    throttled() {
      throttledMs = performance.now();
    },
  };
}
