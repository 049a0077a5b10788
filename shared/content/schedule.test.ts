import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edition } from './compiled/january-2026.ts';
import {
  daysDiffer,
  describeWayIn,
  joinEqualDays,
  placeOf,
  retreatNow,
  scheduleByOwnDays,
} from './schedule.ts';

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

test('R1.6 the location in a calendar is not a URL: it says when the link to that session comes', () => {
  assert.equal(plain(placeOf(testSession, timetable)), 'Online; your link comes by e-mail on January 14');
  for (const session of timetable.sessions) {
    assert.equal(plain(placeOf(session, timetable)), 'Online; your link comes by e-mail on January 21');
  }
});

/** `2026-01-23: 02:30 Opening session, …`, a line for each day. */
const lines = (timeZone: string) =>
  scheduleByOwnDays(timetable, timeZone, '24').map(({ date, entries }) => {
    const sessions = entries.filter(({ session }) => session);
    return `${date}: ${sessions.map(({ time, note }) => `${time} ${note}`).join(', ')}`;
  });

test('R9 Berlin: the late sessions are listed under the next day, three days in all', () => {
  assert.deepEqual(lines('Europe/Berlin'), [
    '2026-01-23: 02:30 Opening session, 17:30 Movement and meditation, 19:30 Eating together',
    '2026-01-24: 00:00 Group sessions, 02:30 Evening session, 17:30 Movement and meditation, 19:30 Eating together',
    '2026-01-25: 00:00 Group sessions, 02:30 Evening session, 17:30 Movement and meditation, 20:00 Closing session',
  ]);
});

test('R9 Kolkata: the morning in California is the late evening, the rest the next morning', () => {
  assert.deepEqual(lines('Asia/Kolkata').slice(0, 2), [
    '2026-01-23: 07:00 Opening session, 22:00 Movement and meditation',
    '2026-01-24: 00:00 Eating together, 04:30 Group sessions, 07:00 Evening session, 22:00 Movement and meditation',
  ]);
});

test('R9 Kiritimati, the zone furthest ahead: every day is the next one', () => {
  const days = scheduleByOwnDays(timetable, 'Pacific/Kiritimati', '24').map(({ date }) => date);
  assert.deepEqual(days, ['2026-01-23', '2026-01-24', '2026-01-25', '2026-01-26']);
});

for (const [timeZone, days, differ] of [
  ['America/Los_Angeles', 4, false],
  ['America/Vancouver', 4, false],
  ['America/New_York', 4, false],
  ['America/Phoenix', 4, false],
  ['Pacific/Honolulu', 4, false],
  ['America/Sao_Paulo', 4, false],
  ['Atlantic/Reykjavik', 3, true],
  ['Europe/Berlin', 3, true],
  ['Asia/Kolkata', 4, true],
  ['Asia/Tokyo', 4, true],
  ['Pacific/Kiritimati', 4, true],
] as const) {
  test(`R9 ${timeZone}: ${days} days, ${differ ? 'not all of them the retreat’s' : 'the same as the retreat’s'}, and no session lost`, () => {
    const own = scheduleByOwnDays(timetable, timeZone, '12');
    assert.equal(own.length, days);
    assert.equal(daysDiffer(timetable, timeZone), differ);
    const sessions = own.flatMap(({ entries }) => entries.flatMap(({ session }) => session ?? []));
    assert.deepEqual(sessions, timetable.sessions);
  });
}

test('R9 the retreat’s time of day and zone stand under no other zone', () => {
  for (const zone of ['Asia/Kolkata', 'Europe/Berlin', 'America/New_York'])
    assert.doesNotMatch(
      JSON.stringify(scheduleByOwnDays(timetable, zone, '12')),
      /"time":"[^"]*(?:Afternoon|PT)/,
    );
});

