import { setTimeout as pause } from 'node:timers/promises';
import type { Refusal } from '#server/limits/limiter.ts';

/** How long a visitor waits, and how many wait at the same time in one process. */
export interface WaitingLineBounds {
  patienceMs: number;
  most: number;
}

/** A queue in which visitors wait for a slot under a limit, first come, first served. It is empty at first. */
export function createWaitingLine({ patienceMs, most }: WaitingLineBounds) {
  const inLine = new Set<string>();
  let last = Promise.resolve();

  const askUntil = async (deadlineMs: number, refusal: Refusal, ask: () => Promise<Refusal | undefined>) => {
    let latest: Refusal | undefined = refusal;
    while (latest?.limit === refusal.limit) {
      const leftMs = deadlineMs - performance.now();
      if (latest.waitMs > leftMs) return latest;
      await pause(latest.waitMs);
      latest = await ask();
    }
    return latest;
  };
  return {
    /**
     * Waits for a visitor's turn, then asks for a slot until there is one. Each address is in the line at most
     * once.
     * @returns the last refusal, when no slot came in time, or the line was full
     */
    async wait(address: string, refusal: Refusal, ask: () => Promise<Refusal | undefined>) {
      if (inLine.size >= most || inLine.has(address)) return refusal;
      const deadlineMs = performance.now() + patienceMs;
      const before = last;
      let leave = (): void => {};
      last = new Promise((resolve) => {
        leave = resolve;
      });
      inLine.add(address);
      try {
        const atTheHead = await Promise.race([before.then(() => true), pause(patienceMs, false)]);
        return atTheHead ? await askUntil(deadlineMs, refusal, ask) : refusal;
      } finally {
        inLine.delete(address);
        void before.then(leave);
      }
    },
  };
}
