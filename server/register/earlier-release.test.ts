import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import { letter } from '#scripts/world/letters.ts';
import type { MailJob } from '#server/mail/job.ts';
import { MAIL_JOB_OPTIONS, MAIL_QUEUE_NAME, mailJobId, queuedAs } from '#server/mail/queued-job.ts';
import { connectWorker } from '#server/redis/connect-redis.ts';
import { queueOn } from '#server/redis/queue-on.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { startMailServer } from '#server/testing/test-mail-server.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { startTestWorker } from '#server/testing/test-worker.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { takeOverEarlierRelease } from './earlier-release.ts';
import { recordIfSent, WALK_NOW, WALK_NOW_OPTIONS, WALK_QUEUE_NAME } from './walk.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const SENT_AT = '2025-12-01T10:00:00.000Z';

/** The queue of release 0.1 and this release's, on one Redis, and the workers of both. */
async function open(t: TestContext) {
  const redis = await testRedis(t);
  const log = createTestLog();
  const mailServer = await startMailServer(t);
  const connect = () => {
    const connection = connectWorker(redis.settings, log.logger);
    cleanUp(t, async () => connection.disconnect());
    return connection;
  };
  const connection = connect();
  const earlier = { connection, prefix: 'bull' };
  const there = new Queue<MailJob>(MAIL_QUEUE_NAME, { ...earlier, defaultJobOptions: MAIL_JOB_OPTIONS });
  const here = new Queue<MailJob>(MAIL_QUEUE_NAME, queueOn(connection));
  const walksThere = new Queue(WALK_QUEUE_NAME, earlier);
  await Promise.all([there.waitUntilReady(), here.waitUntilReady(), walksThere.waitUntilReady()]);
  let walksAsked = 0;
  const sent = new Set<string>();
  return {
    ...{ there, here, walksThere, redis, mailServer, log, connection },
    walksAsked: () => walksAsked,
    /** Adds a mail to either queue, as an app does. */
    add: (queue: Queue<MailJob>, mail: MailJob) =>
      queue.add(mail.kind, mail, { ...MAIL_JOB_OPTIONS, ...queuedAs(mail) }),
    /** A worker of release 0.1: it takes letters as that release does; `process` stands in for sending. */
    startThere(process: (job: { data: MailJob }) => Promise<string>) {
      const worker = new Worker<MailJob, string>(MAIL_QUEUE_NAME, process, {
        ...{ connection: connect(), prefix: 'bull', limiter: { max: 2, duration: 200 } },
        settings: { backoffStrategy: () => 60_000 },
      });
      worker.on('error', () => {});
      cleanUp(t, () => worker.close(true));
      return worker;
    },
    takeOver() {
      const askForWalk = async () => {
        walksAsked += 1;
      };
      const earlierRelease = takeOverEarlierRelease({ redis: connection, askForWalk, logger: log.logger });
      cleanUp(t, async () => earlierRelease.close());
      return earlierRelease;
    },
    /** This release's worker, which finds in `sent`, as in Stripe's record, what is not due any more. */
    startHere(isElsewhere: (id: string) => Promise<boolean>) {
      const outbox = {
        findDue: async (job: MailJob) => (sent.has(mailJobId(job)) ? undefined : job),
        now: () => new Date(),
        markSent: async (job: MailJob) => void sent.add(mailJobId(job)),
      };
      return startTestWorker(t, { redis, mailServer, log, outbox, isElsewhere }).worker;
    },
    sent,
  };
}

type World = Awaited<ReturnType<typeof open>>;

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(10);
}

const counts = ({ there, here }: World) =>
  Promise.all(
    [there, here].map((queue) =>
      queue.getJobCounts('wait', 'prioritized', 'delayed', 'failed', 'completed', 'active'),
    ),
  );
const MOVED = 'Letters of an earlier release were moved';

