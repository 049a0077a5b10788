import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listCountries } from './countries.ts';

test('R2.9 about 250 countries: Australia, Canada, United States first, the rest by label', () => {
  const countries = listCountries();
  assert.equal(countries.length, 249);
  assert.equal(new Set(countries.map(({ code }) => code)).size, countries.length);
  for (const { code, label } of countries) {
    assert.match(code, /^[A-Z]{2}$/);
    assert.notEqual(label, code);
  }
  assert.deepEqual(
    countries.slice(0, 4).map(({ label }) => label),
    ['Australia', 'Canada', 'United States', 'Afghanistan'],
  );
  const rest = countries.slice(3).map(({ label }) => label);
  assert.deepEqual(
    rest,
    rest.toSorted((a, b) => a.localeCompare(b, 'en')),
  );
});
