import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dialledNumber, lastDigits, mailLink, phoneLink } from './mail-and-phone.ts';

test('no part of an address becomes a parameter of its link', () => {
  assert.equal(
    mailLink('bcc?bcc=copy%40evil.example&body=x@example.com'),
    'mailto:bcc%3Fbcc%3Dcopy%2540evil.example%26body%3Dx@example.com',
  );
  assert.equal(mailLink('"w@home"@example.com'), 'mailto:%22w%40home%22@example.com');
});

test('a subject is encoded too', () => {
  assert.equal(
    mailLink('office@example.com', 'A question: Wilma & Ada'),
    'mailto:office@example.com?subject=A%20question%3A%20Wilma%20%26%20Ada',
  );
});

test('R2.4 a link calls the number without its extension, which the caller dials', () => {
  for (const [phone, href] of [
    ['+971 4 555 0142 ext. 77', 'tel:+97145550142'],
    ['+1 (555) 555-0100 ext. 3', 'tel:+15555550100'],
    ['555 555 0142x12', 'tel:5555550142'],
    ['+1 555 555 0142 #12', 'tel:+15555550142'],
    ['+1 555 555 0142, Extension: 12', 'tel:+15555550142'],
    ['+1 555 555 0142;ext=3', 'tel:+15555550142'],
  ] as const)
    assert.equal(phoneLink(phone), href, phone);
});

test('the trunk zero in parentheses is not dialled from abroad', () => {
  assert.equal(dialledNumber('+44 (0)20 7946 0958'), '+442079460958');
  assert.equal(dialledNumber('(+49) (0) 89 5550123'), '+49895550123');
  assert.equal(dialledNumber('(020) 7946 0958'), '02079460958');
});

test('the last digits are those of the number, not of its extension', () => {
  for (const phone of ['+971 4 555 0142 ext. 77', '+1 (555) 555-0142', '0142', '555 0142 x1234'])
    assert.equal(lastDigits(phone, 4), '0142', phone);
  assert.equal(lastDigits('014', 4), '');
});
