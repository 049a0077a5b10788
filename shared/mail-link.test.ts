import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailLink } from './mail-link.ts';

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
