import { Counter, Gauge, type Registry } from 'prom-client';
import type { RegisterCounts } from '#server/register/register-counts.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import { type DeclineReason, declineReasons } from '#shared/own-page.ts';
import { startAtZero } from './metrics.ts';

const TIMEOUT_MS = 1_000;

/** Reports when the worker last did all that was due, 0 before. Returns the function to call then. */
export function addDueWorkMetrics(registry: Registry): () => void {
  const last = new Gauge({
    name: 'walk_last_success_timestamp_seconds',
    help: 'When this worker last did all that was due, in seconds since the epoch',
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

/** What the worker found when it looked at the registrations last, whichever worker it was. */
export function addCountMetrics(registry: Registry, count: () => Promise<RegisterCounts>): void {
  const registers = [registry];
  let reading: Promise<RegisterCounts | undefined> | undefined;
  /** Prometheus asks for all gauges at once: the register is counted once for them. */
  const read = () => {
    reading ??= withTimeout(count(), TIMEOUT_MS)
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
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
      const counts = await read();
      this.reset();
      for (const { count, reason } of counts?.overdue ?? []) this.set({ reason }, count);
    },
  });
  new Gauge({
    name: 'places_overbooked',
    help: 'How many more people have paid for a place than there are places, by edition',
    labelNames: ['edition'],
    registers,
    async collect() {
      const counts = await read();
      this.reset();
      for (const { count, edition } of counts?.overbooked ?? []) this.set({ edition }, count);
    },
  });
  new Gauge({
    name: 'registrations',
    help: 'Registrations by edition and state',
    labelNames: ['edition', 'state'],
    registers,
    async collect() {
      const counts = await read();
      this.reset();
      for (const { count, ...labels } of counts?.registrations ?? []) this.set(labels, count);
    },
  });
}
