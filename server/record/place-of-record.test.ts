import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Changes, recordWith, refund } from '#server/testing/test-registrations.ts';
import { placeOf } from './registration-state.ts';

const by = { at: new Date('2025-12-12T10:00:00-08:00'), by: 'Anna' };
const cancel = { ...by, writtenAt: by.at };

const cases: [ReturnType<typeof placeOf>, string, Changes][] = [
  ['open', 'who has not paid', { deposit: 'unpaid', depositCents: 0 }],
  ['free', 'whose payment was closed', { deposit: 'closed', depositCents: 0 }],
  ['taken', 'who paid', {}],
  ['taken', 'who may still undo her cancellation', { decisions: { cancel } }],
  [
    'free',
    'whose cancellation is carried out',
    { decisions: { cancel }, cancelled: { ...by, cents: 0, checkCents: 0 } },
  ],
  ['taken', 'who got a part of her deposit back', { refunds: [refund({ of: 'deposit', cents: 72_099 })] }],
  ['free', 'who got all of it back', { refunds: [refund({ of: 'deposit', cents: 72_100 })] }],
  ['taken', 'who got her balance back', { refunds: [refund({ of: 'balance', cents: 72_625 })] }],
  ['taken', 'who disputes a charge', { disputed: true }],
  ['taken', 'whose data were removed', { forgottenAt: by.at }],
];

for (const [place, who, changes] of cases)
  test(`the place of somebody ${who} is ${place}`, () => {
    assert.equal(placeOf(recordWith(changes)), place);
  });
