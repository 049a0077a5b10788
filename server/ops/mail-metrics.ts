import { Counter, Gauge, type Registry } from 'prom-client';
import { MAIL_KINDS } from '#server/mail/job.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import { startAtZero } from './metrics.ts';

const REDIS_TIMEOUT_MS = 1_000;

/** BullMQ's own states. Letters to everyone are `prioritized` while they wait, behind the others. */
const STATES = ['waiting', 'prioritized', 'delayed', 'active', 'failed', 'completed'] as const;

/** The mail queue at the time of the scrape; while Redis is unavailable, only that it is. */
export function addQueueMetrics(registry: Registry, mailQueue: MailQueue): void {
  const registers = [registry];
  const measure = sharedWhileRunning(() => measureInTime(mailQueue));
  new Gauge({
    name: 'mail_queue_up',
    help: 'Whether the mail queue can be reached',
    registers,
    async collect() {
      this.set((await measure()) ? 1 : 0);
    },
  });
  new Gauge({
    name: 'mail_jobs',
    help: 'Mails on the queue by state: delayed ones wait for their next try, failed ones for a person',
    labelNames: ['state'],
    registers,
    async collect() {
      const measured = await measure();
      this.reset();
      for (const [state, count] of Object.entries(measured?.jobs ?? {})) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'mail_oldest_waiting_seconds',
    help: 'Age of the oldest mail that is not sent yet, apart from failed ones',
    registers,
    async collect() {
      this.set((await measure())?.oldestSeconds ?? Number.NaN);
    },
  });
}

/** A measurement of the mail queue. */
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

/** One measurement for all metrics of a scrape, which are collected in parallel. */
function sharedWhileRunning<Value>(measure: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  return () => {
    running ??= measure().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Counts the outcomes of the mails that a worker tries to send. */
export function addMailOutcomes(registry: Registry) {
  const registers = [registry];
  const sent = new Counter({ name: 'mail_sent_total', help: 'Mails sent', labelNames: ['kind'], registers });
  const failed = new Counter({
    name: 'mail_attempts_failed_total',
    help: 'Attempts to send a mail that failed; final ones wait for a person',
    labelNames: ['kind', 'final'],
    registers,
  });
  const kinds = MAIL_KINDS.map((kind) => ({ kind }));
  const dropped = new Counter({
    name: 'mail_dropped_total',
    help: 'Mails that were not sent because they no longer applied, or had been sent already',
    labelNames: ['kind'],
    registers,
  });
  startAtZero(sent, ...kinds);
  startAtZero(dropped, ...kinds);
  startAtZero(failed, ...kinds.flatMap((kind) => ['true', 'false'].map((final) => ({ ...kind, final }))));
  return {
    sent: (kind: string) => sent.inc({ kind }),
    dropped: (kind: string) => dropped.inc({ kind }),
    failed: (kind: string, final: boolean) => failed.inc({ kind, final: String(final) }),
  };
}
