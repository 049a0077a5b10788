import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { balance, type Changes, recordWith, refund, withCheck } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { refundAt } from './registration.ts';

const BALANCE = edition.facts.prices.balanceCents;

const byCard = (at: string, changes = {}) => ({
  balances: [balance({ status: 'paid', paidAt: new Date(at), ...changes })],
});

interface Case {
  paid?: Changes;
  cancelled: string;
  back: number;
  byCheck?: number;
}

const cases: Record<string, Case> = {
  'deposit only, cancelled on December 20': { cancelled: '2025-12-20T12:00:00-08:00', back: 0 },
  'deposit only, cancelled after the deadline': { cancelled: '2025-12-23T12:00:00-08:00', back: 0 },
  'balance paid early, cancelled on December 20': {
    paid: byCard('2025-12-15T09:00:00-08:00'),
    cancelled: '2025-12-20T12:00:00-08:00',
    back: 70_000,
  },
  'charged on the due day, cancelled in the last millisecond of that day': {
    paid: byCard('2025-12-21T17:00:00-08:00'),
    cancelled: '2025-12-22T07:59:59.999Z',
    back: 70_000,
  },
  'charged on the due day, cancelled a millisecond after that day': {
    paid: byCard('2025-12-21T17:00:00-08:00'),
    cancelled: '2025-12-22T08:00:00.000Z',
    back: 0,
  },
  'cancelled at 23:58 Pacific, whenever the office works on it': {
    paid: byCard('2025-12-21T17:00:00-08:00'),
    cancelled: '2025-12-21T23:58:00-08:00',
    back: 70_000,
  },
  'the balance paid by check comes back by check': {
    paid: withCheck(70_000, new Date('2025-12-10T12:00:00-08:00')),
    cancelled: '2025-12-20T12:00:00-08:00',
    back: 0,
    byCheck: 70_000,
  },
  '$100 refunded before': {
    paid: {
      ...byCard('2025-12-15T09:00:00-08:00'),
      refunds: [refund({ cents: 10_000, at: new Date('2025-12-16T09:00:00-08:00') })],
    },
    cancelled: '2025-12-20T12:00:00-08:00',
    back: 60_000,
  },
  'charged by a race after she had cancelled': {
    paid: byCard('2025-12-21T17:00:00-08:00'),
    cancelled: '2025-12-21T16:59:59.999-08:00',
    back: BALANCE,
  },
};

describe('R8 what comes back when a registrant cancels', () => {
  for (const [name, { paid = {}, cancelled, back, byCheck = 0 }] of Object.entries(cases)) {
    test(name, () => {
      const { byCardCents, byCheckCents, lines } = refundAt(recordWith(paid), new Date(cancelled));
      assert.deepEqual([byCardCents, byCheckCents], [back, byCheck]);
      assert.equal(
        lines.reduce((sum, { cents }) => sum + cents, 0),
        back + byCheck,
      );
    });
  }

  test('an edition whose terms give the card fee back', () => {
    const { facts } = edition;
    const generous = { ...edition, facts: { ...facts, balance: { ...facts.balance, feeRefundable: true } } };
    const record = recordWith({ edition: generous, ...byCard('2025-12-15T09:00:00-08:00') });
    assert.equal(refundAt(record, new Date('2025-12-20T12:00:00-08:00')).byCardCents, BALANCE);
    assert.equal(refundAt(record, new Date('2025-12-22T12:00:00-08:00')).byCardCents, 0);
  });
});
