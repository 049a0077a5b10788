import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inFolder } from '#scripts/drills/drill.ts';
import { runFleet } from './run-fleet.ts';
import { overlapping } from './walks.ts';

describe('several apps and workers behind a proxy', () => {
  test('R4.5 R5.1 while each is replaced or killed, no visitor presses twice, no letter is lost, and one worker walks at a time', async (t) => {
    const size = { apps: 2, workers: 2, kills: { apps: 1, workers: 0 }, everyMs: 1_000 };
    const result = await inFolder('fleet-test', (folder) =>
      runFleet({ ...size, seed: 5, folder, say: (words) => t.diagnostic(words) }),
    );
    assert.deepEqual(result.problems, [], result.report);
    assert.ok(result.verdict.of('Registrations') > 5);
    assert.ok(result.walks.length > 2);
  });

  test('walks that overlap are found', () => {
    const walks = [
      { worker: 0, fromMs: 0, untilMs: 100 },
      { worker: 1, fromMs: 100, untilMs: 300 },
      { worker: 0, fromMs: 250, untilMs: 400 },
    ];
    assert.deepEqual(overlapping(walks.slice(0, 2)), []);
    assert.deepEqual(overlapping(walks), [
      'a walk of worker 0 began 150 ms after one of worker 1 that had not ended',
    ]);
  });
});
