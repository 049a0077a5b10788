import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localClock } from './local-clock.ts';

test('the clock of a time zone tells its local time, also around a clock change', () => {
  for (const [zone, at, told] of [
    ['Europe/Berlin', '2026-03-29T00:59:59Z', '2026-03-29 01:59'],
    ['Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-29 03:00'],
    ['Europe/Berlin', '2026-10-25T00:59:00Z', '2026-10-25 02:59'],
    ['Europe/Berlin', '2026-10-25T01:00:00Z', '2026-10-25 02:00'],
    ['Asia/Kathmandu', '2026-01-01T00:00:00Z', '2026-01-01 05:45'],
  ] as const)
    assert.equal(localClock(zone).minuteOf(new Date(at)), told, `${at} in ${zone}`);
});
