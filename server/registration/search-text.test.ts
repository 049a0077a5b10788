import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { folded } from './search-text.ts';

describe('two names that a reader takes for the same', () => {
  for (const [one, other] of [
    ['Siobhán O’Brien', "Siobhán O'Brien"],
    ['Siobhán O’Brien', 'Siobhan O’Brien'],
    ['Siobhán O’Brien', 'SIOBHÁN OBRIEN'],
    ['Siobhán O’Brien', 'Siobhán O`Brien'],
    ['Siobhán O’Brien', 'Siobhán O´Brien'],
    ['Anne-Marie Smith', 'Anne Marie Smith'],
    ['Anne-Marie Smith', 'Anne‑Marie  Smith '],
    ['Łucja Großmann', 'LUCJA GROSSMANN'],
    ['Zoë', 'Zoe\u0308'],
    ['Ａｎｎａ', 'Anna'],
  ] as const)
    test(`R4.5 are the same: ${one}, ${other}`, () => assert.equal(folded(one), folded(other)));

  test('R4.5 are not those of two people', () => {
    assert.notEqual(folded('गीता'), folded('गोता'));
    assert.notEqual(folded('ハナ'), folded('パナ'));
    for (const other of ['Patrick O’Brien', 'Siobhán O Brien', 'Siobhán Brien', 'Siobhán'])
      assert.notEqual(folded('Siobhán O’Brien'), folded(other), other);
  });
});
