import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type GroupServer, startRedisCluster } from '#scripts/product/redis.ts';
import { jobsOfPayment } from '#server/acts/mail-jobs.ts';
import type { RedisSettings } from '#server/config/redis-settings.ts';
import { createLooker } from '#server/office/status/look.ts';
import { dueWorkBy } from '#server/register/due-work-queue.ts';
import { runCommand } from '#server/support/run-command.ts';
import { cleanUp, testFolder } from '#server/testing/clean-up.ts';
import { prepareAppProcesses } from '#server/testing/processes.ts';
import { type Post, startMailServer, startPost } from '#server/testing/test-mailing.ts';
import { registerProbe } from '#server/testing/test-office.ts';
import { register, startFullSite, submitContact } from '#server/testing/test-site.ts';
import { QUEUE_PREFIX } from './connect-redis.ts';

/**
 * Closing a worker does not end its blocking connection while that searches for its cluster: ioredis never emits
 * `end`, and BullMQ waits for it with a running timer. The worker's own process gives up after `CLOSE_TIMEOUT_MS`
 * and exits; the process of these tests exits this long after the last test.
 */
const EXIT_AFTER_MS = 3_000;
/** Two letters for each registration that is begun. */
const LETTERS = 2;
/** How long each visitor waits before she registers once more: the failover is to be met, not the machine to be full. */
const BETWEEN_MS = 100;
const LOOK_EVERY_MS = 10;
const MANY = { RATE_LIMIT_PER_ADDRESS: '10000', RATE_LIMIT_OVERALL: '100000' };

/** Three masters, each with a replica, as one cluster for one test. */
async function testCluster(t: TestContext) {
  const cluster = await startRedisCluster(await testFolder(t, 'redis-cluster'));
  cleanUp(t, cluster.close);
  const nodes = cluster.servers.map(({ port }) => ({ host: '127.0.0.1', port }));
  const settings: RedisSettings = { kind: 'cluster', nodes: nodes.slice(0, 2), access: {} };
  const notAtOnce = () => Promise.reject(new Error('A cluster has servers: stop and start one of them.'));
  const url = `redis://127.0.0.1:${nodes[0]?.port}`;
  return { cluster, url, settings, pid: () => 0, start: notAtOnce, stop: notAtOnce };
}

/** Keeps registering new people, two at a time, until `end`, which returns their payments. */
function startVisits({ app }: Post) {
  let isOver = false;
  const intents: string[] = [];
  const problems: string[] = [];
  const visit = async (): Promise<void> => {
    while (!isOver) {
      const key = randomBytes(16).toString('hex');
      const answer = await submitContact(app, { email: `${key}@visitors.example` }, key);
      if (answer.status !== 200) problems.push(`${answer.status} ${answer.text}`);
      else intents.push(String(answer.body.paymentIntentClientSecret).split('_secret_')[0] ?? '');
      await delay(BETWEEN_MS);
    }
  };
  const visits = [visit(), visit()];
  return {
    intents,
    async until(count: number) {
      const wanted = intents.length + count;
      while (intents.length < wanted) await delay(LOOK_EVERY_MS);
    },
    async end() {
      isOver = true;
      await Promise.all(visits);
      assert.deepEqual(problems, []);
      return intents;
    },
  };
}

/** Waits for two letters for each registration, and checks that none came twice. */
async function assertAllArrive(post: Post, intents: readonly string[]): Promise<void> {
  // Letters that could not be queued in time are left to the worker, which looks each minute.
  await dueWorkBy(post.connection, post.log.logger)();
  while (post.mailServer.parsed.length < intents.length * LETTERS) await post.mailServer.nextMail();
  const ids = post.mailServer.parsed.map(({ messageId = '' }) => messageId);
  assert.equal(new Set(ids).size, ids.length, 'no letter came twice');
  assert.equal(ids.length, intents.length * LETTERS);
}

/** What the operators' guide grants a user on a cluster. */
async function documentedRights(): Promise<string[]> {
  const readme = await readFile(new URL('../ops/redis.md', import.meta.url), 'utf8');
  const [, rights] = /^ACL SETUSER retreat on >PASSWORD (.+)$/m.exec(readme) ?? [];
  const [more] = /(?:\+cluster\|\w+ ?)+/.exec(readme) ?? [];
  assert.ok(rights && more);
  return `${rights} ${more}`.trim().split(' ');
}

