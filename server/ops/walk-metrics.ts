import { Counter, Gauge, type Registry } from 'prom-client';
import { withTimeout } from '#server/service/with-timeout.ts';
import { type DeclineReason, declineReasons } from '#shared/own-page.ts';
import { startAtZero } from './metrics.ts';

const REDIS_TIMEOUT_MS = 1_000;

/**
 * Reports when the last walk ended, 0 before the first one. Returns the function to call at the end of a
 * walk.
 */
export function addWalkMetrics(registry: Registry): () => void {
  const last = new Gauge({
    name: 'walk_last_success_timestamp_seconds',
    help: 'When this worker last looked through the registrations, in seconds since the epoch',
    registers: [registry],
  });
  return () => last.setToCurrentTime();
}

/** Counts the balances that this worker charged automatically, and the attempts that were declined. */
export function addChargeMetrics(registry: Registry) {
  const registers = [registry];
  const charged = new Counter({
    name: 'balances_charged_total',
    help: 'Balances that were charged to the card on file',
    registers,
  });
  const declined = new Counter({
    name: 'balances_declined_total',
    help: 'Tries to charge a balance that were declined, by reason',
    labelNames: ['reason'],
    registers,
  });
  startAtZero(declined, ...declineReasons.map((reason) => ({ reason })));
  return {
    charged: () => charged.inc(),
    declined: (reason: DeclineReason) => declined.inc({ reason }),
  };
}

/** What a walk through all registrations found. */
interface WholeWalk {
  attention: number;
  registrations: readonly { edition: string; state: string; count: number }[];
  overdue: readonly { reason: string; count: number }[];
  overbooked?: readonly { edition: string; count: number }[];
}

/** What the last walk through all registrations found, whichever worker walked. */
export function addFoundMetrics(
  registry: Registry,
  walker: { lastWhole(): Promise<WholeWalk | undefined> },
): void {
  const registers = [registry];
  const read = () => withTimeout(walker.lastWhole(), REDIS_TIMEOUT_MS).catch(() => undefined);
  new Gauge({
    name: 'payments_needing_attention',
    help: 'Payments that a person must look at: paid with another amount than expected, unknown to this release, or unreadable',
    registers,
    async collect() {
      this.set((await read())?.attention ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'balances_overdue',
    help: 'Balances whose moment has come and that are not paid, by what keeps them from being charged',
    labelNames: ['reason'],
    registers,
    async collect() {
      const whole = await read();
      this.reset();
      for (const { count, reason } of whole?.overdue ?? []) this.set({ reason }, count);
    },
  });
  new Gauge({
    name: 'places_overbooked',
    help: 'How many more people have paid for a place than there are places, by edition',
    labelNames: ['edition'],
    registers,
    async collect() {
      const whole = await read();
      this.reset();
      for (const { count, edition } of whole?.overbooked ?? []) this.set({ edition }, count);
    },
  });
  new Gauge({
    name: 'registrations',
    help: 'Registrations by edition and state',
    labelNames: ['edition', 'state'],
    registers,
    async collect() {
      const whole = await read();
      this.reset();
      for (const { count, ...labels } of whole?.registrations ?? []) this.set(labels, count);
    },
  });
}
