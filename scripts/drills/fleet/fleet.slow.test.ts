import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inFolder } from '#scripts/drills/drill.ts';
import { runFleet } from './fleet.ts';

test('R4.5 R5.1 while apps and workers behind a proxy are replaced and killed, no visitor presses twice, and no letter is lost', async (t) => {
  const size = { apps: 2, workers: 2, everyMs: 1_000 };
  const { verdict, problems, report } = await inFolder('fleet-test', (folder) =>
    runFleet({ ...size, seed: 5, folder, say: (words) => t.diagnostic(words) }),
  );
  assert.deepEqual(problems, [], report);
  assert.ok(verdict.of('Registrations') > 5);
});
