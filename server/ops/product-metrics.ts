import type { Registry } from 'prom-client';
import type { LimitName } from '#server/http/limiter.ts';
import type { LimitWatcher } from '#server/intake/registration-limits.ts';
import { sharedWhileRunning, withTimeout } from '#server/service/work.ts';
import type { CallWatcher } from '#server/stripe/connect-stripe.ts';
import type { Change } from '#server/stripe/stripe-events.ts';
import type { RegisterCounts } from '#server/worker/register-counts.ts';
import { type DeclineReason, declineReasons } from '#shared/own-page.ts';
import { metricsIn } from './monitoring.ts';

const DEPOSIT_EVENTS: Readonly<Partial<Record<Change, readonly string[]>>> = {
  'deposit-paid': ['paid'],
  'payment-held': ['held'],
  'deposit-failed': ['declined'],
  'deposit-closed': ['declined', 'closed'],
};

/** Counts the outcomes of registrations: their deposits, and the mails that are still owed when they are answered. */
export function addRegistrationMetrics(registry: Registry) {
  const { counter } = metricsIn(registry);
  const events = ['begun', 'paid', 'held', 'declined', 'closed'] as const;
  const deposits = counter(
    'deposits_total',
    'Deposits begun, paid, held back (paid with another amount than expected), declined (each attempt) and closed after too many; what Stripe reports twice counts twice',
    events.map((event) => ({ event })),
  );
  const owed = counter(
    'mails_owed_total',
    'Mails that could not be queued when they fell due; the worker queues them within minutes',
  );
  return {
    begun: () => deposits.inc({ event: 'begun' }),
    changed: (change: Change) => {
      for (const event of DEPOSIT_EVENTS[change] ?? []) deposits.inc({ event });
    },
    mailsOwed: (count: number) => owed.inc(count),
  };
}

const LETTER_LIMITS = ['letters-by-address', 'letters-by-email', 'letters-overall'] as const;
const REGISTRATION_LIMITS = [
  'registration-requests',
  'registrations-by-address',
  'registrations-overall',
  'registration-edits',
  'registration-consents',
] as const;

/** Counts the registrations that a limit refused, and those that Redis did not count. */
export function addLimitMetrics(registry: Registry) {
  const { counter } = metricsIn(registry);
  const letterLimits = LETTER_LIMITS.map((limit: LimitName) => ({ limit }));
  const refused = counter(
    'registrations_refused_total',
    'Registrations, and joins of the waiting list, that were refused because there were too many, by limit',
    [...REGISTRATION_LIMITS.map((limit: LimitName) => ({ limit })), ...letterLimits],
  );
  const inMemory = counter(
    'registrations_counted_in_memory_total',
    'Registrations that this process counted by itself, because Redis could not',
  );
  const waiting = counter(
    'letters_waiting_total',
    'Registrations whose letters wait until they are paid because there were too many, by limit',
    letterLimits,
  );
  const watcher: LimitWatcher = {
    refused: (limit) => refused.inc({ limit }),
    letterWaits: (limit) => waiting.inc({ limit }),
  };
  return {
    ...watcher,
    /** Each registration is one such request at least. */
    countedInMemory(limit: LimitName): void {
      if (limit === 'registration-requests') inMemory.inc();
    },
  };
}

const BUCKETS_S = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Times the calls to Stripe by operation and status, and counts those that got no answer. */
export function addPaymentMetrics(registry: Registry): CallWatcher {
  const { counter, gauge, histogram } = metricsIn(registry);
  const help = 'Time that Stripe takes to answer, by operation and status';
  const durations = histogram('stripe_call_duration_seconds', help, ['operation', 'status'], BUCKETS_S);
  const clock = gauge(
    'stripe_clock_offset_seconds',
    'By how much the clock of this machine is ahead of that of Stripe',
  );
  const unreachable = counter('stripe_unreachable_total', 'How often Stripe did not answer, after all tries');
  return {
    answered({ operation, status, seconds, clockAheadS }) {
      durations.observe({ operation, status }, seconds);
      if (clockAheadS !== undefined) clock.set(clockAheadS);
    },
    unreachable: () => unreachable.inc(),
  };
}

/** Counts the refunds that this worker made, and those that Stripe refused. */
export function addRefundMetrics(registry: Registry) {
  const refunds = refundCounter(registry, 'made', 'refused');
  return {
    refunded: () => refunds.inc({ outcome: 'made' }),
    refundRefused: () => refunds.inc({ outcome: 'refused' }),
  };
}

/**
 * Counts the refunds that failed at the bank, and disputes, as Stripe reports them to this app. Returns the function to
 * call with each report.
 */
export function addMoneyBackMetrics(registry: Registry): (change: Change) => void {
  const { counter } = metricsIn(registry);
  const refunds = refundCounter(registry, 'failed');
  const disputes = counter(
    'disputes_total',
    'Disputes of charges that Stripe told of, by event; what it tells twice counts twice',
    ['opened', 'won', 'lost', 'closed'].map((event) => ({ event })),
  );
  return (change) => {
    if (change === 'refund-failed') refunds.inc({ outcome: 'failed' });
    else if (change.startsWith('dispute-') && change !== 'dispute-moved')
      disputes.inc({ event: change.slice('dispute-'.length) });
  };
}

function refundCounter(registry: Registry, ...outcomes: readonly string[]) {
  const { counter } = metricsIn(registry);
  return counter(
    'refunds_total',
    'Refunds by outcome: made by the worker, refused by Stripe at each try, failed at the bank later',
    outcomes.map((outcome) => ({ outcome })),
  );
}

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

/** Reports whether everything outward is held. */
export function addHoldMetric(registry: Registry, isHeld: () => Promise<boolean>): void {
  const { gauge } = metricsIn(registry);
  gauge('register_held', 'Whether the register is held: 1 while nothing goes out', async () =>
    Number(await withTimeout(isHeld(), TIMEOUT_MS).catch(() => Number.NaN)),
  );
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
