import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { edition } from './compiled/january-2026/edition.ts';
import { type AmountsPaid, balanceOf, type PaidBalance, refundOf } from './tuition.ts';

const { facts } = edition;
const DEPOSIT = 72_100;
const BALANCE = 72_625;

const byCard = (at: string, beforeFeeCents = 70_000, feeCents = 2_625): PaidBalance => ({
  by: 'card',
  beforeFeeCents,
  feeCents,
  at: new Date(at),
  refundedCents: 0,
});

interface Case {
  balance?: PaidBalance;
  cancelled: string;
  back: number;
  byCheck?: number;
}

const cases: Record<string, Case> = {
  'deposit only, cancelled on December 20': { cancelled: '2025-12-20T12:00:00-08:00', back: 0 },
  'deposit only, cancelled after the deadline': { cancelled: '2025-12-23T12:00:00-08:00', back: 0 },
  'balance paid early, cancelled on December 20': {
    balance: byCard('2025-12-15T09:00:00-08:00'),
    cancelled: '2025-12-20T12:00:00-08:00',
    back: 70_000,
  },
  'charged on the due day, cancelled in the last millisecond of that day': {
    balance: byCard('2025-12-21T17:00:00-08:00'),
    cancelled: '2025-12-22T07:59:59.999Z',
    back: 70_000,
  },
  'charged on the due day, cancelled a millisecond after that day': {
    balance: byCard('2025-12-21T17:00:00-08:00'),
    cancelled: '2025-12-22T08:00:00.000Z',
    back: 0,
  },
  'cancelled at 23:58 Pacific, whenever the office works on it': {
    balance: byCard('2025-12-21T17:00:00-08:00'),
    cancelled: '2025-12-21T23:58:00-08:00',
    back: 70_000,
  },
  'the balance paid by check comes back by check': {
    balance: { ...byCard('2025-12-10T12:00:00-08:00', 70_000, 0), by: 'check' },
    cancelled: '2025-12-20T12:00:00-08:00',
    back: 0,
    byCheck: 70_000,
  },
  '$200 waived': {
    balance: byCard('2025-12-15T09:00:00-08:00', 50_000, 1_875),
    cancelled: '2025-12-20T12:00:00-08:00',
    back: 50_000,
  },
  '$100 refunded before': {
    balance: { ...byCard('2025-12-15T09:00:00-08:00'), refundedCents: 10_000 },
    cancelled: '2025-12-20T12:00:00-08:00',
    back: 60_000,
  },
  'charged by a race after she had cancelled': {
    balance: byCard('2025-12-21T17:00:00-08:00'),
    cancelled: '2025-12-21T16:59:59.999-08:00',
    back: BALANCE,
  },
};

describe('R8 what comes back when a registrant cancels', () => {
  for (const [name, { balance, cancelled, back, byCheck = 0 }] of Object.entries(cases)) {
    test(name, () => {
      const paid = {
        depositCents: DEPOSIT,
        balance: balance ? [balance] : [],
      };
      const refund = refundOf(facts, paid, new Date(cancelled));
      assert.deepEqual([refund.byCardCents, refund.byCheckCents], [back, byCheck]);
      assert.equal(sumOf(refund.lines), back + byCheck);
    });
  }

  test('an edition whose terms give the card fee back', () => {
    const generous = { balance: { ...facts.balance, feeRefundable: true } };
    const paid = { depositCents: DEPOSIT, balance: [byCard('2025-12-15T09:00:00-08:00')] };
    assert.equal(refundOf(generous, paid, new Date('2025-12-20T12:00:00-08:00')).byCardCents, BALANCE);
    assert.equal(refundOf(generous, paid, new Date('2025-12-22T12:00:00-08:00')).byCardCents, 0);
  });

  test('is never more than was paid, and goes back the way it was paid', () => {
    fc.assert(
      fc.property(anyPayments, anyMoment, fc.boolean(), (payments, cancelledAt, feeRefundable) => {
        const { byCardCents, byCheckCents, lines } = refundOf(
          editionWith(feeRefundable),
          payments,
          cancelledAt,
        );
        assert.ok(byCardCents >= 0 && byCheckCents >= 0);
        const paidBy = (isCard: boolean) =>
          payments.balance
            .filter(({ by }) => (by === 'card') === isCard)
            .reduce((sum, { beforeFeeCents, feeCents }) => sum + beforeFeeCents + feeCents, 0);
        const refunded = payments.balance.reduce((sum, { refundedCents }) => sum + refundedCents, 0);
        assert.ok(byCardCents <= Math.max(0, paidBy(true) - refunded));
        assert.ok(byCheckCents <= paidBy(false));
        assert.equal(sumOf(lines), byCardCents + byCheckCents);
      }),
    );
  });

  test('cancelling later never gives more', () => {
    fc.assert(
      fc.property(anyPayments, anyMoment, anyMoment, fc.boolean(), (payments, one, other, feeRefundable) => {
        const back = [one, other]
          .toSorted((a, b) => a.getTime() - b.getTime())
          .map((at) => refundOf(editionWith(feeRefundable), payments, at))
          .map(({ byCardCents, byCheckCents }) => byCardCents + byCheckCents);
        assert.ok((back[0] ?? 0) >= (back[1] ?? 0));
      }),
    );
  });
});

