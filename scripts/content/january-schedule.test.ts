import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { formatLength } from '#shared/content/schedule.ts';
import { formatDate, formatDateRange, formatDateSpan, formatWeekday } from '#shared/dates.ts';
import { withUtcOffset } from '#shared/local-time.ts';

const { facts, timetable } = edition;
const { days, sessions } = timetable;

const pacificWeekday = new Intl.DateTimeFormat('en-US', { weekday: 'long', timeZone: timetable.timeZone.id });
const pacificClock = new Intl.DateTimeFormat('sv-SE', {
  dateStyle: 'short',
  timeStyle: 'short',
  timeZone: timetable.timeZone.id,
});

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test('R9 four days, Thursday to Sunday in Pacific Time, are the days of the edition', () => {
  const weekdays = days.map((day) =>
    pacificWeekday.format(new Date(withUtcOffset(`${day.date}T12:00`, timetable.timeZone.id))),
  );
  assert.deepEqual(weekdays, ['Thursday', 'Friday', 'Saturday', 'Sunday']);
  assert.deepEqual(
    days.map((day) => formatWeekday(day.date)),
    weekdays,
  );
  assert.equal(days.at(0)?.date, facts.startDate);
  assert.equal(days.at(-1)?.date, facts.endDate);
});

test('R9 the hours and notes of each day', () => {
  const fullDay = [
    '8:30 am PT Movement and meditation',
    '10:30 am PT Eating together',
    'Afternoon Breaks, with activities announced daily',
    '3:00 pm PT Group sessions',
    '5:30 pm PT Evening session',
  ];
  assert.deepEqual(
    days.map((day) => day.entries.map((entry) => plain(`${entry.time} ${entry.note}`))),
    [
      ['5:30 pm PT Opening session'],
      fullDay,
      fullDay,
      ['8:30 am PT Movement and meditation', '11:00 am PT Closing session'],
    ],
  );
});

test('R9 Friday and Saturday are subject to change, the other days are not', () => {
  assert.deepEqual(
    days.map((day) => day.caveat),
    [undefined, 'Subject to change', 'Subject to change', undefined],
  );
});

test('R9 sessions start on their day, in order, with the UTC offset of the time zone', () => {
  for (const day of days) {
    const ofDay = day.entries.flatMap(({ session }) => session ?? []);
    const starts = ofDay.map(({ start }) => start);
    assert.deepEqual(starts, [...starts].sort());
    for (const { start, startsAt } of ofDay) {
      assert.ok(start.startsWith(day.date), start);
      assert.equal(pacificClock.format(new Date(startsAt)).replace(' ', 'T'), start);
    }
  }
});

test('R9 every session has an id of its own and a length, and ends before the next one starts', () => {
  assert.equal(sessions.length, 11);
  assert.equal(new Set(sessions.map(({ id }) => id)).size, 11);
  for (const [index, { end, startsAt, endsAt, minutes: length }] of sessions.entries()) {
    const minutes = (Date.parse(endsAt) - Date.parse(startsAt)) / 60_000;
    assert.ok(length > 0);
    assert.equal(minutes, length);
    const next = sessions[index + 1];
    assert.ok(!next || end <= next.start, `${end} lies after ${next?.start}`);
  }
});

test('R9 a length is shown as approximate, with its unit on the same line', () => {
  assert.equal(formatLength(75), 'about 75\u00a0minutes');
});

test('R8 R9 every date of the edition exists', () => {
  const { startDate, endDate, balanceDueDate } = facts;
  for (const date of [startDate, endDate, balanceDueDate, ...days.map((day) => day.date)])
    assert.equal(new Date(`${date}T00:00:00Z`).toISOString().slice(0, 10), date);
});

test('R8 R9 dates are shown with month and day on one line', () => {
  assert.equal(formatDateRange(facts.startDate, facts.endDate), 'January\u00a022–25,\u00a02026');
  assert.equal(
    plain(formatDateSpan(facts.startDate, facts.endDate)),
    'Thursday, January 22 to Sunday, January 25, 2026',
  );
  assert.equal(formatDate(facts.balanceDueDate), 'December\u00a021,\u00a02025');
  const long = new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeZone: 'UTC' });
  for (let day = Date.UTC(2027, 11, 1); day < Date.UTC(2029, 1, 1); day += 86_400_000) {
    const date = new Date(day).toISOString().slice(0, 10);
    assert.equal(plain(`${formatWeekday(date)}, ${formatDate(date)}`), long.format(day));
  }
  assert.equal(formatDateRange('2026-01-30', '2026-02-02'), 'January\u00a030–February\u00a02,\u00a02026');
});
