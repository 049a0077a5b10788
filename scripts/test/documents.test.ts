import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { isBrowserTest, isFast, JOURNEY, testFilesIn } from './test-files.ts';

/** The names under which a page's headings can be linked to, as GitHub makes them. */
const anchorsOf = (path: string): string[] =>
  (readFileSync(path, 'utf8').match(/^#+ .*$/gm) ?? []).map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

test('the links of documents lead to files and headings that exist', () => {
  const inFolders = ['.github', 'client', 'server', 'shared', 'scripts'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const documents = ['README.md', ...inFolders].filter((path) => path.endsWith('.md'));
  assert.ok(documents.length > 10);
  for (const path of documents) {
    const prose = readFileSync(path, 'utf8').replace(/```[\s\S]*?```/g, '');
    for (const [, target = ''] of prose.matchAll(/\]\(([^)]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [file = '', anchor] = target.split('#');
      const linked = file === '' ? path : join(dirname(path), file);
      assert.ok(existsSync(linked), `${path}: ${target} leads nowhere`);
      if (anchor) assert.ok(anchorsOf(linked).includes(anchor), `${path}: ${target} names no heading`);
    }
  }
});

/** How many rows each chapter of the requirements has; R8 and R9 have one each. */
const ROWS = { R1: 15, R2: 10, R3: 6, R4: 6, R5: 4, R6: 3, R7: 2 };

test('each row of the requirements is named by a test that `npm test` runs', () => {
  const titlesIn = (file: string): string[] => {
    const tag = isBrowserTest(file) ? `\\s*\\{\\s*tag: '${JOURNEY}',?\\s*\\}` : '';
    const tests = new RegExp(`(?:test|describe)\\(\\s*(['"\`])([^\\n]*?)\\1,${tag}`, 'g');
    return [...readFileSync(file, 'utf8').matchAll(tests)].map(([, , title = '']) => title);
  };
  const titles = testFilesIn().filter(isFast).flatMap(titlesIn).join('\n');
  const named = new Set(titles.match(/\bR\d+(?:\.\d+)?\b/g));
  const wanted = Object.entries(ROWS).flatMap(([chapter, rows]) =>
    Array.from({ length: rows }, (_, index) => `${chapter}.${index + 1}`),
  );
  assert.deepEqual(
    [...wanted, 'R8', 'R9'].filter((row) => !named.has(row)),
    [],
  );
});
