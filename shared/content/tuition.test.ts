import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { edition } from './compiled/january-2026.ts';
import { balanceOf } from './tuition.ts';

const { facts } = edition;
const DEPOSIT = 72_100;
const BALANCE = 72_625;

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
