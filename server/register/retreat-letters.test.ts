import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DUE } from '#server/testing/test-charges.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

const { facts, timetable } = edition;
const { testSession, wayIn } = timetable.letters;
const NOTICE = new Date(facts.balance.noticeAt);
const ENDS = new Date(facts.endsAt);

describe('the letters during the retreat, sent', () => {
  test('on time, each once, even if Redis loses everything in between', async (t) => {
    const { register, work, sendAll, at, connection } = await startMailing(t);
    await register();
    await work();
    assert.deepEqual(await sendAll(), ['office-paid', 'welcome']);
    for (const moment of [NOTICE, DUE]) await at(moment);
    const moments = [
      [testSession, 'test-session'],
      ...wayIn.map(({ at: moment }) => [moment, 'way-in'] as const),
    ] as const;
    for (const [moment, kind] of moments) {
      assert.deepEqual(await at(new Date(moment)), [kind], moment);
      await connection.flushall();
      assert.deepEqual(await at(new Date(moment)), [], moment);
    }
    assert.deepEqual(await at(ENDS), []);
  });
});
