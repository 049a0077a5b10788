import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daysAfter } from '#server/testing/test-charges.ts';
import { registration } from '#server/testing/test-database.ts';
import { startMailing } from '#server/testing/test-mailing.ts';

/** Rows of one statement: SQLite takes 32,766 values. */
const AT_ONCE = 500;
const REGISTRATIONS = 50_000;
const ROUNDS = 9;
/** CPU time of a minute in which nothing is due, in milliseconds. */
const MOST_MS = 50;

test('a minute in which nothing is due costs under 50 ms, with 50,000 registrations', async (t) => {
  const { database, work, now } = await startMailing(t);
  const nextAt = daysAfter(now(), 1).toISOString();
  await database.write(async (transaction) => {
    for (let made = 0; made < REGISTRATIONS; made += AT_ONCE) {
      const rows = Array.from({ length: AT_ONCE }, (_, index) => {
        const id = `registration ${made + index}`;
        return { ...registration(id), deposit: `pi_${made + index}`, version: made + index, nextAt };
      });
      await transaction.insertInto('registrations').values(rows).execute();
    }
  });
  await work();
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    await work({ catchesUp: false });
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1_000);
  }
  const [median = Number.NaN] = times.toSorted((one, other) => one - other).slice(Math.floor(ROUNDS / 2));
  t.diagnostic(`${median.toFixed(1)} ms`);
  assert.ok(median < MOST_MS, `${median} ms`);
});
