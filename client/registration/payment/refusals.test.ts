import assert from 'node:assert/strict';
import { test } from 'node:test';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { messages } from '#shared/registration.ts';
import { wordsForCanceled } from './refusals.ts';

const endSeconds = Date.parse(facts.registration.closes) / 1000;

for (const [what, cancellation_reason, canceled_at, words] of [
  ['five failures', 'abandoned', endSeconds - 60, messages.paymentClosed],
  ['five failures after the registration’s end', 'abandoned', endSeconds + 60, messages.paymentClosed],
  ['the end of the registration', null, endSeconds, messages.registrationClosed],
  ['the office, before that end', null, endSeconds - 1, messages.paymentCanceled],
  ['the office, with a reason', 'requested_by_customer', endSeconds - 60, messages.paymentCanceled],
  ['at an unknown time', null, null, messages.paymentCanceled],
] as const) {
  test(`R4.4 the message for a payment cancelled by or at: ${what}`, () => {
    assert.equal(wordsForCanceled({ cancellation_reason, canceled_at }), words);
  });
}
