import assert from 'node:assert/strict';
import { test } from 'node:test';
import { typedNumber, typedText } from './typed-text.ts';

test('R3.6 text is read as it was meant, however it was typed or pasted', () => {
  const cases: readonly (readonly [given: string, right: string])[] = [
    ['\u00a0wil\u00adma\ufeff', 'wilma'],
    ['Wil\tma\u0000', 'Wil ma'],
    ['Wilma\ud800', 'Wilma'],
    ['Zoe\u0308', 'Zoë'],
    ['12½ Rue d’Été …', '12½ Rue d’Été …'],
    ['O´Brien', 'O´Brien'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['ジョー', 'ジョー'],
  ];
  for (const [given, right] of cases) assert.equal(typedText(given), right);
});

test('R3.6 digits of any script become ASCII, and any dash a hyphen', () => {
  const cases: readonly (readonly [given: string, right: string])[] = [
    ['०१२३४५६७८९', '0123456789'],
    ['𝟘𝟡𝟎𝟗', '0909'],
    ['\u{116d9}\u{116da}\u{116e3}', '909'],
    ['\u202a+49\u00a030–123\u2060\u202c', '+49 30-123'],
  ];
  for (const [given, right] of cases) assert.equal(typedNumber(given), right);
});
