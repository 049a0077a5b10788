import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { cleanUpOnSignal } from '#scripts/drills/drill.ts';
import { runFleet } from './run-fleet.ts';
import { PER_ADDRESS } from './stage.ts';
import { overlapping } from './walks.ts';

describe('several apps and workers behind a proxy', () => {
  test('R4.5 R5.1 while each is replaced or killed, no visitor presses twice, no letter is lost, and one worker walks at a time', async (t) => {
    await mkdir('.data', { recursive: true });
    const folder = join(process.cwd(), await mkdtemp(join('.data', 'fleet-test-')));
    cleanUpOnSignal(folder);
    t.after(() => rm(folder, { recursive: true, force: true }));
    const result = await runFleet({
      ...{ apps: 2, workers: 2, kills: { apps: 1, workers: 0 } },
      pace: { registrationMs: 1_000, pageMs: 400 },
      ...{ seed: 5, folder, say: (words) => t.diagnostic(words) },
    });
    assert.deepEqual(result.problems, [], result.report);
    assert.ok(result.verdict.of('Registrations') > 2 * PER_ADDRESS);
    assert.equal(result.refused, 2 * (12 - PER_ADDRESS));
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
