import { AppError, noRoom } from './app-error.ts';

export type Room = ReturnType<typeof createRoom>;

const WINDOW_MS = 250;
/** Requests in a window that are admitted even by a busy process: somebody who floods it is left to the limits. */
const ALWAYS = 120;
/** The part of a window in which the event loop did not rest. */
const BUSY = 0.9;

/**
 * Bounds how much work of one kind a process takes on. libuv accepts one connection in each turn of the event loop: were
 * all that come in a rush worked on, others would wait behind them, and connections that the system has no place for
 * would be reset.
 */
export function createRoom(atOnce: number) {
  let inFlight = 0;
  let came = 0;
  let sinceMs = performance.now();
  let since = performance.eventLoopUtilization();
  let isBusy = false;
  return {
    /** Whether there is room for a request that has just come. */
    admits(): boolean {
      const nowMs = performance.now();
      if (nowMs - sinceMs >= WINDOW_MS) {
        const now = performance.eventLoopUtilization();
        isBusy = performance.eventLoopUtilization(now, since).utilization > BUSY;
        since = now;
        sinceMs = nowMs;
        came = 0;
      }
      came += 1;
      return inFlight < atOnce && (came <= ALWAYS || !isBusy);
    },
    /** @throws {AppError} 503 with the seconds to wait, when too much is in flight */
    async run(work: () => Promise<void>): Promise<void> {
      if (inFlight >= atOnce) throw new AppError(noRoom('too_many_at_once'));
      inFlight += 1;
      try {
        await work();
      } finally {
        inFlight -= 1;
      }
    },
  };
}
