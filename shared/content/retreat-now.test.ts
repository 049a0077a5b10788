import assert from 'node:assert/strict';
import { test } from 'node:test';
import { edition } from './compiled/january-2026.ts';
import { retreatNow } from './retreat-now.ts';

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
