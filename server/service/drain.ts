import { setTimeout as delay } from 'node:timers/promises';

/** The time before a stop in which a process serves on, but asks not to be given more. */
export interface Drain {
  /** Whether its readiness says to send visitors elsewhere. */
  isDraining(): boolean;
  /** Begins it; resolves when it is over. */
  drain(): Promise<void>;
}

/** @param seconds how long proxies may take to see it */
export function createDrain(seconds: number): Drain {
  let draining = false;
  return {
    isDraining: () => draining,
    async drain() {
      draining = true;
      if (seconds > 0) await delay(seconds * 1000);
    },
  };
}
