import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

const SECTION = /^=== (.+)\n/m;

/** Adds a test for each text, by its name: it is the one on file. After a change: `UPDATE_WORDS=1 npm test -- TEST`. */
export function testKeptWords(file: string, said: ReadonlyMap<string, string>): void {
  if (process.env.UPDATE_WORDS === '1')
    writeFileSync(file, [...said].map(([name, words]) => `=== ${name}\n${words}\n`).join('\n'));
  const [, ...parts] = existsSync(file) ? readFileSync(file, 'utf8').split(SECTION) : [];
  const kept = new Map(
    parts.flatMap((name, at) => (at % 2 === 0 ? [[name, parts[at + 1]?.trimEnd()] as const] : [])),
  );
  for (const [name, words] of said) test(name, () => assert.equal(words, kept.get(name)));
  test('and no others are', () => assert.deepEqual([...kept.keys()], [...said.keys()]));
}
