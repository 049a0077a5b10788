import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isBrowserTest, isFast, JOURNEY, testFilesIn } from './choose-tests.ts';

/** How many rows each chapter of the requirements has; R8 and R9 have one each. */
const ROWS = { R1: 15, R2: 10, R3: 6, R4: 6, R5: 4, R6: 3, R7: 2 };

const wanted = [
  ...Object.entries(ROWS).flatMap(([chapter, rows]) =>
    Array.from({ length: rows }, (_, index) => `${chapter}.${index + 1}`),
  ),
  'R8',
  'R9',
];

/** The titles of the tests of a file that `npm test` runs. */
function titlesIn(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  const tag = isBrowserTest(file) ? `\\s*\\{\\s*tag: '${JOURNEY}',?\\s*\\}` : '';
  const tests = new RegExp(`(?:test|describe)\\(\\s*(['"\`])([^\\n]*?)\\1,${tag}`, 'g');
  return [...source.matchAll(tests)].map(([, , title = '']) => title);
}

test('each row of the requirements is named by a test that `npm test` runs', () => {
  const titles = testFilesIn().filter(isFast).flatMap(titlesIn).join('\n');
  const named = new Set(titles.match(/\bR\d+(?:\.\d+)?\b/g));
  assert.deepEqual(
    wanted.filter((row) => !named.has(row)),
    [],
  );
});
