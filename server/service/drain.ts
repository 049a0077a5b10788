import { setTimeout as delay } from 'node:timers/promises';

/** The time before a stop in which a process still serves, but asks proxies to send it no more visitors. */
export interface Drain {
  /** Whether `/readyz` asks to send visitors elsewhere. */
  isDraining(): boolean;
  /** Begins the drain; resolves when it is over. */
  drain(): Promise<void>;
}

/** @param seconds how long proxies may take to notice it */
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
