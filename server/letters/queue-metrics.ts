import type { Metrics } from '#server/ops/metrics.ts';
import { sharedWhileRunning, withTimeout } from '#server/ops/work.ts';
import type { MailQueue } from './queue.ts';

const REDIS_TIMEOUT_MS = 1_000;

/** BullMQ's own states. Letters to everyone are `prioritized` while they wait, behind the others. */
const STATES = ['waiting', 'prioritized', 'delayed', 'active', 'failed', 'completed'] as const;

/** The mail queue at the time of the scrape; while Redis is unavailable, only that it is. */
export function reportQueue(metrics: Metrics, mailQueue: MailQueue): void {
  // The metrics of a scrape are collected in parallel.
  const measure = sharedWhileRunning(() => measureInTime(mailQueue));
  metrics.gauge('mail_queue_up', 'Whether the mail queue can be reached', async () =>
    (await measure()) ? 1 : 0,
  );
  metrics.readCounts(
    'mail_jobs',
    'Mails on the queue by state: delayed ones wait for their next try, failed ones for a person',
    ['state'],
    async () => Object.entries((await measure())?.jobs ?? {}).map(([state, count]) => ({ state, count })),
  );
  metrics.gauge(
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

const OLDEST_AMONG = 200;

async function measureQueue({ bullQueue }: MailQueue) {
  const { waiting = 0, prioritized = 0, ...others } = await bullQueue.getJobCounts(...STATES);
  const jobs: Record<string, number> = { waiting: waiting + prioritized, ...others };
  const unsent = await bullQueue.getJobs(
    ['waiting', 'prioritized', 'active', 'delayed'],
    0,
    OLDEST_AMONG,
    true,
  );
  const queuedAt = unsent.map(({ timestamp }) => timestamp);
  return { jobs, oldestSeconds: queuedAt.length === 0 ? 0 : (Date.now() - Math.min(...queuedAt)) / 1000 };
}
