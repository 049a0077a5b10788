import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runSupport } from '#server/testing/processes.ts';
import {
  closedRegister,
  insertRegistrations,
  openTestDatabase,
  testDatabaseUrl,
} from '#server/testing/test-database.ts';

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
