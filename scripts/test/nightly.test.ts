import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const NIGHTLY = '.github/workflows/nightly.yml';
const CHECK = ['--import', 'tsx', 'scripts/test/check-workflow.ts'];

test('the nightly workflow follows GitHub’s schema, runs all tests, and needs no secret', () => {
  execFileSync(process.execPath, [...CHECK, NIGHTLY]);
  const text = readFileSync(NIGHTLY, 'utf8');
  assert.match(text, /^ +- run: npm run test:all$/m);
  assert.doesNotMatch(text, /secrets\./);
});

test('a key that GitHub does not know is an error', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'workflow-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const wrong = join(folder, 'wrong.yml');
  writeFileSync(wrong, readFileSync(NIGHTLY, 'utf8').replace('runs-on:', 'runs-at:'));
  const { status, stderr } = spawnSync(process.execPath, [...CHECK, wrong], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /Unexpected value 'runs-at'/);
});
