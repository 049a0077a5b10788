import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inFolder } from '#scripts/drills/drill.ts';
import { LEAST_PEOPLE } from '#scripts/world/people.ts';
import { runYear } from './year.ts';

test('R8 through a year of faults each registrant pays what she owes once, and gets only true letters', async (t) => {
  const say = (words: string) => t.diagnostic(words);
  const { verdict, problems, report } = await inFolder('year-test', (folder) =>
    runYear({ registrations: LEAST_PEOPLE, isBrief: true, seed: 7, folder, say }),
  );
  assert.deepEqual(problems, [], report);
  for (const what of ['Balances charged without her', '  paid on her page', '  refused cards'] as const)
    assert.ok(verdict.of(what) > 0, what);
  assert.equal(verdict.of('  received'), verdict.of('Letters expected'));
});
