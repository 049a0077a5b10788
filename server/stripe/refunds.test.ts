import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { owedByCheck } from '#server/registration/registration.ts';
import { decide } from '#server/stripe/decide.ts';
import { DAY_MS, startCharged } from '#server/testing/test-charges.ts';
import { recordAct } from '#server/testing/test-database.ts';
import { openBalance } from './balance.ts';

const HOUR_MS = DAY_MS / 24;
const BACK = 70_000;
const BALANCE = 72_625;
/** The request that cancels an open payment, after the one that reads the deposit. */
const CANCELS_OPEN = 2;
/** The request that makes a refund, after those that read deposit, balance and its refunds. */
const MAKES_REFUND = 4;
const LAST_MOMENT = '2025-12-21T23:59:59.999-08:00';

describe('the refund of a cancellation', () => {
  test('waits until she can no longer undo the cancellation, and is made once even if she cancels twice', async (t) => {
    const { payments, find, now, moveTo, workOff, refunds, afterHours, state } = await startCharged(t);
    const cancel = async () =>
      payments.ask(decide, await find(), 'cancel', { at: now(), by: 'Anna', writtenAt: now() });
    await cancel();
    moveTo(new Date(now().getTime() + 24.9 * HOUR_MS));
    assert.deepEqual(await workOff(), { type: 'stopped', why: 'can-be-undone' });
    await payments.ask(decide, await find(), 'cancel', { at: now(), by: 'Anna', withdrawn: true });
    afterHours(48);
    assert.deepEqual(await workOff(), { type: 'stopped', why: 'nothing-due' });
    assert.deepEqual([await refunds(), await state()], [[], 'settled']);
    const again = new Date(LAST_MOMENT);
    await payments.ask(decide, await find(), 'cancel', { at: now(), by: 'Anna', writtenAt: again });
    afterHours(25);
    await workOff();
    await workOff();
    assert.deepEqual([await refunds(), await state()], [[['balance', BACK]], 'refunded']);
  });

  test('is calculated once nobody can pay any more: an open payment is cancelled first', async (t) => {
    const charged = await startCharged(t, { isCharged: false });
    const { id, find, now, database, state, balances, afterHours, workOff } = charged;
    await openBalance(charged, await find(), now());
    // The process that wrote the decision died before it cancelled the payment.
    await recordAct(database, id, 'cancel', { at: now(), writtenAt: now() });
    afterHours(25);
    await workOff();
    assert.deepEqual([(await balances(id))[0]?.status, await state()], ['canceled', 'nothing-back']);
  });

  test('is left for later while one is open that was begun in the moment in which the others were cancelled', async (t) => {
    const charged = await startCharged(t, { isCharged: false });
    const { id, at, find, now, stripe, database, state, afterHours, workOff } = charged;
    const open = await openBalance(charged, await find(), now());
    const before = await find();
    const balances = before.balances.map((one) => ({ ...one, status: 'cancelled' as const }));
    await recordAct(database, id, 'cancel', { at: now(), writtenAt: now() });
    afterHours(25);
    at(CANCELS_OPEN, async () => {
      await stripe.paymentIntents.cancel(open.id);
      await openBalance(charged, { ...before, balances }, now());
      return undefined;
    });
    assert.deepEqual(await workOff(), { type: 'stopped', why: 'elsewhere' });
    await workOff();
    const statuses = (await charged.balances(id)).map(({ status }) => status);
    assert.deepEqual([statuses, await state()], [['canceled', 'canceled'], 'nothing-back']);
  });
});

describe('a refund', () => {
  test('records at Stripe what it is, for whom, and who decided it', async (t) => {
    const { cancel, workOff, stripe, find, id } = await startCharged(t);
    await cancel();
    await workOff();
    const { data } = await stripe.refunds.list();
    assert.equal(data[0]?.reason, 'requested_by_customer');
    assert.deepEqual(data[0]?.metadata, {
      site: 'online-retreat',
      kind: 'refund',
      edition: 'january-2026',
      registration: id,
      order: (await find()).ledger.payouts[0]?.id,
      by: 'Anna',
    });
  });

  test('that fails is not made again: the office sends a check', async (t) => {
    for (const isClosedBefore of [true, false]) {
      const charged = await startCharged(t, { card: 'pm_card_refundFail' });
      const { cancel, workOff, workOffAndBeKilled, stripe, sandbox, state, refunds, find, afterHours } =
        charged;
      await cancel();
      // It may fail before a worker, which was killed, has recorded that it was made.
      await (isClosedBefore ? workOff() : workOffAndBeKilled(MAKES_REFUND, true));
      const { data } = await stripe.refunds.list();
      sandbox.bank.settleRefund(data[0]?.id ?? '');
      for (const hours of [0, 6, 30]) {
        afterHours(hours);
        await workOff();
      }
      assert.deepEqual([await state(), (await refunds()).length], ['refund-failed', 1]);
      assert.equal(owedByCheck(await find()), BACK);
    }
  });

  test('is found among many: eleven were made before it', async (t) => {
    const { cancel, workOff, refunds, refundByHand, state } = await startCharged(t);
    for (let count = 0; count < 11; count += 1) await refundByHand(1_000);
    await cancel();
    await workOff();
    assert.deepEqual((await refunds()).at(-1), ['balance', BACK - 11_000]);
    await workOff();
    assert.deepEqual([(await refunds()).length, await state()], [12, 'refunded']);
  });
});

describe('an exceptional refund', () => {
  test('of more than is left is refused; one can be withdrawn until it is claimed', async (t) => {
    const { except, workOff, workOffAndBeKilled, refunds, payments, find, now } = await startCharged(t);
    await assert.rejects(except(BALANCE + 72_100 + 1), { code: 'not_possible_now' });
    const withdraw = async () =>
      payments.ask(decide, await find(), 'refund', { at: now(), by: 'Anna', withdrawn: true });
    await except(500);
    await withdraw();
    assert.deepEqual(await workOff(), { type: 'stopped', why: 'nothing-due' });
    await except(700);
    await workOffAndBeKilled(MAKES_REFUND, false);
    await assert.rejects(withdraw(), { code: 'not_possible_now' });
    await workOff();
    assert.deepEqual(await refunds(), [['balance', 700]]);
  });

  test('does not wait until she can no longer undo her cancellation, and does not carry that out', async (t) => {
    const { except, workOff, refunds, state, payments, find, now, afterHours } = await startCharged(t);
    await except(10_000);
    await payments.ask(decide, await find(), 'cancel', { at: now(), by: 'Anna', writtenAt: now() });
    assert.deepEqual(await workOff(), { type: 'given-back', cents: 10_000 });
    assert.deepEqual([await refunds(), await state()], [[['balance', 10_000]], 'cancelling']);
    await payments.ask(decide, await find(), 'cancel', { at: now(), by: 'Anna', withdrawn: true });
    afterHours(25);
    assert.deepEqual(await workOff(), { type: 'stopped', why: 'nothing-due' });
    assert.equal(await state(), 'settled');
  });
});
