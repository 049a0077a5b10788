import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { findFreePort } from '#scripts/product/ports.ts';
import { MAIL_JOB_OPTIONS } from '#server/mail/job.ts';
import { readActs } from '#server/record/acts.ts';
import { queueOn } from '#server/redis/connect-redis.ts';
import { DUE_WORK_QUEUE_NAME } from '#server/register/due-work-queue.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { runNode, runSupport } from '#server/testing/processes.ts';
import {
  closedRegister,
  insertRegistrations,
  openTestDatabase,
  testDatabaseUrl,
} from '#server/testing/test-database.ts';
import { startSupport } from '#server/testing/test-mailing.ts';
import { testRedis } from '#server/testing/test-redis.ts';

const NOWHERE = { REDIS_URL: 'redis://127.0.0.1:1' };

describe('support’s command line', () => {
  test('R5.4 wrong usage prints one sentence and the usage, and exits with 2', async () => {
    const wrong = [
      [[], 'A command is missing.'],
      [['drop'], 'There is no command drop.'],
      [['list', 'all'], 'This command takes no more words.'],
      [['list', '--failed', '--sent'], 'Only one of --failed and --sent at a time.'],
      [['list', '--limit', '0'], '--limit needs a whole number above 0.'],
      [['list', '--faild'], "Unknown option '--faild'"],
      [['show'], 'This command needs ID.'],
      [['retry', 'x', '--all'], 'This command takes no more words.'],
      [['resend', 'pi_1'], 'This command needs PAYMENT_INTENT and KIND.'],
      [
        ['resend', 'pi_1', 'bill'],
        'KIND is one of registration-received, office-notice, office-change, welcome, second-payment, office-paid, ',
      ],
    ] as const;
    await Promise.all(
      wrong.map(async ([words, sentence]) => {
        const { code, out, err } = await runSupport(NOWHERE, ...words);
        assert.deepEqual([code, out], [2, '']);
        assert.ok(err.startsWith(sentence), err);
        assert.match(err, /\n\nUsage: support COMMAND …/);
      }),
    );
  });

  test('R5.4 help succeeds without Redis', async () => {
    const { code, out, err } = await runSupport({}, '--help');
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^Usage:/);
  });

  test('R5.4 needs only the address of Redis from the environment', async () => {
    const [missing, wrong] = await Promise.all([
      runSupport({}, 'list'),
      runSupport({ REDIS_URL: 'http://redis' }, 'list'),
    ]);
    assert.equal(missing.err, 'REDIS_URL is missing: the address of Redis, such as redis://redis:6379.\n');
    assert.equal(wrong.err, 'REDIS_URL must be the address of Redis, such as redis://redis:6379.\n');
    assert.deepEqual([missing.code, wrong.code], [1, 1]);
  });

  test('R5.4 says so when Redis is away, without its password', async () => {
    const port = await findFreePort();
    const { code, out, err } = await runSupport({ REDIS_URL: `redis://:hush@127.0.0.1:${port}` }, 'list');
    assert.deepEqual([code, out], [5, '']);
    assert.match(err, new RegExp(`^Redis at 127\\.0\\.0\\.1:${port} cannot be used: .*ECONNREFUSED`));
    assert.doesNotMatch(err, /hush/);
  });

  test('R5.4 does not wait for a Redis that hangs', async (t) => {
    const redis = await testRedis(t);
    process.kill(redis.pid(), 'SIGSTOP');
    try {
      const { code, err } = await runSupport({ REDIS_URL: redis.url }, 'list');
      assert.equal(code, 5);
      assert.match(err, /No answer within 2000 ms\.$/m);
    } finally {
      process.kill(redis.pid(), 'SIGCONT');
    }
  });

  test('R5.4 npm run support finds the Redis of npm start', async (t) => {
    const { port } = new URL((await testRedis(t)).url);
    const run = (env: NodeJS.ProcessEnv) =>
      runNode(['--import', 'tsx', 'scripts/start/support.ts', 'support', 'list', '--sent'], env);
    const [found, chosen] = await Promise.all([
      run({ REDIS_PORT: port }),
      run({ REDIS_PORT: port, REDIS_URL: NOWHERE.REDIS_URL }),
    ]);
    assert.deepEqual(found, { code: 0, out: '0 sent\n', err: '' });
    assert.equal(chosen.code, 5);
  });

  test('R5.4 requests due work, once however often it is asked, and marks a payment as looked at', async (t) => {
    const { run, redis, stripe, database } = await startSupport(t);
    for (let time = 0; time < 2; time += 1) {
      const { code, out } = await run('walk');
      assert.deepEqual(
        [code, out],
        [0, 'The worker will read Stripe, and do what is due, as soon as it can.\n'],
      );
    }
    const connection = new Redis(redis.url);
    cleanUp(t, async () => connection.disconnect());
    assert.equal(await new Queue(DUE_WORK_QUEUE_NAME, queueOn(connection)).count(), 1);
    const { id } = await stripe.paymentIntents.create({ amount: 100, currency: 'usd' });
    const { code, out } = await run('looked-at', id);
    assert.deepEqual(
      [code, out],
      [0, 'This payment is marked as looked at and will not be reported again.\n'],
    );
    const acts = await database.read((transaction) => readActs(transaction, id));
    assert.deepEqual(
      acts.map(({ kind, byWhom }) => [kind, byWhom]),
      [['looked-at', 'support']],
    );
  });

  test('R5.4 lists and shows a job of a letter that is not on record', async (t) => {
    const { run, mailQueue } = await startSupport(t);
    await mailQueue.bullQueue.add('foreign', null, { ...MAIL_JOB_OPTIONS, jobId: 'foreign' });
    const [list, show] = await Promise.all([run('list'), run('show', 'foreign')]);
    assert.match(list.out, /^foreign +not on record +– +waiting +0\/108/m);
    assert.match(show.out, /^Kind +not on record$/m);
  });

  test('R5.4 says so if a mail does not exist', async (t) => {
    const { run } = await startSupport(t);
    const [unknown, otherKey] = await Promise.all([run('show', 'welcome-\u001b[31mx'), run('show', 'meta')]);
    assert.deepEqual(unknown, { code: 3, out: '', err: 'There is no mail welcome-x in the queue.\n' });
    assert.deepEqual(otherKey, { code: 3, out: '', err: 'There is no mail meta in the queue.\n' });
  });
});

