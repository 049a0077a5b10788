import assert from 'node:assert/strict';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { addRefundMetrics } from '#server/ops/refund-metrics.ts';
import { addChargeMetrics, addWalkMetrics } from '#server/ops/walk-metrics.ts';
import type { Found } from '#server/payments/find-all-due.ts';
import { connectWorker } from '#server/redis/connect-redis.ts';
import { queueOn } from '#server/redis/queue-on.ts';
import { createOutbox } from '#server/register/outbox.ts';
import { type Register, WALK_NOW, WALK_NOW_OPTIONS, WALK_QUEUE_NAME } from '#server/register/walk.ts';
import { startWalker } from '#server/register/walker.ts';
import type { RegistrationMode } from '#shared/content/registration-window.ts';
import { cleanUp, type TestScope } from './clean-up.ts';
import { startMailServer } from './test-mailing.ts';
import { type SiteOptions, startTestSite } from './test-site.ts';
import { submitContact } from './test-visitor.ts';
import { startTestWorker } from './test-worker.ts';

interface WalkerOptions {
  retryMs?: number;
  lookMs?: number;
  now?: () => Date;
  /** Receives the function to call when the walker's clock was moved. */
  onMoved?: (listener: () => void) => void;
  register?: Register;
  registration?: RegistrationMode;
}

/** The site, and functions to start the worker's part of the product. */
export async function startPost(t: TestScope, options: SiteOptions = {}) {
  const site = await startTestSite(t, options);
  const mailServer = await startMailServer(t);
  const { payments, letterLog } = site;
  const metrics = new Registry();
  const onWalked = addWalkMetrics(metrics);
  const charges = addChargeMetrics(metrics);
  const refunds = addRefundMetrics(metrics);
  const startWorker = (walkerOptions: WalkerOptions = {}) => {
    const { retryMs, lookMs, now = () => new Date(), onMoved = () => {} } = walkerOptions;
    const { registration, register = payments } = walkerOptions;
    const connection = connectWorker(site.redis.settings, site.log.logger);
    cleanUp(t, async () => connection.disconnect());
    const walker = startWalker({
      redis: connection,
      register,
      letterLog,
      admission: site.admission,
      registrationList: site.registrationList,
      registration: registration ?? site.config.registration,
      logger: site.log.logger,
      onWalked,
      charges,
      refunds,
      ...(retryMs && { retryMs }),
      ...(lookMs && { lookMs }),
      clock: { now, onMoved },
    });
    cleanUp(t, () => walker.close());
    const { worker } = startTestWorker(t, {
      redis: site.redis,
      log: site.log,
      mailServer,
      outbox: createOutbox({ payments, ...site.admission, letterLog, now, findDigest: walker.findDigest }),
    });
    return { worker, walker, connection };
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

/** Asks for a walk, as support does. */
export async function askForWalk({ redis }: Pick<Post, 'redis'>): Promise<void> {
  const connection = new Redis(redis.url);
  const walks = new Queue(WALK_QUEUE_NAME, queueOn(connection));
  await walks.add(WALK_NOW, null, WALK_NOW_OPTIONS);
  connection.disconnect();
}

/** Waits until this many mails have arrived; returns the kinds of all, sorted, each with a leading `<`. */
export async function untilReceived({ mailServer }: Post, count: number): Promise<string[]> {
  while (mailServer.parsed.length < count) await mailServer.nextMail();
  return mailServer.parsed.map(({ messageId = '' }) => messageId.split('-pi_')[0] ?? '').sort();
}

const LAST_WALK = 'walk_last_success_timestamp_seconds';

/** When the last walk ended, in seconds since the epoch; 0 before the first. */
export async function lastWalk({ metrics }: Post): Promise<number> {
  const { values } = (await metrics.getSingleMetric(LAST_WALK)?.get()) ?? { values: [] };
  return values[0]?.value ?? Number.NaN;
}

/** The log message of each mail once it is recorded as sent. */
export const RECORDED = 'Mail sent';

/** A fake of Stripe that only finds what is due: its other functions change nothing. */
export const registerOf = (findAllDue: (since: Date) => AsyncGenerator<Found>): Register => ({
  findAllDue,
  closeUnpaid: async () => false,
  fitBalance: async () => false,
  chargeBalance: async () => ({ type: 'stopped', why: 'not-due' }),
  makeDueRefunds: async () => ({ type: 'stopped', why: 'nothing-due' }),
  findRegistration: async () => undefined,
  readAnnouncements: async () => ({}),
  clockAheadS: () => 0,
});
