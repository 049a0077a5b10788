import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as v from 'valibot';
import { listCountries } from '#shared/countries.ts';
import { countryOfZone, guessCountry } from './guess-country.ts';

test('R2.6 if the time zone names no place, the country is guessed from the browser’s languages', () => {
  const guesses = [
    [['en-US', 'en'], 'US'],
    [['de-CH', 'fr-CH', 'en'], 'CH'],
    [['zh-Hant-HK'], 'HK'],
    [['en'], 'US'],
    [['de', 'en-US'], 'DE'],
    [['es-419', 'es-MX'], 'MX'],
    [['eo', 'en-AU'], 'AU'],
    [['not a language', 'C', 'en-GB'], 'GB'],
    [['es-419'], ''],
    [['en-XX'], ''],
    [[], ''],
  ] as const;
  for (const [languages, country] of guesses)
    for (const timeZone of ['UTC', 'Etc/GMT+5', '+05:30', ''])
      assert.equal(guessCountry({ languages, timeZone }), country, `${languages} ${timeZone}`);
});

test('R2.6 the time zone takes precedence over the languages', () => {
  const guesses = [
    ['Europe/Berlin', 'DE'],
    ['America/New_York', 'US'],
    ['America/Indiana/Indianapolis', 'US'],
    ['America/Toronto', 'CA'],
    ['Australia/Sydney', 'AU'],
    ['America/Argentina/Buenos_Aires', 'AR'],
    ['Asia/Calcutta', 'IN'],
    ['Asia/Kolkata', 'IN'],
    ['Europe/Kyiv', 'UA'],
  ] as const;
  for (const [timeZone, country] of guesses)
    for (const languages of [['en-US', 'en'], ['de-CH'], []])
      assert.equal(guessCountry({ languages, timeZone }), country, `${timeZone} ${languages}`);
});

test('R2.6 a browser that hides its place names none', () => {
  const guesses = [
    [['en-US', 'en'], ''],
    [[], ''],
    [['is-IS', 'en-US'], 'IS'],
    [['de', 'en-US'], 'DE'],
  ] as const;
  for (const [languages, country] of guesses)
    assert.equal(guessCountry({ timeZone: 'Atlantic/Reykjavik', languages }), country, `${languages}`);
});

test('R2.6 no time zone is assigned to another country than in Unicode’s tables', () => {
  let known = 0;
  const zones = listCountries().flatMap(({ code }) => zonesOf(code).map((zone) => ({ zone, code })));
  for (const { zone, code } of zones) {
    const country = countryOfZone(zone);
    if (country !== '') assert.equal(country, code, zone);
    known += Number(country !== '');
  }
  // All except those of Antarctica and of uninhabited islands, and those that are added from year to year.
  assert.ok(known > 390 && known > zones.length * 0.9, `${known} of ${zones.length}`);
});

/** The time zones of a country: a method of its locale, in older engines a property. */
function zonesOf(country: string): string[] {
  const locale = new Intl.Locale(`und-${country}`);
  const list: unknown = Reflect.get(locale, 'getTimeZones') ?? Reflect.get(locale, 'timeZones');
  return v.parse(v.optional(v.array(v.string()), []), typeof list === 'function' ? list.call(locale) : list);
}
