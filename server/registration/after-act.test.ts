import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BEGUN, balance, type Changes, recordWith } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { afterAct, handOverStop, type RegistrationRecord, refundStop } from './registration.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const on = (days: number) => new Date(BEGUN.getTime() + days * DAY_MS);
const by = (days: number) => ({ at: on(days), by: 'Anna' });
const { chargeAt } = edition.facts.balance;
const dueOf = (days: number) => new Date(Date.parse(chargeAt) + days * DAY_MS);
const PARTS = [23_333, 23_333, 23_334].map((cents, index) => ({
  number: index + 2,
  cents,
  dueAt: dueOf(14 * index),
}));
const UNPAID: Changes = {
  deposit: 'unpaid',
  depositCents: 0,
  depositDueCents: 69_500,
  depositPayment: undefined,
};

const byCheck = (record: RegistrationRecord, cents: number, days: number) =>
  afterAct(record, { kind: 'received', ...by(days), facts: { way: 'check', cents, on: on(days) } });

describe('R8 of a registration after what the office decides', () => {
  test('whose deposit came by check, and goes back whole: it was paid, and its sum is owed', () => {
    const paid = byCheck(recordWith(UNPAID), 69_500, 1);
    const back = afterAct(paid, { kind: 'cancel', ...by(2), facts: { writtenAt: on(2), whole: true } });
    assert.deepEqual([back.deposit, back.depositCents, back.paidAt], ['paid', 69_500, on(1)]);
    assert.equal(refundStop(back, on(3)), undefined);
  });

  test('R4.6 whose card the worker has charged for a part: her place can be handed over', () => {
    const charged = recordWith({
      decisions: { plan: { ...by(1), parts: PARTS }, planAgreed: by(1) },
      balances: [
        balance({
          number: 2,
          tries: 1,
          status: 'paid',
          paidAt: on(2),
          cents: 24_208,
          beforeFeeCents: 23_333,
        }),
      ],
    });
    assert.equal(handOverStop(charged, on(3)), undefined);
  });
});
