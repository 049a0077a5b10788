import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isSoldTo, nameOfPlace, ruleFor, type Sells, soldWhere, taxIn } from './sells.ts';

describe('where an edition is sold', () => {
  const someStates: Sells = { only: ['US-OR', 'CA', 'EU'], except: ['CA-QC', 'DE'] };
  const butNewYork: Sells = { except: ['US-NY'] };
  for (const [sells, country, state, sold] of [
    [{}, 'DE', '', true],
    [someStates, 'FR', 'Île-de-France', true],
    [someStates, 'DE', 'Bayern', false],
    [someStates, 'NO', '', false],
    [someStates, 'US', 'Oregon', true],
    [someStates, 'US', ' or ', true],
    [someStates, 'US', 'NY', false],
    [someStates, 'US', '', undefined],
    [someStates, 'US', 'Orgeon', undefined],
    [someStates, 'CA', 'Ontario', true],
    [someStates, 'CA', 'QUÉBEC', false],
    [butNewYork, 'US', 'N.Y.', false],
    [butNewYork, 'US', 'new york', false],
    [butNewYork, 'US', 'West Virginia', true],
    [butNewYork, 'GB', 'NY', true],
    [{ except: ['US', 'US-NY'] }, 'US', '', false],
    [{ except: ['EU'] }, '', '', undefined],
  ] as const)
    test(`${soldWhere(sells)}: ${nameOfPlace({ country, state })} is ${sold}`, () => {
      assert.equal(isSoldTo(sells, { country, state }), sold);
    });

  test('where it is sold is said in words', () => {
    assert.equal(
      soldWhere(someStates),
      'in Oregon, Canada, and the European Union, but not in Quebec and Germany',
    );
    assert.equal(soldWhere(butNewYork), 'everywhere but in New York');
  });

  test('the tax in a sum is to the cent, and that of a refund is the same', () => {
    for (const [cents, rate, contained] of [
      [72_100, 19, 11_512],
      [-72_100, 19, -11_512],
      [72_100, 8.1, 5_402],
      [3, 100, 2],
      [-3, 100, -2],
      [72_100, 0, 0],
    ] as const)
      assert.equal(taxIn(cents, { name: 'VAT', rate }), contained, `${cents} ${rate}`);
  });

  test('of several rules for a country, each adds to those before it', () => {
    const tax = { name: 'VAT', rate: 19 };
    const rules = [
      { countries: ['EU'], payButton: true, withdrawal: 'None.' },
      { countries: ['DE'], withdrawal: 'Keine.', tax },
    ];
    assert.deepEqual(ruleFor({ rules }, 'DE'), { payButton: true, withdrawal: 'Keine.', tax });
    assert.deepEqual(ruleFor({ rules }, 'IT'), { payButton: true, withdrawal: 'None.' });
    assert.deepEqual(ruleFor({ rules }, 'US'), {});
  });
});