describe('letters that release 0.1 left under its prefix', () => {
  test('R5.1 are moved to this release as they are: waiting, prioritised, delayed, failed, sent', async (t) => {
    const world = await open(t);
    const { there, here, add } = world;
    let tried = 0;
    const worker = world.startThere(async ({ data }) => {
      tried += 1;
      if (data.kind === 'welcome') return SENT_AT;
      throw new Error('No such mailbox');
    });
    await add(there, letter('welcome'));
    await there.add('office-paid', letter('office-paid'), {
      ...MAIL_JOB_OPTIONS,
      attempts: 1,
      ...queuedAs(letter('office-paid')),
    });
    await add(there, letter('balance-notice'));
    await until(async () => tried === 3 && (await there.getActiveCount()) === 0);
    await worker.close();
    await add(there, letter('registration-received'));
    await add(there, letter('office-notice'));
    await add(there, letter('way-in'));
    await there.pause();
    world.takeOver();
    await world.log.until(MOVED);
    const none = { wait: 0, prioritized: 0, delayed: 0, failed: 0, completed: 0, active: 0 };
    assert.deepEqual(await counts(world), [
      none,
      { wait: 2, prioritized: 1, delayed: 1, failed: 1, completed: 1, active: 0 },
    ]);
    assert.ok(await here.isPaused());
    const failed = await here.getJob(mailJobId(letter('office-paid')));
    assert.deepEqual([failed?.failedReason, failed?.attemptsMade], ['No such mailbox', 1]);
    assert.equal((await here.getJob(mailJobId(letter('welcome'))))?.returnvalue, SENT_AT);
    assert.equal((await here.getJob(mailJobId(letter('balance-notice'))))?.attemptsMade, 1);
    assert.equal(await there.getJob(mailJobId(letter('registration-received'))), undefined);
  });

  test('R5.1 are sent by this release, in order, each once, even if this release queued them too', async (t) => {
    const { there, here, add, mailServer, takeOver, startHere, log } = await open(t);
    await add(there, letter('way-in'));
    await add(there, letter('registration-received'));
    await add(there, letter('office-notice'));
    await add(here, letter('office-notice'));
    startHere(takeOver().has);
    await log.until('Mail recorded as sent', 3);
    await add(there, letter('welcome'));
    await log.until('Mail recorded as sent', 4);
    await until(async () => (await there.count()) === 0);
    assert.equal(mailServer.mails.length, 4);
  });

  test('R5.1 and sent without recording that are recorded, and not sent again', async (t) => {
    const world = await open(t);
    const { there, here, add } = world;
    const worker = world.startThere(async () => SENT_AT);
    await add(there, letter('welcome'));
    await once(worker, 'completed');
    await worker.close();
    // This release's walk found the letter owed.
    await add(here, letter('welcome'));
    world.startHere(world.takeOver().has);
    await world.log.until(MOVED);
    const marked: unknown[] = [];
    const markSent = async (_: MailJob, at: Date) => void marked.push(at.toISOString());
    assert.equal(await recordIfSent(letter('welcome'), new Date(), { markSent }, here), 'recorded');
    assert.deepEqual(marked, [SENT_AT]);
    assert.equal(world.mailServer.mails.length, 0);
    assert.deepEqual((await counts(world))[1]?.completed, 1);
  });

  test('R5.1 are not sent by this release while a worker of that release is sending them', async (t) => {
    const world = await open(t);
    const { there, here, add, sent } = world;
    const mailServer = new EventEmitter();
    const worker = world.startThere(async ({ data }) => {
      await once(mailServer, 'answer');
      sent.add(mailJobId(data));
      return SENT_AT;
    });
    const taken = once(worker, 'active');
    await add(there, letter('welcome'));
    await taken;
    await add(here, letter('welcome'));
    world.startHere(world.takeOver().has);
    await until(async () => (await here.getDelayedCount()) === 1);
    mailServer.emit('answer');
    await world.log.until(MOVED);
    await until(async () => (await there.getJob(mailJobId(letter('welcome')))) === undefined);
    assert.equal(world.mailServer.mails.length, 0);
    assert.equal(await here.getJobState(mailJobId(letter('welcome'))), 'completed');
  });

  test('R5.1 are sent by this release if their worker was killed', async (t) => {
    const { there, add, connection, mailServer, takeOver, startHere } = await open(t);
    await add(there, letter('welcome'));
    // The job's state once its lock has expired.
    await connection.lmove('bull:mail:wait', 'bull:mail:active', 'RIGHT', 'LEFT');
    startHere(takeOver().has);
    await mailServer.nextMail();
  });
});

