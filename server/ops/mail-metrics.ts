import type { Registry } from 'prom-client';
import { LETTER_NAMES } from '#server/letters/table.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import { eventTypes, type MailEventWatcher } from '#server/mail-events/mail-event-routes.ts';
import { sharedWhileRunning, withTimeout } from '#server/service/work.ts';
import { metricsIn } from './monitoring.ts';

const REDIS_TIMEOUT_MS = 1_000;

/** BullMQ's own states. Letters to everyone are `prioritized` while they wait, behind the others. */
const STATES = ['waiting', 'prioritized', 'delayed', 'active', 'failed', 'completed'] as const;

/** The mail queue at the time of the scrape; while Redis is unavailable, only that it is. */
export function addQueueMetrics(registry: Registry, mailQueue: MailQueue): void {
  const { gauge, gaugeOfCounts } = metricsIn(registry);
  // The metrics of a scrape are collected in parallel.
  const measure = sharedWhileRunning(() => measureInTime(mailQueue));
  gauge('mail_queue_up', 'Whether the mail queue can be reached', async () => ((await measure()) ? 1 : 0));
  gaugeOfCounts(
    'mail_jobs',
    'Mails on the queue by state: delayed ones wait for their next try, failed ones for a person',
    ['state'],
    async () => Object.entries((await measure())?.jobs ?? {}).map(([state, count]) => ({ state, count })),
  );
  gauge(
    'mail_oldest_waiting_seconds',
    'Age of the oldest mail that is not sent yet, apart from failed ones',
    async () => (await measure())?.oldestSeconds ?? Number.NaN,
  );
}

type QueueMeasurement = Awaited<ReturnType<typeof measureQueue>>;

/** Measures the queue within a second; undefined while Redis is down or hanging. */
export async function measureInTime(mailQueue: MailQueue): Promise<QueueMeasurement | undefined> {
  if (!mailQueue.isReady()) return undefined;
  return withTimeout(measureQueue(mailQueue), REDIS_TIMEOUT_MS).catch(() => undefined);
}

async function measureQueue({ bullQueue, oldestWaiting }: MailQueue) {
  const { waiting = 0, prioritized = 0, ...others } = await bullQueue.getJobCounts(...STATES);
  const jobs: Record<string, number> = { waiting: waiting + prioritized, ...others };
  const since = await oldestWaiting();
  return { jobs, oldestSeconds: since === undefined ? 0 : (Date.now() - since) / 1000 };
}

export function addMailOutcomes(registry: Registry) {
  const { counter } = metricsIn(registry);
  const kinds = LETTER_NAMES.map((kind) => ({ kind }));
  const sent = counter('mail_sent_total', 'Mails sent', kinds);
  const failed = counter(
    'mail_attempts_failed_total',
    'Attempts to send a mail that failed; final ones wait for a person',
    kinds.flatMap((kind) => ['true', 'false'].map((final) => ({ ...kind, final }))),
  );
  const dropped = counter(
    'mail_dropped_total',
    'Mails that were not sent because they no longer applied, or had been sent already',
    kinds,
  );
  return {
    sent: (kind: string) => sent.inc({ kind }),
    dropped: (kind: string) => dropped.inc({ kind }),
    failed: (kind: string, final: boolean) => failed.inc({ kind, final: String(final) }),
  };
}

/**
 * Counts the letters that did not arrive, as mail providers report them to this app, and requests with an invalid
 * signature.
 */
export function addMailEventMetrics(registry: Registry): MailEventWatcher {
  const { counter } = metricsIn(registry);
  const told = counter(
    'mail_bounced_total',
    'Letters that came back or were marked as spam, those to the office, and those of nobody who is known; what a provider tells twice of a registrant counts once',
    eventTypes.map((type) => ({ type })),
  );
  const refused = counter(
    'mail_events_refused_total',
    'Requests of a mail provider that were not signed as they should be, or whose event cannot be read',
  );
  return { told: (type) => told.inc({ type }), refused: () => refused.inc() };
}
