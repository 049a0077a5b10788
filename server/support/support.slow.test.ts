import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { runNode, runSupport } from '#server/testing/processes.ts';
import {
  closedRegister,
  insertRegistrations,
  openTestDatabase,
  testDatabaseUrl,
} from '#server/testing/test-database.ts';
import { testRedis } from '#server/testing/test-redis.ts';

describe('support’s command line', () => {
  test('R5.4 does not wait for a Redis that hangs', async (t) => {
    const redis = await testRedis(t);
    process.kill(redis.pid(), 'SIGSTOP');
    try {
      const { code, err } = await runSupport({ ...leastEnvironment, REDIS_URL: redis.url }, 'mails');
      assert.equal(code, 5);
      assert.match(err, /No answer within 2000 ms\.$/m);
    } finally {
      process.kill(redis.pid(), 'SIGCONT');
    }
  });

  test('R5.4 npm run support finds the Redis of npm start', async (t) => {
    const { port } = new URL((await testRedis(t)).url);
    const DATABASE_URL = await closedRegister(t, async () => {});
    const run = (env: NodeJS.ProcessEnv) =>
      runNode(['--import', 'tsx', 'scripts/start/support.ts', 'support', 'mails', '--sent'], {
        DATABASE_URL,
        REDIS_PORT: port,
        STRIPE_SECRET_KEY: 'sk_test_none',
        ...env,
      });
    const [found, chosen] = await Promise.all([run({}), run({ REDIS_URL: 'redis://127.0.0.1:1' })]);
    assert.deepEqual(found, { code: 0, out: '0 sent\n', err: '' });
    assert.equal(chosen.code, 5);
  });
});

describe('support moves the register', () => {
  test('says how much was moved, and records once who did it, also when it is run again', async (t) => {
    const DATABASE_URL = await closedRegister(t, (database) => insertRegistrations(database, 'one', 'two'));
    const to = await testDatabaseUrl(t, 'postgres', 'empty');
    const move = () => runSupport({ DATABASE_URL }, 'copy', '--to', to, '--by', 'Ada');
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
      runSupport({ DATABASE_URL }, 'copy', '--to', to, '--by', 'Ada');
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