test('R9 a break stays after its session, and a caveat stays with its sessions', () => {
  const [first, second] = scheduleByOwnDays(timetable, 'Europe/Berlin', '24');
  assert.deepEqual(
    first?.entries.map(({ time, caveat }) => [time, caveat]),
    [
      ['02:30', undefined],
      ['17:30', 'Subject to change'],
      ['19:30', 'Subject to change'],
      ['Then', 'Subject to change'],
    ],
  );
  assert.equal(first?.caveat, undefined);
  assert.equal(second?.caveat, 'Subject to change');
  assert.ok(second?.entries.every(({ caveat }) => caveat === undefined));
});

test('R9 Friday and Saturday are told once, for both dates, as long as they have the same entries', () => {
  const joined = joinEqualDays(timetable.days);
  assert.deepEqual(
    joined.map(({ dates }) => dates),
    [['2026-01-22'], ['2026-01-23', '2026-01-24'], ['2026-01-25']],
  );
  assert.deepEqual(joined[1]?.entries, timetable.days[1]?.entries);
  assert.equal(joined[1]?.caveat, 'Subject to change');

  const [thursday, friday, saturday, sunday] = timetable.days;
  assert.ok(thursday && friday && saturday && sunday);
  const datesWith = (entries: typeof saturday.entries, caveat = saturday.caveat) =>
    joinEqualDays([friday, { date: saturday.date, entries, ...(caveat && { caveat }) }]).length;
  assert.equal(datesWith(saturday.entries), 1);
  assert.equal(datesWith(saturday.entries.slice(1)), 2);
  assert.equal(datesWith(saturday.entries.map((entry) => ({ ...entry, note: 'Another' }))), 2);
  assert.equal(datesWith(saturday.entries, 'Another caveat'), 2);
  assert.equal(joinEqualDays([friday, sunday, saturday]).length, 3);
});

const TO_COME = ['recordings-to-come', '2026-01-27T17:00:00.000Z'];

for (const [moment, ...expected] of [
  ['2025-12-02T10:00', 'quiet'],
  ['2026-01-14T05:59', 'quiet'],
  ['2026-01-14T06:00', 'test-session', undefined, 'Test session'],
  ['2026-01-15T17:29', 'test-session', undefined, 'Test session'],
  ['2026-01-15T17:30', 'test-session', 'Test session', undefined],
  ['2026-01-15T18:00', 'quiet'],
  ['2026-01-21T05:59', 'quiet'],
  ['2026-01-21T06:00', 'retreat', undefined, 'Opening session'],
  ['2026-01-22T17:30', 'retreat', 'Opening session', 'Movement and meditation'],
  ['2026-01-22T18:59', 'retreat', 'Opening session', 'Movement and meditation'],
  ['2026-01-22T19:00', 'retreat', undefined, 'Movement and meditation'],
  ['2026-01-23T10:00', 'retreat', undefined, 'Eating together'],
  ['2026-01-23T10:30', 'retreat', 'Eating together', 'Group sessions'],
  ['2026-01-23T13:00', 'retreat', undefined, 'Group sessions'],
  ['2026-01-24T16:45', 'retreat', undefined, 'Evening session'],
  ['2026-01-24T23:00', 'retreat', undefined, 'Movement and meditation'],
  ['2026-01-25T12:29', 'retreat', 'Closing session', undefined],
  ['2026-01-25T12:30', ...TO_COME],
  ['2026-01-27T09:00', ...TO_COME],
] as const)
  test(`at ${moment} her page shows: ${expected.join(', ')}`, () => {
    const found = retreatNow(edition, new Date(`${moment}:00-08:00`));
    const { kind } = found;
    const shown =
      'on' in found
        ? [kind, found.on?.title, found.next?.title]
        : 'at' in found
          ? [kind, found.at.toISOString()]
          : [kind];
    assert.deepEqual(shown, expected);
  });

test('without recordings nothing is said of them after the last session', () => {
  const { recordings: _, ...letters } = edition.timetable.letters;
  const timetable = { ...edition.timetable, letters };
  assert.deepEqual(retreatNow({ timetable }, new Date(edition.facts.endsAt)), { kind: 'quiet' });
});
