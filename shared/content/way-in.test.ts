import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edition } from './compiled/january-2026/edition.ts';
import { describeWayIn, placeOf } from './way-in.ts';

const { facts, timetable } = edition;
const { testSession, linkDates } = timetable;

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

/** Each link comes before what it leads to, and the test session before the retreat. */
function isInOrder({ start }: Pick<typeof testSession, 'start'>): boolean {
  const moments = [linkDates.testSession, start, linkDates.retreat, facts.startDate];
  return moments.every((moment, index) => index === 0 || `${moments[index - 1]}` < moment);
}

test('R1.6 the test session lies before the retreat, and each link comes before what it leads to', () => {
  assert.ok(isInOrder(testSession));
  assert.ok(!isInOrder({ start: `${facts.startDate}T18:00` }));
  assert.ok(!isInOrder({ start: `${linkDates.testSession.slice(0, 8)}01T18:00` }));
});

test('R1.6 the test session has the UTC offset of its zone on that day', () => {
  const clock = new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'short',
    timeZone: timetable.timeZone.id,
  });
  const moment = new Date(testSession.startsAt);
  assert.equal(clock.format(moment).replace(' ', 'T'), testSession.start);
});

test('R1.6 one sentence says when the test session is and when the links come', () => {
  assert.equal(
    plain(describeWayIn(timetable)),
    'The test session is on Thursday, January 15, at 5:30 pm PT, for about 30 minutes; its link is sent to you on January 14, and your link to the retreat on Wednesday, January 21, and again each morning.',
  );
});

for (const [at, said] of [
  ['2026-01-14T05:59:59.999-08:00', plain(describeWayIn(timetable))],
  [
    '2026-01-14T06:00:00-08:00',
    'The test session is on Thursday, January 15, at 5:30 pm PT, for about 30 minutes; its link is sent to you, and your link to the retreat on Wednesday, January 21, and again each morning.',
  ],
  [
    '2026-01-15T17:30:00-08:00',
    'Your link to the retreat is sent to you on Wednesday, January 21, and again each morning.',
  ],
  [
    '2026-01-21T05:59:59.999-08:00',
    'Your link to the retreat is sent to you on Wednesday, January 21, and again each morning.',
  ],
  ['2026-01-21T06:00:00-08:00', 'Your link to the retreat is sent to you each morning.'],
] as const) {
  test(`R1.6 what is past at ${at} is left out`, () => {
    assert.equal(plain(describeWayIn(timetable, undefined, new Date(at))), said);
  });
}

for (const [timeZone, hourCycle, hour] of [
  ['Europe/London', '24', '5:30 pm PT (for you Fri, Jan 16, 01:30), for'],
  ['America/New_York', '12', '5:30 pm PT (for you 8:30 pm), for'],
  ['America/Vancouver', '12', '5:30 pm PT, for'],
] as const) {
  test(`R1.6 in ${timeZone} it is ${hour}`, () => {
    assert.ok(
      plain(describeWayIn(timetable, { timeZone, hourCycle })).includes(`at ${hour} about 30 minutes;`),
    );
  });
}

test('R1.6 the location in a calendar is not a URL: it says when the link to that session comes', () => {
  assert.equal(plain(placeOf(testSession, timetable)), 'Online; your link comes by e-mail on January 14');
  for (const session of timetable.sessions) {
    assert.equal(plain(placeOf(session, timetable)), 'Online; your link comes by e-mail on January 21');
  }
});
