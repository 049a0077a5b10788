import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const FOLDER = import.meta.dirname;

test('no two suites use the same visitor, since they may share a product', () => {
  const suites = new Map<string, string[]>();
  for (const suite of readdirSync(FOLDER).filter((name) => name.endsWith('.spec.ts'))) {
    const source = readFileSync(join(FOLDER, suite), 'utf8');
    const addresses = source.match(/(?<=['"`])[\w.-]+@example\.org(?=['"`])/g) ?? [];
    for (const address of new Set(addresses)) suites.set(address, [...(suites.get(address) ?? []), suite]);
  }
  assert.ok(suites.size > 0);
  assert.deepEqual(
    [...suites].filter(([, users]) => users.length > 1),
    [],
  );
});
