import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manyRegistrations } from '#server/testing/many-registrations.ts';
import { putOnRecord } from '#server/testing/recorded-registrations.ts';
import { LIST_TIMES, startOffice } from '#server/testing/test-office-pages.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { createRegistrationIndex } from './registration-index.ts';

const NOW = new Date('2025-12-15T12:00:00-08:00');
const COUNT = 2_000;
/** The event loop takes more turns than this while all are read: visitors' pages come from the same process. */
const FIRST_TURNS = 60;

/** The number of turns that the event loop takes while some work is done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  await work().finally(() => {
    isOver = true;
  });
  return turns;
}

test(`${COUNT} registrations are read in small portions, and listed and exported completely`, async (t) => {
  const now = () => NOW;
  const office = await startOffice(t, { now });
  const { registrationList, letterLog, queue: mailQueue } = office;
  await putOnRecord(office.database, manyRegistrations(COUNT, NOW));
  const url = await office.serve();
  const get = async (path: string) => (await fetch(url + path)).text();
  const times = { ...LIST_TIMES, unusedMs: 0 };
  const turns = await turnsDuring(() =>
    createRegistrationIndex({ registrationList, mailQueue, letterLog, now, times }).list(edition),
  );
  assert.ok(turns > FIRST_TURNS, `only ${turns} turns`);
  assert.match(await get('/office'), /1–50 of 2,000/);
  assert.equal((await get('/office/registrations.csv')).split('\r\n').length, COUNT + 2);
});
