import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { recordWith } from '#server/testing/test-registrations.ts';
import { searchableOf, searchFor } from './search.ts';

const łucja = searchableOf(
  recordWith({
    id: 'pi_3Abc',
    registrant: {
      ...{ firstName: 'Łucja', lastName: 'Çelik-Großmann', email: 'Lucja@Example.org', timeZone: '' },
      phoneNumber: '+49 (0) 170 / 555-0142',
    },
  }),
);

describe('a search', () => {
  for (const [typed, why] of [
    ['', 'an empty search'],
    ['łucja', 'her first name'],
    ['LUCJA celik', 'both names, without accents, in capitals'],
    ['grossmann lu', 'parts of her names, in any order'],
    ['celik grossmann', 'a double name without its hyphen'],
    ['çelik‐großmann', 'a double name with another hyphen'],
    ['lucja@example', 'her address'],
    ['PI_3abc', 'the payment'],
    ['5550142', 'her number without separators'],
    ['555-01', 'a part of her number, with a separator'],
    ['170/5550142', 'her number without the country code'],
    ['celik 0142', 'her name and the end of her number'],
  ] as const)
    test(`finds her by ${why}`, () => assert.equal(searchFor(typed)(łucja), true));

  for (const [typed, why] of [
    ['lucja miller', 'one of the words is not hers'],
    ['5550143', 'the number is another one'],
    ['celiklucja', 'the words are not next to each other'],
  ] as const)
    test(`does not find her when ${why}`, () => assert.equal(searchFor(typed)(łucja), false));

  test('finds a name with an apostrophe, whichever is typed, or none', () => {
    const siobhán = searchableOf(
      recordWith({ registrant: { ...recordWith().registrant, lastName: 'O’Brien' } }),
    );
    for (const typed of ['o’brien', "O'Brien", 'o´brien', 'OBRIEN'])
      assert.equal(searchFor(typed)(siobhán), true, typed);
  });

  test('finds an address by its domain in its own script, and in the ASCII form', () => {
    const registrant = { ...recordWith().registrant, email: 'anna@xn--bcher-kva.example' };
    const anna = searchableOf(recordWith({ registrant }));
    for (const typed of ['anna@bücher.example', 'bucher', 'anna@xn--bcher-kva.example'])
      assert.equal(searchFor(typed)(anna), true, typed);
  });

  test('finds a number written with a leading zero, with or without that zero', () => {
    const registrant = { ...recordWith().registrant, phoneNumber: '0170 5550142' };
    assert.equal(searchFor('0170 555')(searchableOf(recordWith({ registrant }))), true);
    assert.equal(searchFor('170555')(searchableOf(recordWith({ registrant }))), true);
  });
});
