import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inFolder } from '#scripts/drills/drill.ts';
import { runFleet } from './run-fleet.ts';
import { overlapping } from './spans.ts';

describe('several apps and workers behind a proxy', () => {
  test('R4.5 R5.1 while each is replaced or killed, no visitor presses twice, no letter is lost, and one worker works at a time', async (t) => {
    const size = { apps: 2, workers: 2, kills: { apps: 1, workers: 0 }, everyMs: 1_000 };
    const result = await inFolder('fleet-test', (folder) =>
      runFleet({ ...size, seed: 5, folder, say: (words) => t.diagnostic(words) }),
    );
    assert.deepEqual(result.problems, [], result.report);
    assert.ok(result.verdict.of('Registrations') > 5);
    assert.ok(result.spans.length > 2);
  });

  test('work that overlaps is found', () => {
    const spans = [
      { worker: 0, fromMs: 0, untilMs: 100 },
      { worker: 1, fromMs: 100, untilMs: 300 },
      { worker: 0, fromMs: 250, untilMs: 400 },
    ];
    assert.deepEqual(overlapping(spans.slice(0, 2)), []);
    assert.deepEqual(overlapping(spans), ['worker 0 began 150 ms after worker 1, which had not ended']);
  });
});
