import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readEditions } from './read.ts';

const FOLDERS = ['client', 'server', 'shared', 'scripts'];
const CODE = /\.(?:[cm]?[jt]sx?|css|json|webmanifest|html)$/;
/** Editions, what the build made of them, and tests with their helpers. */
const ELSEWHERE = /shared\/content\/(?:editions|compiled)\/|\.(?:test|spec)\.tsx?$|client\/e2e\/|\/testing\//;

/** The month of the first edition, as people and programs spell it. */
const JANUARY_2026 = [
  // Not the list of all months.
  String.raw`\bjanuary(?!\W+february)`,
  String.raw`\bjan\b[\s.,_-]*(?:\d{1,2}\D{1,3})?2026`,
  String.raw`\b2026[-_/.]?0?1(?!\d)`,
  String.raw`\b0?1[-/.](?:\d{1,2}[-/.])?2026`,
];

test('no code mentions an edition: neither the month of the first one in any spelling, nor the name of any', async () => {
  const editions = await readEditions();
  const names = editions.flatMap(({ id, written }) => [id, written.edition.package.id]);
  const traces = new RegExp([...JANUARY_2026, ...names].join('|'), 'gi');
  const found: string[] = [];
  for (const folder of FOLDERS) {
    const files = await readdir(folder, { recursive: true });
    const paths = files.map((file) => join(folder, file).replaceAll('\\', '/'));
    for (const path of paths.filter((file) => CODE.test(file) && !ELSEWHERE.test(file))) {
      for (const [trace] of (await readFile(path, 'utf8')).matchAll(traces)) found.push(`${path}: ${trace}`);
    }
  }
  assert.deepEqual(found, []);
});