describe('support moves the register', () => {
  test('says how much was moved, and records once who did it, also when it is run again', async (t) => {
    const DATABASE_URL = await closedRegister(t, (database) => insertRegistrations(database, 'one', 'two'));
    const to = await testDatabaseUrl(t, 'postgres', 'empty');
    const move = () => runSupport({ DATABASE_URL }, 'move-register', '--to', to, '--by', 'Ada');
    const { code, out, err } = await move();
    assert.deepEqual([code, err], [0, '']);
    assert.match(
      out,
      /row by row:\nregister +1\nregistrations +2\n[\s\S]*\nRecorded for Ada\.\nNow let DATABASE_URL/,
    );
    // It may have been killed after the last commit but one.
    const again = await move();
    assert.deepEqual([again.code, again.err], [0, '']);
    const { name, acts } = await openTestDatabase(t, to).read(async (transaction) => ({
      ...(await transaction.selectFrom('register').select('name').executeTakeFirstOrThrow()),
      acts: await transaction.selectFrom('acts').select(['kind', 'subject', 'byWhom']).execute(),
    }));
    assert.deepEqual(acts, [{ kind: 'moved', subject: name, byWhom: 'Ada' }]);
  });

  test('refuses what is no move from a file to PostgreSQL', async () => {
    const move = (DATABASE_URL: string, to: string) =>
      runSupport({ DATABASE_URL }, 'move-register', '--to', to, '--by', 'Ada');
    const file = 'file:/nowhere/register.sqlite';
    const server = 'postgresql://user@host/name?sslmode=verify-full';
    const refused = await Promise.all([move(file, file), move(server, server)]);
    assert.deepEqual(
      refused.map(({ code, err }) => [code, err.split('\n', 1)[0]]),
      [
        [2, `--to must be the empty database, such as ${server}.`],
        [4, 'DATABASE_URL must name the file in which the register is.'],
      ],
    );
  });
});