describe('R8 the balance', () => {
  test('is what the page and the policy say', () => {
    assert.deepEqual(balanceOf(facts), {
      beforeFeeCents: 70_000,
      feeCents: 2_625,
      byCardCents: BALANCE,
    });
    assert.equal(balanceOf(facts).byCardCents, facts.prices.balanceCents);
    assert.equal(facts.prices.byCardCents, DEPOSIT + BALANCE);
  });

  test('is reduced by what is waived, with the fee on the rest', () => {
    const { beforeFeeCents, feeCents } = balanceOf(facts, 20_000);
    assert.deepEqual([beforeFeeCents, feeCents], [50_000, 1_875]);
    assert.equal(balanceOf(facts, 70_000).byCardCents, 0);
  });

  test('its parts and fees never differ from the whole by a cent', () => {
    const waived = fc.integer({ min: 0, max: facts.prices.balanceBeforeFeeCents });
    fc.assert(
      fc.property(waived, (cents) => {
        const balance = balanceOf(facts, cents);
        assert.equal(balance.beforeFeeCents + cents, facts.prices.balanceBeforeFeeCents);
        assert.equal(balance.beforeFeeCents + balance.feeCents, balance.byCardCents);
        assert.ok(Math.abs(balance.feeCents - (balance.beforeFeeCents * 375) / 10_000) <= 0.5);
      }),
    );
  });

  test('cannot be waived by more than it is', () => {
    for (const cents of [-1, 0.5, 70_001, Number.NaN])
      assert.throws(() => balanceOf(facts, cents), RangeError);
  });
});

const editionWith = (feeRefundable: boolean) => ({ balance: { ...facts.balance, feeRefundable } });

const sumOf = (lines: readonly { cents: number }[]) => lines.reduce((sum, { cents }) => sum + cents, 0);

/** Around the day on which the balance is due. */
const anyMoment = fc.date({ min: new Date('2025-12-01'), max: new Date('2026-01-10'), noInvalidDate: true });

const anyBalance: fc.Arbitrary<PaidBalance> = fc
  .record({
    by: fc.constantFrom('card', 'check', 'transfer'),
    waivedCents: fc.integer({ min: 0, max: 70_000 }),
    at: anyMoment,
    refundedCents: fc.integer({ min: 0, max: DEPOSIT + BALANCE }),
  })
  .map(({ by, waivedCents, refundedCents, at }) => {
    const { beforeFeeCents, feeCents } = balanceOf(facts, waivedCents);
    const isCard = by === 'card';
    return {
      by,
      beforeFeeCents,
      at,
      feeCents: isCard ? feeCents : 0,
      refundedCents: isCard ? refundedCents : 0,
    };
  });

const anyPayments: fc.Arbitrary<AmountsPaid> = fc
  .array(anyBalance, { maxLength: 4 })
  .map((balance) => ({ depositCents: DEPOSIT, balance }));
