import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanUpOnSignal } from '#scripts/drills/drill.ts';
import { LEAST_PEOPLE } from '#scripts/world/people.ts';
import { runYear } from './run-year.ts';

test('R8 through a year of faults each registrant pays what she owes once, and gets only true letters', async (t) => {
  await mkdir('.data', { recursive: true });
  const folder = join(process.cwd(), await mkdtemp(join('.data', 'year-test-')));
  cleanUpOnSignal(folder);
  t.after(() => rm(folder, { recursive: true, force: true }));
  const say = (words: string) => t.diagnostic(words);
  const result = await runYear({ registrations: LEAST_PEOPLE, isBrief: true, seed: 7, folder, say });
  const { verdict, problems, report } = result;
  assert.deepEqual(problems, [], report);
  for (const what of ['Balances charged without her', '  paid on her page', '  refused cards'] as const)
    assert.ok(verdict.of(what) > 0, what);
  assert.equal(verdict.of('  received'), verdict.of('Letters expected'));
});
