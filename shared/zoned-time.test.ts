import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edition } from './content/compiled/january-2026.ts';
import { zoneChoices } from './content/time-zones.ts';
import { currentTimeZone, isKnownTimeZone, ownTimeZone, tellZonedTime, zonesAgree } from './zoned-time.ts';

const { sessions, timeZone: pacific } = edition.timetable;
const moments = sessions.map(({ startsAt }) => new Date(startsAt));

function timeOfSession(id: string, timeZone: string, hourCycle: '12' | '24'): string {
  const session = sessions.find((candidate) => candidate.id === id);
  assert.ok(session);
  const { day, clock } = tellZonedTime(new Date(session.startsAt), timeZone, hourCycle);
  return `${day} ${clock}`.replaceAll('\u00a0', ' ');
}

for (const [session, timeZone, hourCycle, expected] of [
  ['thursday-opening', 'Europe/London', '24', 'Fri, Jan 23 01:30'],
  ['thursday-opening', 'Europe/London', '12', 'Fri, Jan 23 1:30 am'],
  ['friday-groups', 'Europe/London', '24', 'Fri, Jan 23 23:00'],
  // In its summer time the whole retreat is a day later in the calendar.
  ['thursday-opening', 'Australia/Sydney', '24', 'Fri, Jan 23 12:30'],
  ['sunday-closing', 'Australia/Sydney', '24', 'Mon, Jan 26 06:00'],
  // Half an hour off.
  ['friday-movement', 'Asia/Kolkata', '24', 'Fri, Jan 23 22:00'],
  ['friday-evening', 'Asia/Kolkata', '12', 'Sat, Jan 24 7:00 am'],
  // West of the retreat.
  ['sunday-movement', 'Pacific/Honolulu', '12', 'Sun, Jan 25 6:30 am'],
] as const)
  test(`R9 ${session} in ${timeZone} is ${expected}`, () => {
    assert.equal(timeOfSession(session, timeZone, hourCycle), expected);
  });

test('R9 midnight and noon read as clocks show them', () => {
  const midnight = new Date('2026-01-23T00:05:00Z');
  assert.equal(tellZonedTime(midnight, 'UTC', '24').clock, '00:05');
  assert.equal(tellZonedTime(midnight, 'UTC', '12').clock, '12:05\u00a0am');
  assert.equal(tellZonedTime(new Date('2026-01-23T12:05:00Z'), 'UTC', '12').clock, '12:05\u00a0pm');
});

test('R9 daylight saving: the hour follows the clocks of each day, here and there', () => {
  const springGap = ['2026-03-07T17:30:00-08:00', '2026-03-09T17:30:00-07:00', '2026-03-30T17:30:00-07:00'];
  assert.deepEqual(
    springGap.map((start) => tellZonedTime(new Date(start), 'Europe/London', '24').clock),
    ['01:30', '00:30', '01:30'],
  );
});

test('R9 zones agree by their clocks at the sessions, not by their names', () => {
  assert.ok(zonesAgree(moments, pacific.id, 'America/Vancouver'));
  assert.ok(!zonesAgree(moments, pacific.id, 'America/Denver'));
  // Phoenix shares Pacific daylight time, but not Pacific standard time.
  assert.ok(zonesAgree([new Date('2026-07-01T00:00:00Z')], pacific.id, 'America/Phoenix'));
  assert.ok(!zonesAgree(moments, pacific.id, 'America/Phoenix'));
});

test('R9 a zone that Intl does not know is recognized', () => {
  assert.ok(isKnownTimeZone('Europe/London'));
  assert.ok(isKnownTimeZone('US/Pacific'), 'another name of America/Los_Angeles');
  for (const none of ['Etc/Nowhere', 'Etc/Unknown', '']) assert.ok(!isKnownTimeZone(none), none);
});

test('R9 no zone of this engine is offered under a former name', () => {
  const renamed = Intl.supportedValuesOf('timeZone').filter((zone) => currentTimeZone(zone) !== zone);
  assert.ok(renamed.includes('Europe/Kiev') && renamed.includes('Asia/Calcutta'), `${renamed}`);
  const moments = [new Date('2026-01-22T12:00:00Z'), new Date('2026-07-22T12:00:00Z')];
  for (const zone of renamed) assert.ok(zonesAgree(moments, zone, currentTimeZone(zone)), zone);
});

test('R9 zones are offered under their current names, once each', () => {
  for (const [reported, city] of [
    ['Europe/Kiev', 'Kyiv'],
    ['Asia/Calcutta', 'Kolkata'],
    ['Asia/Katmandu', 'Kathmandu'],
    ['America/Buenos_Aires', 'Buenos Aires'],
    ['America/Los_Angeles', 'Los Angeles'],
  ] as const) {
    const choices = zoneChoices(reported, currentTimeZone(reported));
    const named = choices.filter(({ name }) => name.includes(`(${city})`));
    assert.deepEqual(
      named.map(({ id }) => id),
      [currentTimeZone(reported)],
    );
    assert.equal(new Set(choices.map(({ name }) => name)).size, choices.length);
  }
});

test('R9 a browser may report no zone, or one that it does not know', (t) => {
  const { resolvedOptions } = Intl.DateTimeFormat.prototype;
  for (const [timeZone, own] of [
    [undefined, ''],
    ['', ''],
    ['Etc/Unknown', ''],
    ['America/Los_Angeles', 'America/Los_Angeles'],
  ] as const) {
    const reports = t.mock.method(
      Intl.DateTimeFormat.prototype,
      'resolvedOptions',
      function (this: Intl.DateTimeFormat) {
        return { ...resolvedOptions.call(this), timeZone };
      },
    );
    assert.equal(ownTimeZone(), own);
    reports.mock.restore();
  }
});
