import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  audioRecordingNotice,
  cancellationPolicy,
  type Policy,
  registrationPaymentPolicy,
} from './policies.ts';

const office = { officeEmail: 'retreats@office.example', officePhone: '+1 555 0100' };

const textOf = (policy: Policy) => policy.paragraphs.join(' ').replaceAll('\u00a0', ' ');

test('R8 the payment policy shows how the deposit and the balance come about', () => {
  const text = textOf(registrationPaymentPolicy(office));
  for (const figure of ['$695 plus a 3.75%', '$721', 'December 21, 2025', '$700 plus the 3.75%', '$726.25']) {
    assert.ok(text.includes(figure), figure);
  }
  assert.ok(text.includes(office.officeEmail) && text.includes(office.officePhone));
});

test('R8 the cancellation policy: deposit kept, refund by the balance date, in writing', () => {
  const policy = cancellationPolicy(office);
  assert.equal(policy.title, 'Cancellation Policy');
  for (const rule of [
    /non-refundable/,
    /by December 21, 2025/,
    /no refunds, transfers or credits/,
    /e-mail, fax or post/,
  ]) {
    assert.match(textOf(policy), rule);
  }
});

test('R8 the recording notice names consent', () => {
  assert.match(textOf(audioRecordingNotice), /consent .*likeness/);
});
