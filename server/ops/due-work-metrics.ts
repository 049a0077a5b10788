import type { Registry } from 'prom-client';
import type { RegisterCounts } from '#server/register/register-counts.ts';
import { sharedWhileRunning } from '#server/service/repeat.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import { type DeclineReason, declineReasons } from '#shared/own-page.ts';
import { metricsIn } from './metrics.ts';

const TIMEOUT_MS = 1_000;

/** Reports when the worker last did all that was due, 0 before. Returns the function to call then. */
export function addDueWorkMetrics(registry: Registry): () => void {
  const { gauge } = metricsIn(registry);
  const last = gauge(
    'walk_last_success_timestamp_seconds',
    'When this worker last did all that was due, in seconds since the epoch',
  );
  return () => last.setToCurrentTime();
}

/** Reports when the register's newest copy was made, 0 before it is known. Returns the function that is told. */
export function addCopyMetrics(registry: Registry): (at: Date) => void {
  const { gauge } = metricsIn(registry);
  const newest = gauge(
    'register_newest_copy_timestamp_seconds',
    'When the newest copy of the register was made, in seconds since the epoch',
  );
  return (at) => newest.set(at.getTime() / 1000);
}

/** Counts the balances that this worker charged automatically, and the attempts that were declined. */
export function addChargeMetrics(registry: Registry) {
  const { counter } = metricsIn(registry);
  const charged = counter('balances_charged_total', 'Balances that were charged to the card on file');
  const declined = counter(
    'balances_declined_total',
    'Tries to charge a balance that were declined, by reason',
    declineReasons.map((reason) => ({ reason })),
  );
  return {
    charged: () => charged.inc(),
    declined: (reason: DeclineReason) => declined.inc({ reason }),
  };
}

/** What the worker found when it looked at the registrations last, whichever worker it was. */
export function addCountMetrics(registry: Registry, count: () => Promise<RegisterCounts>): void {
  const { gauge, gaugeOfCounts } = metricsIn(registry);
  const read = sharedWhileRunning(() => withTimeout(count(), TIMEOUT_MS).catch(() => undefined));
  gauge(
    'payments_needing_attention',
    'Payments that a person must look at: paid with another amount than expected, unknown to this release, or unreadable',
    async () => (await read())?.attention ?? Number.NaN,
  );
  gaugeOfCounts(
    'balances_overdue',
    'Balances whose moment has come and that are not paid, by what keeps them from being charged',
    ['reason'],
    async () => (await read())?.overdue,
  );
  gaugeOfCounts(
    'places_overbooked',
    'How many more people have paid for a place than there are places, by edition',
    ['edition'],
    async () => (await read())?.overbooked,
  );
  gaugeOfCounts(
    'registrations',
    'Registrations by edition and state',
    ['edition', 'state'],
    async () => (await read())?.registrations,
  );
}
