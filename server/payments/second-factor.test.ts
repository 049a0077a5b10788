import assert from 'node:assert/strict';
import { test } from 'node:test';
import type Stripe from 'stripe';
import { isProof, secondFactorOf } from './find-registration.ts';

test('the last four digits of her phone number are not those of its extension', () => {
  const withoutCode: Pick<Stripe.PaymentIntent, 'latest_charge'> = { latest_charge: null };
  const factor = secondFactorOf(withoutCode, { phoneNumber: '+971 4 555 0142 ext. 77' });
  assert.deepEqual(factor, { kind: 'phone', expected: '0142' });
  for (const typed of ['0142', '+971 4 555 0142', '+971 4 555 0142 ext. 77'])
    assert.ok(isProof(factor, typed), typed);
  for (const typed of ['4277', '77', '']) assert.ok(!isProof(factor, typed), typed);
});
