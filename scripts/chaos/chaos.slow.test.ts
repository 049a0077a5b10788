import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lifeNames } from './lives.ts';
import { run } from './run.ts';

test('R8 while everything fails each registrant pays what she owes once, and gets only true letters', async (t) => {
  const { problems, counted } = await run({
    ...{ registrations: lifeNames.length + 10, seed: 7, year: false },
    say: (sentence) => t.diagnostic(sentence),
  });
  assert.deepEqual(problems, [], JSON.stringify(counted));
});
