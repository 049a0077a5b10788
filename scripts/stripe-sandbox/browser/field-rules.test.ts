import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cvcRules, expiryRules, type FieldRules, numberRules, reformat } from './field-rules.ts';

/** Types text key by key, as a visitor does; `<` is the Backspace key. */
function type(rules: FieldRules, keys: string): string {
  let field = { text: '', digits: '', caret: 0 };
  for (const key of keys) {
    const text = key === '<' ? field.text.slice(0, -1) : field.text + key;
    field = reformat(rules, { text, caret: text.length }, key === '<' ? field.digits : null);
  }
  return field.text;
}

const codeOf = (rules: FieldRules, text: string) => rules.judge(rules.clean(text)).problem?.code;

// https://docs.stripe.com/js/element/events
test('a card number is grouped by its brand, and complete with the right check digit', () => {
  assert.equal(type(numberRules, '4242424242424242'), '4242 4242 4242 4242');
  assert.equal(type(numberRules, '378282246310005'), '3782 822463 10005');
  assert.equal(type(numberRules, '42424<'), '4242');
  assert.equal(numberRules.clean('4242-4242-4242-4242 99'), '4242424242424242');
  assert.equal(codeOf(numberRules, '424242'), 'incomplete_number');
  assert.equal(codeOf(numberRules, '4242424242424241'), 'invalid_number');
  assert.equal(codeOf(numberRules, '378282246310005'), undefined);
});

test('the caret stays behind the digit that was typed', () => {
  const inserted = reformat(numberRules, { text: '42942 4242', caret: 3 }, null);
  assert.deepEqual(inserted, { text: '4294 2424 2', caret: 3, digits: '429424242' });
  const erased = reformat(numberRules, { text: '42424242', caret: 4 }, '42424242');
  assert.deepEqual(erased, { text: '4244 242', caret: 3, digits: '4244242' });
});

test('an expiration date gets its slash by itself, and is compared with today', () => {
  const typed = ['0', '5', '1/3', '13', '00', '1230', '12305', '122031', '12<', '04/2031'];
  const shown = ['0', '05 / ', '01 / 3', '01 / 3', '0', '12 / 30', '12 / 30', '12 / 31', '1', '04 / 31'];
  assert.deepEqual(
    typed.map((keys) => type(expiryRules, keys)),
    shown,
  );
  const year = new Date().getFullYear();
  assert.equal(codeOf(expiryRules, `12/${year + 1}`), undefined);
  assert.equal(codeOf(expiryRules, `12/${year - 1}`), 'invalid_expiry_year_past');
  assert.equal(codeOf(expiryRules, '12/3'), 'incomplete_expiry');
});

test('a security code has three digits, for American Express four', () => {
  assert.equal(cvcRules(() => '4242').clean('1234'), '123');
  assert.equal(cvcRules(() => '').clean('12345'), '1234');
  assert.equal(
    codeOf(
      cvcRules(() => '3782'),
      '123',
    ),
    'incomplete_cvc',
  );
  assert.equal(
    codeOf(
      cvcRules(() => '3782'),
      '1234',
    ),
    undefined,
  );
});
