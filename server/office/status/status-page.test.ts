import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, test } from 'node:test';
import { letter } from '#scripts/world/letters.ts';
import { officePaths } from '#server/office/paths.ts';
import { noteDueWork } from '#server/register/due-work.ts';
import { startMailServer } from '#server/testing/test-mailing.ts';
import { registerProbe, signIn, startTestOffice, startTestStatus } from '#server/testing/test-office.ts';
import { startTestWorker } from '#server/testing/test-queue.ts';
import { submitContact } from '#server/testing/test-site.ts';
import { startStatusRecorder } from './recorder.ts';

/** What a page says, without its markup. */
const textOf = (html: string): string => html.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');

describe('the status page', () => {
  test('all is well: a worker is there and did what was due, Stripe answers', async (t) => {
    const status = await startTestStatus(t);
    const mailServer = await startMailServer(t);
    const { worker } = startTestWorker(t, {
      redis: status.redis,
      mailServer,
      log: status.log,
      outbox: status.outbox,
    });
    const sent = mailServer.nextMail();
    await submitContact(status.app, {}, 'a'.repeat(32)).expect(200);
    await sent;
    await noteDueWork(status.connection, new Date());
    const text = textOf(await status.read());
    assert.match(text, / All is well\. /);
    assert.match(text, /Looked at on .+, Pacific Time\. Look again/);
    assert.equal((await status.standing('The worker')).says, 'It is connected.');

    await worker.close();
    // Redis drops the worker's connections a moment after they are closed.
    while ((await status.standing('The worker')).verdict !== 'down');
    assert.match(textOf(await status.read()), /Down: The worker\..+docker compose restart worker/);
  });

  test('Redis dies and comes back: the page says since when it is down, and then since when it is fine', async (t) => {
    const status = await startTestStatus(t);
    const start = status.now();
    await status.mailQueue.bullQueue.add('old', null, { timestamp: Date.now() - 1_000_000 });
    const before = await status.standing('Redis');
    assert.deepEqual([before.verdict, before.since, before.isAtLeast], ['fine', start, true]);
    assert.equal((await status.standing('Sending mails')).verdict, 'down');

    status.pass(10);
    await status.redis.stop();
    await status.read();
    status.pass(7);
    const { since, isAtLeast } = await status.standing('Redis');
    assert.deepEqual([since.getTime() - start.getTime(), isAtLeast], [600_000, false]);
    const text = textOf(await status.read());
    assert.match(text, /Down: Redis\./);
    assert.match(text, /It does not answer\. Since [^.]+ \(7 min\)\./);
    assert.match(text, /Registrations go on; mails are owed until it is back\./);
    assert.match(text, /docker compose restart redis/);
    assert.equal((await status.standing('Sending mails')).verdict, 'unknown');

    await status.bringRedisBack();
    status.pass(1);
    const back = await status.standing('Redis');
    assert.deepEqual([back.verdict, back.since, back.isAtLeast], ['fine', status.now(), false]);
  });

  test('a part whose state was unknown for a while keeps the time since when it is down', async (t) => {
    const status = await startTestStatus(t);
    const start = status.now();
    await status.mailQueue.bullQueue.pause();
    await status.read();
    await status.redis.stop();
    status.pass(5);
    assert.equal((await status.standing('Sending mails')).verdict, 'unknown');
    await status.bringRedisBack();
    await status.mailQueue.bullQueue.pause();
    status.pass(5);
    const paused = await status.standing('Sending mails');
    assert.deepEqual([paused.verdict, paused.since], ['down', start]);
  });

  test('while Redis hangs it does not wait, the sign-in included, and tells what it knows, and later that Redis is down', async (t) => {
    const { office, redis } = await startTestOffice(t);
    const support = await signIn(office, 'support');
    const read = async () => textOf((await support.get(officePaths.status).expect(200)).text);
    assert.doesNotMatch(await read(), /Down: Redis|slow to answer/);
    process.kill(redis.pid(), 'SIGSTOP');
    try {
      const start = performance.now();
      let text = await read();
      const elapsedMs = performance.now() - start;
      assert.match(text, /Something is slow to answer: this is how things stood at/);
      // It waits for Redis for 200 ms at most; the rest is for a busy machine.
      assert.ok(elapsedMs < 5_000, `${elapsedMs} ms`);
      while (!text.includes('Down: Redis')) text = await read();
      assert.match(text, /It does not answer\. Since/);
    } finally {
      process.kill(redis.pid(), 'SIGCONT');
    }
  });

  test('Redis is away from the start', async (t) => {
    const status = await startTestStatus(t, { redisRunning: false });
    const text = textOf(await status.read());
    assert.match(text, /Down: Redis\./);
    assert.match(text, /It does not answer\. At least since/);
    assert.match(text, /waiting: not known yet/);
    assert.match(text, /whether they go out Too little is known yet to be drawn\./);
  });

  test('sending is paused, and a mail failed for good', async (t) => {
    const status = await startTestStatus(t);
    const mailServer = await startMailServer(t);
    mailServer.refuse({ responseCode: 550, message: 'No such user' });
    const refused = { ...status.outbox, findDue: async () => letter('welcome') };
    const { worker } = startTestWorker(t, {
      redis: status.redis,
      mailServer,
      log: status.log,
      outbox: refused,
    });
    await status.mailQueue.add(letter('welcome'));
    await status.log.until('Mail failed permanently');
    await worker.close();
    await status.mailQueue.bullQueue.pause();
    const html = await status.read();
    assert.match(html, /<a href="\/queues">/);
    const text = textOf(html);
    assert.match(text, /Failed mails look at it 1 mail: somebody has to act\./);
    assert.match(text, /Sending mails down It is paused: somebody did so on the queue’s page\./);
    assert.match(text, /Until then nobody gets a letter, and registrations go on; nothing is lost\./);
    await status.mailQueue.bullQueue.resume();
    assert.equal((await status.standing('Sending mails')).verdict, 'fine');
  });

  test('Stripe fails, then is away, then answers again', async (t) => {
    let isFailing = true;
    const status = await startTestStatus(t, {
      intercept: () => (isFailing ? { kind: 'answer-500', carryOut: false } : undefined),
    });
    assert.equal((await status.standing('Stripe')).verdict, 'unknown');
    await submitContact(status.app, {}, 'a'.repeat(32));
    const failing = await status.standing('Stripe');
    assert.equal(failing.verdict, 'look');
    isFailing = false;
    status.pass(16);
    await submitContact(status.app, {}, 'b'.repeat(32)).expect(200);
    const fine = await status.standing('Stripe');
    assert.deepEqual([fine.verdict, fine.since], ['fine', status.now()]);
    await status.sandbox.close();
    await submitContact(status.app, {}, 'c'.repeat(32)).expect(504);
    assert.match(textOf(await status.read()), /Down: Stripe, .+Nothing needs to be done\./);
  });

  test('the last 24 hours in words: requests, failures and registrations of each minute', async (t) => {
    const status = await startTestStatus(t);
    await submitContact(status.app, {}, 'a'.repeat(32)).expect(200);
    await status.mailQueue.add(letter('welcome'));
    await status.read();
    status.pass(1);
    const text = textOf(await status.read());
    assert.match(text, /requests: now 1, least 1, most 1, in all 1/);
    assert.match(text, /begun: now 1, least 1, most 1, in all 1/);
    assert.match(text, /waiting: now 3, least 3, most 3/);
    assert.match(text, /answers: now 0, least 0, most 0, in all 0/);
  });

  test('its recorder looks by itself, again and again', async (t) => {
    const { connection: redis, mailQueue, database, metrics, log } = await startTestStatus(t);
    const looks = new EventEmitter();
    const isReachable = (): boolean => looks.emit('look');
    const recorder = startStatusRecorder({
      redis,
      mailQueue,
      payments: { isReachable },
      database,
      registerProbe,
      metrics,
      logger: log.logger,
      now: () => new Date(),
      everyMs: 1,
    });
    await once(looks, 'look');
    await once(looks, 'look');
    recorder.close();
  });

  test('contains nothing about the people who registered', async (t) => {
    const status = await startTestStatus(t);
    await submitContact(status.app, { firstName: 'Wilhelmina' }, 'a'.repeat(32)).expect(200);
    assert.doesNotMatch(await status.read(), /Wilhelmina|example\.org/);
  });
});
