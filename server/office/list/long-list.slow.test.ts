import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refreshIndex } from '#server/register/registration-index.ts';
import { putOnRecord } from '#server/testing/recorded-registrations.ts';
import { startOffice } from '#server/testing/test-office.ts';
import { manyRegistrations } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';

const NOW = new Date('2025-12-15T12:00:00-08:00');
const COUNT = 2_000;
/** The event loop takes at least so many turns while all are looked at: visitors' pages come from the same process. */
const FIRST_TURNS = COUNT / 50;

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

test(`${COUNT} registrations are looked at in small portions, and listed and exported completely`, async (t) => {
  const office = await startOffice(t, { now: () => NOW });
  await putOnRecord(office.database, manyRegistrations(COUNT, NOW));
  const url = await office.serve();
  const get = async (path: string) => (await fetch(url + path)).text();
  const turns = await turnsDuring(() => refreshIndex(office.database, edition.facts, NOW));
  assert.ok(turns >= FIRST_TURNS, `only ${turns} turns`);
  assert.match(await get('/office'), /1–50 of 2,000/);
  assert.equal((await get('/office/registrations.csv')).split('\r\n').length, COUNT + 2);
});
