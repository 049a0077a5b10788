import type { Registry } from 'prom-client';
import { MAIL_KINDS } from '#server/mail/job.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import { counter, gauge, gaugeOfCounts, sharedWhileRunning } from './metrics.ts';

const REDIS_TIMEOUT_MS = 1_000;

/** BullMQ's own states. Letters to everyone are `prioritized` while they wait, behind the others. */
const STATES = ['waiting', 'prioritized', 'delayed', 'active', 'failed', 'completed'] as const;

/** The mail queue at the time of the scrape; while Redis is unavailable, only that it is. */
export function addQueueMetrics(registry: Registry, mailQueue: MailQueue): void {
  const measure = sharedWhileRunning(() => measureInTime(mailQueue));
  gauge(registry, 'mail_queue_up', 'Whether the mail queue can be reached', async () =>
    (await measure()) ? 1 : 0,
  );
  gaugeOfCounts(
    registry,
    'mail_jobs',
    'Mails on the queue by state: delayed ones wait for their next try, failed ones for a person',
    ['state'],
    async () => Object.entries((await measure())?.jobs ?? {}).map(([state, count]) => ({ state, count })),
  );
  gauge(
    registry,
    'mail_oldest_waiting_seconds',
    'Age of the oldest mail that is not sent yet, apart from failed ones',
    async () => (await measure())?.oldestSeconds ?? Number.NaN,
  );
}

export interface QueueMeasurement {
  jobs: Record<string, number>;
  oldestSeconds: number;
  /** Somebody has paused sending on the queue's page. */
  isPaused: boolean;
}

/** Measures the queue within a second; undefined while Redis is down or hanging. */
export async function measureInTime(mailQueue: MailQueue): Promise<QueueMeasurement | undefined> {
  if (!mailQueue.isReady()) return undefined;
  return withTimeout(measureQueue(mailQueue), REDIS_TIMEOUT_MS).catch(() => undefined);
}

async function measureQueue({ bullQueue, oldestWaiting }: MailQueue): Promise<QueueMeasurement> {
  const { waiting = 0, prioritized = 0, ...others } = await bullQueue.getJobCounts(...STATES);
  const jobs = { waiting: waiting + prioritized, ...others };
  const [since, isPaused] = await Promise.all([oldestWaiting(), bullQueue.isPaused()]);
  return { jobs, oldestSeconds: since === undefined ? 0 : (Date.now() - since) / 1000, isPaused };
}

/** Counts the outcomes of the mails that a worker tries to send. */
export function addMailOutcomes(registry: Registry) {
  const kinds = MAIL_KINDS.map((kind) => ({ kind }));
  const sent = counter(registry, 'mail_sent_total', 'Mails sent', kinds);
  const failed = counter(
    registry,
    'mail_attempts_failed_total',
    'Attempts to send a mail that failed; final ones wait for a person',
    kinds.flatMap((kind) => ['true', 'false'].map((final) => ({ ...kind, final }))),
  );
  const dropped = counter(
    registry,
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
