import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { manyRegistrations } from '#server/testing/many-registrations.ts';
import { serveOfficeList, startOfficeList } from '#server/testing/test-office-list.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { createRegistrationIndex } from './registration-index.ts';

/** Nearly all of them still owe their balance, which takes longest to work out. */
const NOW = new Date('2025-12-15T12:00:00-08:00');
const COUNT = 10_000;

/** The budgets in the README of the office. */
const LIST_MS = 200;
const SEARCH_MS = 300;
const CSV_MS = 2000;
/** Until all are read and parsed. */
const FIRST_MS = 1500;
/** In 19 of 20 turns of the event loop meanwhile: visitors' pages come from the same process. */
const TURN_MS = 10;

/** Of so many rounds the fastest counts: the others were disturbed. */
const ROUNDS = 20;

/** The fastest of some rounds, or the first that is within a budget. */
async function fastest(budgetMs: number, measure: () => Promise<number>): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && leastMs > budgetMs; round += 1) {
    leastMs = Math.min(leastMs, await measure());
    console.error(budgetMs, leastMs);
  }
  return leastMs;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** How long 19 of 20 turns of the event loop take at most while something is done. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  const turns: number[] = [];
  let last = performance.now();
  const look = (): void => {
    turns.push(performance.now() - last);
    last = performance.now();
  };
  const watch = setInterval(look, 1);
  await work();
  clearInterval(watch);
  return turns.toSorted((one, other) => other - one)[Math.floor(turns.length / 20)] ?? 0;
}

describe(`${COUNT} registrations`, () => {
  test('are read, listed, searched and taken out within their budgets', async (t) => {
    const office = await startOfficeList(t, { now: () => NOW });
    const { readModel, queue: mailQueue } = office;
    await readModel.rebuild(await readModel.takeTurn(), manyRegistrations(COUNT, NOW));
    const readAll = () => createRegistrationIndex({ readModel, mailQueue, now: () => NOW }).list(edition);
    const url = await serveOfficeList(t, office);
    const get = async (path: string) => (await fetch(url + path)).text();
    const timeToGet = (budgetMs: number, path: string) => fastest(budgetMs, () => timeOf(() => get(path)));
    assert.match(await get('/office'), /1–50 of 10,000/);
    assert.equal((await get('/office/registrations.csv')).split('\r\n').length, COUNT + 2);
    console.error('a');
    const budgets = {
      first: [FIRST_MS, await fastest(FIRST_MS, () => timeOf(readAll))],
      turn: [TURN_MS, await fastest(TURN_MS, () => turnsDuring(readAll))],
      list: [LIST_MS, await timeToGet(LIST_MS, '/office')],
      page: [LIST_MS, await timeToGet(LIST_MS, '/office?page=150&show=due')],
      search: [SEARCH_MS, await timeToGet(SEARCH_MS, '/office?search=muller+anna')],
      csv: [CSV_MS, await timeToGet(CSV_MS, '/office/registrations.csv')],
    } as const;
    for (const [what, [mostMs, ms]] of Object.entries(budgets)) {
      t.diagnostic(`${what}: ${ms.toFixed(0)} ms of ${mostMs}`);
      assert.ok(ms <= mostMs, `${what}: ${ms.toFixed(0)} ms, not ${mostMs} at most`);
    }
  });
});
