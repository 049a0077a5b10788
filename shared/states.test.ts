import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listCountries } from './countries.ts';
import { needsState, stateKindOf } from './states.ts';

test('R3.2 what a country calls its states', () => {
  const expected = [
    ['US', 'state'],
    ['AU', 'stateTerritory'],
    ['CA', 'province'],
    ['GB', 'county'],
    ['IE', 'county'],
    ['JP', 'prefecture'],
    ['CH', 'canton'],
    ['AE', 'emirate'],
    ['MC', 'other'],
    [undefined, 'other'],
    ['', 'other'],
  ] as const;
  for (const [country, kind] of expected) assert.equal(stateKindOf(country), kind, country);
});

test('R2.9 only countries on the list have a name for their states', () => {
  const listed = new Set(listCountries().map(({ code }) => code));
  const known = (code: string) => stateKindOf(code) !== 'other' || needsState(code);
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const strangers = letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => known(code) && !listed.has(code));
  assert.deepEqual(strangers, []);
});
