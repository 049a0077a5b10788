import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessCountry } from './guess-country.ts';

test('R2.6 the country is guessed from the browser’s languages', () => {
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
    assert.equal(guessCountry(languages), country, String(languages));
});