/** Checks that what support and the office look at can be read. */
async function assertOfficeSees(
  { mailQueue, letterLog, connection, payments, database }: Post,
  intents: readonly string[],
) {
  const { look, close } = createLooker(
    { redis: connection, mailQueue, payments, registerProbe, database, now: () => new Date() },
    () => new Date(),
  );
  const { inRedis } = await look();
  close();
  assert.ok(inRedis?.mails);
  assert.equal(inRedis.workers, 1);
  const jobs = await jobsOfPayment(
    { queue: mailQueue.bullQueue, redis: connection, openLetterLog: async () => letterLog },
    intents[0] ?? '',
  );
  assert.equal(jobs.length, LETTERS);
}

/** Counts how often the worker begins to catch up with Stripe, as it does when Redis is back. */
function watchCatchUps({ payments }: Post) {
  let begun = 0;
  const register: Post['payments'] = {
    ...payments,
    catchUp(now) {
      begun += 1;
      return payments.catchUp(now);
    },
  };
  return { register, begun: () => begun };
}

describe('on a cluster of three masters', () => {
  after(() => {
    setTimeout(() => process.exit(), EXIT_AFTER_MS).unref();
  });

  test('every script of the product finds its keys in one slot', async (t) => {
    const redis = await testCluster(t);
    const site = await startFullSite(t, { redis, env: MANY });
    await site.join();
    const entry = await site.onlyEntry();
    await site.offer(entry.id);
    assert.doesNotMatch(site.log.text(), /"level":"(?:warn|error)"/);
  });

  test('R5.1 app, worker and support find it by the addresses of some servers', async (t) => {
    const redis = await testCluster(t);
    const [some] = redis.cluster.servers;
    const user = { REDIS_USERNAME: 'retreat', REDIS_PASSWORD: 'secret-of-a-test' };
    const rights = await documentedRights();
    for (const { redis: server } of redis.cluster.servers)
      await server.call('ACL', 'SETUSER', user.REDIS_USERNAME, 'on', `>${user.REDIS_PASSWORD}`, ...rights);
    const mailServer = await startMailServer(t);
    const { start, databaseUrl } = await prepareAppProcesses(t);
    const access = { REDIS_CLUSTER: `127.0.0.1:${some?.port}`, ...user };
    const env = { REDIS_URL: '', ...access, SMTP_URL: mailServer.url };
    const [app] = await Promise.all([start({ env }), start({ name: 'worker', env })]);
    while (!app.lines.some((line) => line.includes('Redis is connected'))) await delay(LOOK_EVERY_MS);
    assert.equal((await register(app.siteUrl)).status, 200);
    while (mailServer.parsed.length < LETTERS) await mailServer.nextMail();
    const told = await runCommand(['list', '--sent', '--json'], { ...access, DATABASE_URL: databaseUrl });
    assert.deepEqual([told.code, told.err], [0, '']);
    assert.match(told.out, /registration-received/);
  });

  test('R5.1 the slot of the queue moves to another master: all register, and each letter comes once', async (t) => {
    const redis = await testCluster(t);
    const post = await startPost(t, { redis, env: MANY });
    post.startWorker();
    const visits = startVisits(post);
    await visits.until(5);
    await assertOfficeSees(post, visits.intents);
    const from = await redis.cluster.ownerOf(QUEUE_PREFIX);
    const to = redis.cluster.servers.slice(0, 3).find((server) => server !== from);
    assert.ok(to);
    const moved = await redis.cluster.moveSlot(QUEUE_PREFIX, to);
    assert.ok(moved > 20, `${moved} keys`);
    assert.equal(await redis.cluster.ownerOf(QUEUE_PREFIX), to);
    await visits.until(5);
    await assertAllArrive(post, await visits.end());
  });

  for (const [says, harm] of [
    ['dies', (server: GroupServer) => server.kill()],
    ['hangs', async (server: GroupServer) => server.freeze()],
  ] as const) {
    test(`R5.1 the master of the queue ${says}: its replica takes over, each letter comes once, and the worker catches up`, async (t) => {
      const redis = await testCluster(t);
      const post = await startPost(t, { redis, env: MANY, redisHangs: true });
      const catchUps = watchCatchUps(post);
      for (const _ of [1, 2]) post.startWorker({ payments: catchUps.register });
      const visits = startVisits(post);
      await visits.until(5);
      const lost = await redis.cluster.ownerOf(QUEUE_PREFIX);
      const before = catchUps.begun();
      await harm(lost);
      await visits.until(5);
      await post.log.until('A server of Redis is away');
      while (catchUps.begun() === before) await post.log.next();
      assert.notEqual(await redis.cluster.ownerOf(QUEUE_PREFIX), lost);
      await visits.until(5);
      await assertAllArrive(post, await visits.end());
    });
  }
});
