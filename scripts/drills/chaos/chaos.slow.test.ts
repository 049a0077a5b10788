import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { cleanUpOnSignal } from '#scripts/drills/drill.ts';
import { createRandom } from '#scripts/world/random.ts';
import { planFaults, runChaos } from './run-chaos.ts';

const FAULTS = [
  ...['SMTP 4xx', 'SMTP 5xx', 'SMTP cut before the OK', 'SMTP dropped in the message', 'SMTP hanging'],
  ...['SMTP refused', 'Redis frozen', 'Redis killed', 'Redis killed, last second lost'],
  ...['app killed: consent', 'app killed: register', 'worker killed: mail'],
];

describe('chaos', () => {
  test('R5.1 R4.5 whatever dies or hangs, every registration has each of its mails, one payment and one charge', async (t) => {
    const run = { registrations: 15, seed: 5, folder: await folderOf(t), say: t.diagnostic.bind(t) };
    const { verdict, problems, storm, report } = await runChaos(run);
    assert.deepEqual(problems, [], report);
    assert.equal(verdict.of('Registrations'), 15);
    assert.deepEqual([...storm.counts.keys()].sort(), FAULTS.toSorted());
    assert.equal(verdict.of('  received'), verdict.of('Letters expected'));
    assert.ok(verdict.of('Consents expected') > 0);
    assert.equal(verdict.of('  on record'), verdict.of('Consents expected'));
  });

  test('the same seed gives the same schedule, another seed another one', () => {
    const plan = (seed: number) => planFaults(createRandom(seed), { rounds: 2, spanMs: 60_000 });
    assert.deepEqual(plan(1), plan(1));
    assert.notDeepEqual(plan(1), plan(2));
  });

  test('faults of one lane never overlap, those of two lanes sometimes do', () => {
    const lanes = planFaults(createRandom(1), { rounds: 3, spanMs: 120_000 });
    for (const lane of lanes)
      for (const [place, { startMs }] of lane.entries()) {
        const before = lane[place - 1];
        if (before) assert.ok(before.startMs + before.lastsMs <= startMs);
      }
    const [redis = [], , , smtp = []] = lanes;
    const overlaps = redis.some((one) =>
      smtp.some(
        (other) => one.startMs < other.startMs + other.lastsMs && other.startMs < one.startMs + one.lastsMs,
      ),
    );
    assert.ok(overlaps);
  });
});

/** A folder for Redis's files, which goes after the test. */
async function folderOf(t: TestContext): Promise<string> {
  await mkdir('.data', { recursive: true });
  const folder = join(process.cwd(), await mkdtemp(join('.data', 'chaos-test-')));
  cleanUpOnSignal(folder);
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
