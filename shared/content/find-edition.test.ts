import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findEdition } from './find-edition.ts';

test('R8 an edition is found by its own name only', () => {
  assert.equal(findEdition('january-2026')?.facts.retreatPackage.id, 'january_2026_retreat');
  for (const name of ['', 'constructor', '__proto__', 'toString']) assert.equal(findEdition(name), undefined);
});
