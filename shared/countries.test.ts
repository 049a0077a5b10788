import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listCountries, needsPostalCode, needsState } from './countries.ts';

test('R2.9 about 250 countries: Australia, Canada, United States first, the rest by label', () => {
  const countries = listCountries();
  assert.equal(countries.length, 250);
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

test('R3.2 countries without postal codes', () => {
  for (const code of ['HK', 'MO', 'AE', 'QA', 'BS', 'FJ', 'UG', 'ZW'])
    assert.ok(!needsPostalCode(code), code);
  for (const code of ['US', 'IE', 'KE', 'TT', 'LC', 'XK', 'XX', '', undefined])
    assert.ok(needsPostalCode(code), code);
  const without = listCountries().filter(({ code }) => !needsPostalCode(code));
  assert.equal(without.length, 65);
});

test('R2.9 only countries on the list need a state', () => {
  const listed = new Set(listCountries().map(({ code }) => code));
  for (const code of ['US', 'AU', 'CA', 'JP', 'AE', '', undefined]) assert.ok(needsState(code), code);
  for (const code of ['GB', 'DE', 'CH', 'MC']) assert.ok(!needsState(code), code);
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const strangers = letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => needsState(code) && !listed.has(code));
  assert.deepEqual(strangers, []);
});
