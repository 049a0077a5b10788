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
    const { register, walk, sendAll, at, connection } = await startMailing(t);
    await register();
    await walk();
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

  test('with what is true when each is written: that she owes the balance, or that her page links to the room', async (t) => {
    const { register, walk, sendAll, at, mailServer, payments, find, now } = await startMailing(t);
    const id = await register({ consents: false });
    await walk();
    await sendAll();
    const last = () => mailServer.parsed.findLast(({ subject }) => subject?.startsWith('The way into'))?.text;
    const [eve, first] = wayIn.map(({ at: moment }) => new Date(moment));
    assert.ok(eve && first);
    assert.ok((await at(eve)).includes('way-in'));
    assert.match(last() ?? '', /one thing is left: your balance/);
    const received = { at: now(), by: 'Anna', cents: 70_000, receivedAt: now() };
    await payments.decide(await find(id), 'check', received);
    assert.deepEqual(await at(new Date(eve.getTime() + 60_000)), ['balance-paid'], 'there is one a day');
    assert.deepEqual(await at(first), ['way-in']);
    assert.match(last() ?? '', /Your own page leads to the room/);
    assert.doesNotMatch(last() ?? '', /is left/);
  });

  test('to a registrant who pays her deposit during it: first the welcome, then the way in of that day only', async (t) => {
    const { register, walk, sendAll, moveTo } = await startMailing(t);
    moveTo(new Date('2026-01-23T10:00-08:00'));
    await register();
    await walk();
    const toHer = (kinds: string[]) => kinds.filter((kind) => !kind.startsWith('office-'));
    const welcomed = toHer(await sendAll());
    assert.ok(welcomed.includes('welcome') && !welcomed.includes('way-in'), welcomed.join());
    await walk();
    assert.deepEqual(toHer(await sendAll()), ['way-in']);
    await walk();
    assert.deepEqual(toHer(await sendAll()), []);
  });
});
