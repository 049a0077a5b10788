import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { watchEventLoop } from '#server/testing/reading-time.ts';
import {
  engines,
  insertRegistrations,
  occupy,
  openTestDatabase,
  registerAway,
  registrations,
  testDatabase,
  testDatabaseUrl,
} from '#server/testing/test-database.ts';

const WRITES = 20;
const PROCESSES = 3;

/** Opens the database for the first time, and adds its own rows. */
const PROGRAM = `
import { openDatabase } from '#server/database/database.ts';
import { insertRegistrations } from '#server/testing/test-database.ts';
const [url, name] = process.argv.slice(1);
const database = openDatabase(url);
await Promise.all(Array.from({ length: ${WRITES} }, (_, at) => insertRegistrations(database, name + ' ' + at)));
await database.close();
`;

for (const engine of engines) {
  describe(`the register's database on ${engine}, used by several processes`, () => {
    test('they make its tables once, and all of them write', async (t) => {
      const url = await testDatabaseUrl(t, engine, 'empty');
      const run = (name: string) =>
        promisify(execFile)(process.execPath, [
          '--import',
          'tsx',
          '--input-type',
          'module',
          '--eval',
          PROGRAM,
          url,
          name,
        ]);
      await Promise.all(Array.from({ length: PROCESSES }, (_, at) => run(`process ${at}`)));
      assert.equal((await registrations(openTestDatabase(t, url))).length, PROCESSES * WRITES);
    });

    test('locked for longer than a visitor waits: away for all in time, and it goes on afterwards', async (t) => {
      const { database, url } = await testDatabase(t, engine);
      const leave = await occupy(t, openTestDatabase(t, url));
      const standstill = watchEventLoop(t);
      const from = performance.now();
      const names = Array.from({ length: 10 }, (_, at) => `person ${at}`);
      const attempts = await Promise.allSettled(names.map((name) => insertRegistrations(database, name)));
      const took = performance.now() - from;
      for (const attempt of attempts) {
        assert.equal(attempt.status, 'rejected');
        registerAway(/locked|lock timeout|timeout exceeded/)(attempt.reason);
      }
      assert.ok(took > 4_500 && took < 11_000, `It took ${took} ms`);
      assert.ok(standstill() < 0.5, 'The event loop stood still most of the time');
      await leave();
      await insertRegistrations(database, 'one');
      assert.deepEqual(await registrations(database), ['one']);
    });
  });
}