describe('beside workers and apps of release 0.1', () => {
  test('R5.1 workers of that release take no letters while this release runs, and continue when it has stopped', async (t) => {
    const { there, add, takeOver, connection, startThere, log } = await open(t);
    const earlierRelease = takeOver();
    await until(async () => (await connection.exists('bull:mail:limiter')) === 1);
    const worker = startThere(async () => SENT_AT);
    await add(there, letter('registration-received'));
    await log.until(MOVED);
    assert.equal(await there.getCompletedCount(), 0);
    await worker.close(true);
    earlierRelease.close();
    // Simulates that ten seconds pass.
    await until(async () => (await connection.del('bull:mail:limiter')) === 1);
    const sent = once(
      startThere(async () => SENT_AT),
      'completed',
    );
    await add(there, letter('office-notice'));
    await sent;
  });

  test('R5.1 a walk that an app of that release requests is done by this release, and that release’s schedule ends', async (t) => {
    const { walksThere, takeOver, walksAsked, connection } = await open(t);
    await walksThere.upsertJobScheduler('walk', { every: 60_000 }, { name: 'walk' });
    await walksThere.add(WALK_NOW, null, WALK_NOW_OPTIONS);
    takeOver();
    await until(async () => walksAsked() === 1);
    assert.equal(await walksThere.getJobSchedulersCount(), 0);
    assert.equal(await walksThere.count(), 0);
    await walksThere.add(WALK_NOW, null, WALK_NOW_OPTIONS);
    await until(async () => walksAsked() === 2);
    // A worker of release 0.1 was killed while it walked.
    const killed = new Worker(WALK_QUEUE_NAME, undefined, { connection, prefix: 'bull' });
    cleanUp(t, () => killed.close(true));
    await walksThere.add(WALK_NOW, null, WALK_NOW_OPTIONS);
    const job = await killed.getNextJob('token');
    if (job) await connection.del(`bull:mail-sweep:${job.id}:lock`);
    await until(async () => walksAsked() === 3);
    await walksThere.add(WALK_NOW, null, WALK_NOW_OPTIONS);
    await until(async () => walksAsked() === 4);
  });

  test('R5.1 the personal data and counts that release stored are gone a day later', async (t) => {
    const { there, add, takeOver, connection, log } = await open(t);
    const former = [`register:${facts.id}`, `waiting:${facts.id}`];
    for (const key of former) await connection.hset(key, 'pi_1', 'Wilma');
    await connection.pexpire(former[0] ?? '', 60 * DAY_MS);
    await connection.set('register:turn', '1');
    await add(there, letter('welcome'));
    takeOver();
    await log.until(MOVED);
    for (const key of await connection.keys('*')) {
      if (key.startsWith('{bull}')) continue;
      const leftMs = await connection.pttl(key);
      assert.ok(leftMs > 0 && leftMs <= DAY_MS, `${key} ${leftMs}`);
    }
  });

  test('a Redis that release 0.1 never used stays unchanged', async (t) => {
    const { there, here, walksThere, takeOver, connection, log } = await open(t);
    await Promise.all([there.obliterate(), here.obliterate(), walksThere.obliterate()]);
    await connection.flushall();
    const looks = t.mock.method(connection, 'exists');
    takeOver();
    await until(async () => looks.mock.callCount() >= 4);
    assert.deepEqual(await connection.keys('*'), []);
    assert.doesNotMatch(log.text(), /could not be moved/);
  });
});
