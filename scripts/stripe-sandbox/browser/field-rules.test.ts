import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cardBrand, passesLuhn } from './card-brand.ts';
import { cvcRules, expiryRules, numberRules, reformat } from './field-rules.ts';

/** Types text key by key, as a visitor does. */
function type(rules: typeof expiryRules, keys: string): string {
  let text = '';
  let digits = '';
  for (const key of keys) {
    const erasing = key === '<';
    const typed = erasing ? text.slice(0, -1) : text + key;
    const next = reformat(
      rules,
      { text: typed, caret: typed.length },
      erasing ? { previousDigits: digits } : null,
    );
    ({ text, digits } = next);
  }
  return text;
}

test('a card number is grouped by its brand', () => {
  assert.equal(type(numberRules, '4242424242424242'), '4242 4242 4242 4242');
  assert.equal(type(numberRules, '378282246310005'), '3782 822463 10005');
  assert.equal(type(numberRules, '42424<'), '4242');
  assert.equal(numberRules.clean('4242-4242-4242-4242 99'), '4242424242424242');
  assert.deepEqual(['5555', '2720', '6011', '36', '35', '62', '9'].map(cardBrand), [
    'mastercard',
    'mastercard',
    'discover',
    'diners',
    'jcb',
    'unionpay',
    'unknown',
  ]);
});

test('the caret stays behind the digit that was typed', () => {
  const inserted = reformat(numberRules, { text: '42942 4242', caret: 3 }, null);
  assert.deepEqual(inserted, { text: '4294 2424 2', caret: 3, digits: '429424242' });
  const erased = reformat(numberRules, { text: '42424242', caret: 4 }, { previousDigits: '42424242' });
  assert.deepEqual(erased, { text: '4244 242', caret: 3, digits: '4244242' });
});

test('a card number is complete only with the right check digit', () => {
  assert.ok(passesLuhn('4242424242424242'));
  assert.equal(numberRules.judge('424242').kind, 'incomplete');
  assert.equal(numberRules.judge('4242424242424241').kind, 'invalid');
  assert.equal(numberRules.judge('378282246310005').kind, 'complete');
});

test('an expiration date gets its slash by itself', () => {
  assert.equal(type(expiryRules, '0'), '0');
  assert.equal(type(expiryRules, '5'), '05 / ');
  assert.equal(type(expiryRules, '1/3'), '01 / 3');
  assert.equal(type(expiryRules, '13'), '01 / 3');
  assert.equal(type(expiryRules, '00'), '0');
  assert.equal(type(expiryRules, '1230'), '12 / 30');
  assert.equal(type(expiryRules, '12305'), '12 / 30');
  assert.equal(type(expiryRules, '122031'), '12 / 31');
  assert.equal(type(expiryRules, '12<'), '1');
  assert.equal(expiryRules.clean('04/2031'), '0431');
});

test('an expiration date is compared with today', () => {
  const year = new Date().getFullYear();
  const judge = (text: string) => {
    const state = expiryRules.judge(expiryRules.clean(text));
    return state.kind === 'complete' ? state.kind : state.message;
  };
  assert.equal(judge(`12/${year + 1}`), 'complete');
  assert.equal(judge(`12/${year - 1}`), "Your card's expiration year is in the past.");
  assert.equal(judge('12/3'), "Your card's expiration date is incomplete.");
});

test('a security code has three digits, for American Express four', () => {
  assert.equal(cvcRules(() => 'visa').clean('1234'), '123');
  assert.equal(cvcRules(() => 'amex').judge('123').kind, 'incomplete');
  assert.equal(cvcRules(() => 'amex').judge('1234').kind, 'complete');
  assert.equal(cvcRules(() => 'unknown').clean('12345'), '1234');
});
