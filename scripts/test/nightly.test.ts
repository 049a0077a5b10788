import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const NIGHTLY = '.github/workflows/nightly.yml';

test('the nightly workflow follows GitHub’s schema, runs all tests, and needs no secret', () => {
  execFileSync(process.execPath, ['--import', 'tsx', 'scripts/test/check-workflow.ts', NIGHTLY]);
  const text = readFileSync(NIGHTLY, 'utf8');
  assert.match(text, /^ +- run: npm run test:all$/m);
  assert.doesNotMatch(text, /secrets\./);
});
