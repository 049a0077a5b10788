import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { manyRegistrations } from '#server/testing/many-registrations.ts';
import { serveOfficeList, startOfficeList } from '#server/testing/test-office-list.ts';

/** Nearly all of them still owe their balance, which takes longest to work out. */
const NOW = new Date('2025-12-15T12:00:00-08:00');
const COUNT = 10_000;

/** See the README of this folder's parent. */
const LIST_MS = 200;
const SEARCH_MS = 300;
const CSV_MS = 2000;
const COLD_MS = 2500;
/** The longest that somebody else waits. */
const TURN_MS = 100;

describe(`${COUNT} registrations`, () => {
  const clock = { now: NOW };
  const start = async (t: TestContext) => {
    const office = await startOfficeList(t, { now: () => clock.now });
    const { readModel } = office;
    await readModel.rebuild(await readModel.takeTurn(), manyRegistrations(COUNT, NOW));
    const url = await serveOfficeList(t, office);
    const take = async (path: string) => {
      const begin = performance.now();
      const answer = await fetch(url + path);
      const text = await answer.text();
      assert.equal(answer.status, 200);
      return { text, ms: performance.now() - begin };
    };
    /** Of some the fastest counts: the others were disturbed. */
    const fastest = async (path: string) => {
      const times: number[] = [];
      for (let round = 0; round < 5; round += 1) times.push((await take(path)).ms);
      return Math.min(...times);
    };
    return { take, fastest };
  };

  test('are listed, searched and taken out within their budgets', async (t) => {
    const { take, fastest } = await start(t);
    const gaps: number[] = [];
    let last = performance.now();
    const watch = setInterval(() => {
      gaps.push(performance.now() - last);
      last = performance.now();
    }, 1);
    const cold = await take('/office');
    clearInterval(watch);
    const longest = Math.max(...gaps);
    assert.match(cold.text, /1–50 of 10,000/);
    const list = await fastest('/office');
    const page = await fastest('/office?page=150&show=due');
    const search = await fastest('/office?search=muller+anna');
    clock.now = new Date(NOW.getTime() + 60_000);
    const nextMinute = await take('/office');
    const csv = await take('/office/registrations.csv');
    assert.equal(csv.text.split('\r\n').length, COUNT + 2);
    const times = { cold: cold.ms, longest, list, page, search, nextMinute: nextMinute.ms, csv: csv.ms };
    t.diagnostic(
      JSON.stringify(times, (_, value) => (typeof value === 'number' ? Math.round(value) : value)),
    );
    assert.ok(cold.ms < COLD_MS && longest < TURN_MS, 'the first list');
    assert.ok(list < LIST_MS && page < LIST_MS, 'the list');
    assert.ok(nextMinute.ms < 2 * LIST_MS, 'the list of another minute');
    assert.ok(search < SEARCH_MS, 'a search');
    assert.ok(csv.ms < CSV_MS, 'the spreadsheet');
  });
});
