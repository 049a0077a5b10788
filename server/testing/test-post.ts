import assert from 'node:assert/strict';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { addChargeMetrics, addDueWorkMetrics } from '#server/ops/due-work-metrics.ts';
import { addRefundMetrics } from '#server/ops/refund-metrics.ts';
import { connectWorker } from '#server/redis/connect-redis.ts';
import { askForDueWork as ask, dueWorkQueue, startDueWork } from '#server/register/due-work-queue.ts';
import { askToCatchUp } from '#server/register/last-due-work.ts';
import { createOutbox } from '#server/register/outbox.ts';
import { cleanUp, type TestScope } from './clean-up.ts';
import { startMailServer } from './test-mailing.ts';
import { type SiteOptions, startTestSite } from './test-site.ts';
import { submitContact } from './test-visitor.ts';
import { startTestWorker } from './test-worker.ts';

type DueWorkOptions = Parameters<typeof startDueWork>[0];

/** What a test's worker has of its own. */
type WorkerOptions = Partial<
  Pick<DueWorkOptions, 'retryMs' | 'lookMs' | 'register' | 'registration'> & DueWorkOptions['clock']
>;

/** The site, and functions to start the worker's part of the product. */
export async function startPost(t: TestScope, options: SiteOptions = {}) {
  const site = await startTestSite(t, options);
  const mailServer = await startMailServer(t);
  const { payments, letterLog } = site;
  const metrics = new Registry();
  const onDone = addDueWorkMetrics(metrics);
  const money = { ...addChargeMetrics(metrics), ...addRefundMetrics(metrics) };
  const startWorker = ({ now = () => new Date(), onMoved = () => {}, ...changes }: WorkerOptions = {}) => {
    const connection = connectWorker(site.redis.settings, site.log.logger);
    cleanUp(t, async () => connection.disconnect());
    const dueWork = startDueWork({
      ...site,
      redis: connection,
      register: payments,
      registration: site.config.registration,
      logger: site.log.logger,
      onDone,
      money,
      clock: { now, onMoved },
      ...changes,
    });
    cleanUp(t, () => dueWork.close());
    const { worker } = startTestWorker(t, {
      redis: site.redis,
      log: site.log,
      mailServer,
      outbox: createOutbox({
        payments,
        registrationList: site.registrationList,
        ...site.admission,
        letterLog,
        now,
        findDigest: dueWork.findDigest,
      }),
    });
    return { worker, dueWork, connection };
  };
  return { ...site, metrics, mailServer, startWorker };
}

/** What `startPost` returns. */
export type Post = Awaited<ReturnType<typeof startPost>>;

/** Registers somebody, and returns her payment. */
export async function register({ app, stripe }: Post) {
  await submitContact(app).expect(200);
  const { data } = await stripe.paymentIntents.list();
  assert.ok(data[0]);
  return data[0];
}

/** Asks the worker to catch up with Stripe, and to do what is due. */
export async function askForDueWork({ redis }: Pick<Post, 'redis'>): Promise<void> {
  const connection = new Redis(redis.url);
  await askToCatchUp(connection);
  await ask(dueWorkQueue(connection));
  connection.disconnect();
}

/** Waits until this many mails have arrived; returns the kinds of all, sorted, each with a leading `<`. */
export async function untilReceived({ mailServer }: Post, count: number): Promise<string[]> {
  while (mailServer.parsed.length < count) await mailServer.nextMail();
  return mailServer.parsed.map(({ messageId = '' }) => messageId.split('-pi_')[0] ?? '').sort();
}

const LAST_DUE_WORK = 'walk_last_success_timestamp_seconds';

/** When all that was due was last done, in seconds since the epoch; 0 before the first time. */
export async function lastDueWork({ metrics }: Post): Promise<number> {
  const { values } = (await metrics.getSingleMetric(LAST_DUE_WORK)?.get()) ?? { values: [] };
  return values[0]?.value ?? Number.NaN;
}

/** The log message of each mail once it is recorded as sent. */
export const RECORDED = 'Mail sent';
