import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, dateAt, formatDate, formatWeekday, withUtcOffset } from './dates.ts';

for (const [zone, localTime, moment] of [
  ['America/Los_Angeles', '2026-03-08T01:59', '2026-03-08T09:59:00.000Z'],
  ['America/Los_Angeles', '2026-03-08T03:00', '2026-03-08T10:00:00.000Z'],
  ['Europe/Berlin', '2026-03-29T03:00', '2026-03-29T01:00:00.000Z'],
  ['America/Los_Angeles', '2026-11-01T01:30', '2026-11-01T08:30:00.000Z'],
  ['America/Los_Angeles', '2026-11-01T02:00', '2026-11-01T10:00:00.000Z'],
  // Skipped by the clocks: treated as one hour later, whatever the UTC offset.
  ['America/Los_Angeles', '2026-03-08T02:30', '2026-03-08T10:30:00.000Z'],
  ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
  ['America/Santiago', '2026-09-06T00:00', '2026-09-06T04:00:00.000Z'],
] as const) {
  test(`${localTime} in ${zone} is ${moment}`, () => {
    assert.equal(new Date(withUtcOffset(localTime, zone)).toISOString(), moment);
  });
}

test('days are added by the calendar, and the day of a moment depends on the time zone', () => {
  assert.equal(addDays('2026-03-01', -1), '2026-02-28');
  assert.equal(addDays('2025-12-31', 1), '2026-01-01');
  assert.equal(dateAt(new Date('2025-12-22T07:59:59.999Z'), 'America/Los_Angeles'), '2025-12-21');
});

test('the names of months and weekdays are those of American English', () => {
  for (let day = '2027-01-01'; day < '2028-02-01'; day = addDays(day, 9)) {
    const named = (options: Intl.DateTimeFormatOptions) =>
      new Date(day).toLocaleDateString('en-US', { timeZone: 'UTC', ...options });
    assert.equal(formatDate(day).replaceAll('\u00a0', ' '), named({ dateStyle: 'long' }));
    assert.equal(formatWeekday(day), named({ weekday: 'long' }));
  }
});
