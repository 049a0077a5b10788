import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DUE } from '#server/testing/test-charges.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

const { facts, timetable } = edition;
const { testSession, wayIn } = timetable.letters;
const NOTICE = new Date(facts.balance.noticeAt);
const ENDS = new Date(facts.endsAt);
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ROOM = 'https://video.example/room';

describe('the letters during the retreat, sent', () => {
  test('on time, each once, even if Redis loses everything in between', async (t) => {
    const { register, work, sendAll, at, connection, payments, now } = await startMailing(t);
    await register();
    await work();
    assert.deepEqual(await sendAll(), ['office-paid', 'welcome']);
    await payments.announceConfiguredRoom(ROOM, now());
    for (const moment of [NOTICE, DUE]) await at(moment);
    const waysIn = wayIn.map(({ at: moment }) => [moment, 'way-in'] as const);
    for (const [moment, kind] of [[testSession, 'test-session'] as const, ...waysIn]) {
      assert.deepEqual(await at(new Date(moment)), [kind], moment);
      await connection.flushall();
      assert.deepEqual(await at(new Date(moment)), [], moment);
    }
    assert.deepEqual(await at(ENDS), []);
  });

  test('once the office has said where the room is; without it the office is told, and an hour before letters go out', async (t) => {
    const { register, at, payments, mailServer, now } = await startMailing(t);
    await register();
    for (const moment of [NOTICE, DUE]) await at(moment);
    const weekBefore = new Date(Date.parse(testSession) - 7 * DAY_MS);
    assert.deepEqual(await at(new Date(weekBefore.getTime() - 2 * DAY_MS)), []);
    assert.deepEqual(await at(new Date(weekBefore.getTime() + DAY_MS / 4)), ['office-digest']);
    const digest = mailServer.parsed.at(-1)?.text ?? '';
    assert.match(digest, /Nobody has said where the video room is/);
    assert.match(digest, /support announce-room january-2026 URL --by NAME/);
    assert.deepEqual(await at(new Date(testSession)), []);
    const hourBefore = new Date(Date.parse(timetable.testSession.startsAt) - 60 * MINUTE_MS);
    assert.ok(!(await at(new Date(hourBefore.getTime() - MINUTE_MS))).includes('test-session'));
    assert.deepEqual(await at(hourBefore), ['test-session']);
    assert.match(mailServer.parsed.at(-1)?.text ?? '', /It is not there yet/);
    const [eve] = wayIn;
    await at(new Date(eve?.at ?? ''));
    await payments.announceConfiguredRoom(ROOM, now());
    assert.deepEqual(await at(now()), ['way-in'], 'it has waited for the room');
    assert.match(mailServer.parsed.at(-1)?.text ?? '', /leads to the room/);
  });
});
