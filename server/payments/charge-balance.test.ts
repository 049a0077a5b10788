import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DUE, daysAfter, startCharges, startDue } from '#server/testing/test-charges.ts';

const BALANCE = 72_625;
const ACT = { by: 'Anna' };

describe('charging a balance', () => {
  test('at its moment, and not a second before, her card pays just what is left', async (t) => {
    const { charge, charged, state, moveTo, register, tell, balances } = await startCharges(t);
    const id = await register();
    await tell(id);
    moveTo(new Date(DUE.getTime() - 1_000));
    assert.deepEqual(await charge(id), { type: 'stopped', why: 'not-due' });
    moveTo(DUE);
    assert.deepEqual(await charge(id), { type: 'charged', cents: BALANCE });
    assert.deepEqual([await charged(id), await state(id)], [[BALANCE], 'settled']);
    const [balance, ...others] = await balances(id);
    assert.deepEqual([balance?.metadata.try, others.length], ['1', 0]);
    assert.deepEqual(await charge(id), { type: 'stopped', why: 'not-due' });
    assert.deepEqual(await charged(id), [BALANCE]);
  });
});
