import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findEdition, findEditionOfPackage } from './find-edition.ts';

test('R8 an edition is found by its own name and its own package only', () => {
  assert.equal(findEdition('january-2026')?.facts.retreatPackage.id, 'january_2026_retreat');
  assert.equal(findEditionOfPackage('january_2026_retreat'), findEdition('january-2026'));
  for (const name of ['', 'constructor', '__proto__', 'toString']) {
    assert.equal(findEdition(name), undefined);
    assert.equal(findEditionOfPackage(name), undefined);
  }
});
