import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { leftToRefund, owedByCheck } from '#server/registration/registration.ts';
import { decide } from '#server/stripe/decide.ts';
import { DAY_MS, DUE, recordReceived, startCharged, startDue } from '#server/testing/test-charges.ts';
import { recordAct } from '#server/testing/test-database.ts';
import { openBalance } from './balance.ts';
import { makeDueRefunds } from './refunds.ts';

const HOUR_MS = DAY_MS / 24;
const BACK = 70_000;
const BALANCE = 72_625;
/** The request that cancels an open payment, after the one that reads the deposit. */
const CANCELS_OPEN = 2;
/** The request that makes a refund, after those that read deposit, balance and its refunds. */
const MAKES_REFUND = 4;
const LAST_MOMENT = '2025-12-21T23:59:59.999-08:00';

/** Her card has paid the balance, for which a check came, too: some hours later, or before. */
async function startPaidTwice(t: TestContext, hours = 0) {
  const charged = await startCharged(t, { isCharged: false });
  const { id, find, charge, now, payments } = charged;
  await charge(id);
  const on = new Date(now().getTime() + hours * HOUR_MS);
  const check = { at: now(), by: 'Anna', way: 'check', cents: BACK, on } as const;
  await payments.ask(recordReceived, await find(), check);
  return charged;
}

describe('the refund of a cancellation', () => {
  for (const [why, writtenAt, expected] of [
    ['in the last millisecond of the due day', LAST_MOMENT, [['balance', BACK]]],
    ['a millisecond later', '2025-12-22T00:00:00.000-08:00', []],
  ] as const) {
    test(`depends on when she wrote, ${why}, even if it is carried out days later`, async (t) => {
      const { moveTo, cancel, workOff, refunds, state, find } = await startCharged(t);
      moveTo(new Date('2025-12-22T09:00:00-08:00'));
      await cancel(new Date(writtenAt));
      const carriedOut = new Date('2025-12-23T18:00:00-08:00');
      moveTo(carriedOut);
      const cents = expected.length > 0 ? BACK : 0;
      assert.deepEqual(await workOff(), { type: 'given-back', cents });
      assert.deepEqual(await refunds(), expected);
      assert.equal(await state(), cents > 0 ? 'refunded' : 'nothing-back');
      const at = (await find()).cancelled?.at ?? assert.fail();
      // From that moment on, the clock goes on.
      assert.ok(at >= carriedOut && at.getTime() < carriedOut.getTime() + HOUR_MS, at.toISOString());
    });
  }

  test('is a check that the office sends if she paid by check', async (t) => {
    const charged = await startCharged(t, { isCharged: false });
    const { payments, find, now, cancel, workOff, refunds, state, afterHours } = charged;
    const act = () => ({ at: now(), by: 'Anna', cents: BACK });
    await payments.ask(recordReceived, await find(), { ...act(), way: 'check', on: now() });
    afterHours(1);
    await cancel();
    assert.deepEqual(await workOff(), { type: 'given-back', cents: 0 });
    assert.deepEqual([await state(), owedByCheck(await find())], ['refund-pending', BACK]);
    assert.deepEqual(await refunds(), []);
    await payments.ask(decide, await find(), 'checkSent', { ...act(), sentAt: now() });
    assert.equal(await state(), 'refunded');
  });

  test('is less by what support refunded before, and excludes what was waived', async (t) => {
    const { cancel, refundByHand, workOff, refunds } = await startCharged(t);
    await refundByHand(10_000);
    await cancel();
    await workOff();
    assert.deepEqual(await refunds(), [
      ['balance', 10_000],
      ['balance', 60_000],
    ]);

    const waived = await startCharged(t, { isCharged: false });
    await waived.payments.ask(decide, await waived.find(), 'waived', { at: DUE, by: 'Anna', cents: 20_000 });
    await waived.charge(waived.id);
    await waived.cancel();
    assert.deepEqual(await waived.workOff(), { type: 'given-back', cents: 50_000 });
    assert.deepEqual(await waived.refunds(), [['balance', 50_000]]);
  });

  test('includes a check, even if she paid by card too and that payment was refunded', async (t) => {
    const { find, cancel, workOff, refundByHand } = await startPaidTwice(t, -1);
    await refundByHand(BALANCE);
    await cancel();
    assert.deepEqual(await workOff(), { type: 'given-back', cents: 0 });
    assert.equal(owedByCheck(await find()), BACK);
  });

  for (const [backCents, toCard, byCheck] of [
    [0, 70_000, 70_000],
    [30_000, 40_000, 70_000],
  ] as const) {
    test(`is all that she paid twice beside what the policy gives back, if $${backCents / 100} was refunded before`, async (t) => {
      const { payments, find, now, cancel, workOff, refundByHand } = await startPaidTwice(t);
      if (backCents > 0) await refundByHand(backCents);
      assert.equal(owedByCheck(await find()), BACK - backCents);
      await cancel();
      assert.deepEqual(await workOff(), { type: 'given-back', cents: toCard });
      assert.equal(owedByCheck(await find()), byCheck);
      const sent = { at: now(), by: 'Anna', cents: byCheck, sentAt: now() };
      await payments.ask(decide, await find(), 'checkSent', sent);
      assert.equal(owedByCheck(await find()), 0);
    });
  }

  test('is all of what is charged while she cancels, and nothing if her cancellation comes first', async (t) => {
    // Opens the payment, tries the card, reads the payment.
    for (let step = 1; step <= 3; step += 1) {
      const { id, at, payments, find, now, moveTo, charge, charged, state, stripe } = await startDue(t);
      at(step, async () => {
        // Stripe tells only in which second it took the money.
        const writtenAt = new Date(now().getTime() - 1_000);
        await payments.ask(decide, await find(id), 'cancel', { at: now(), by: 'Anna', writtenAt });
        return undefined;
      });
      await charge(id);
      moveTo(new Date(now().getTime() + 25 * HOUR_MS));
      await payments.ask(makeDueRefunds, id, now());
      const came = (await charged(id)).reduce((sum, cents) => sum + cents, 0);
      const { data } = await stripe.refunds.list();
      assert.equal(
        data.reduce((sum, { amount }) => sum + amount, 0),
        came,
      );
      assert.equal(await state(id), came > 0 ? 'refunded' : 'nothing-back');
    }

    // She wrote before the charge, and it is recorded after it.
    const { find, payments, now, id, afterHours, workOff, refunds, charge } = await startCharged(t, {
      isCharged: false,
    });
    await charge(id);
    const writtenAt = new Date(now().getTime() - 2_000);
    await payments.ask(decide, await find(), 'cancel', { at: now(), by: 'Anna', writtenAt });
    afterHours(25);
    await workOff();
    assert.deepEqual(await refunds(), [['balance', BALANCE]]);
  });

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

  test('that Stripe refuses because of a dispute waits for its end, and moves no money', async (t) => {
    const { cancel, workOff, refunds, dispute, at } = await startCharged(t);
    await cancel();
    at(MAKES_REFUND, async () => {
      await dispute();
      return undefined;
    });
    assert.deepEqual(await workOff(), { type: 'stopped', why: 'disputed' });
    assert.deepEqual(await refunds(), []);
    assert.deepEqual(await workOff(), { type: 'stopped', why: 'disputed' });
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
  test('is taken from the balance, at once, and as often as the office decides on one', async (t) => {
    const { except, workOff, refunds, state, afterHours } = await startCharged(t);
    for (let count = 1; count <= 10; count += 1) {
      await except(100 * count);
      assert.deepEqual(await workOff(), { type: 'given-back', cents: 100 * count });
      assert.deepEqual(await workOff(), { type: 'stopped', why: 'nothing-due' });
      afterHours(1);
    }
    assert.equal((await refunds()).length, 10);
    assert.equal(await state(), 'settled');
  });

  test('is taken from the deposit where the balance does not cover it, and refused while she owes it', async (t) => {
    const { except, workOff, refunds } = await startCharged(t);
    await except(BALANCE + 72_100);
    await workOff();
    assert.deepEqual(await refunds(), [
      ['balance', BALANCE],
      ['deposit', 72_100],
    ]);
    const unpaid = await startCharged(t, { isCharged: false });
    await assert.rejects(unpaid.except(500), { code: 'not_possible_now' });
  });

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

  test('before she cancels is part of the cancellation’s refund, also if both are carried out together', async (t) => {
    for (const isMadeFirst of [true, false]) {
      const { except, cancel, workOff, refunds, state } = await startCharged(t);
      await except(10_000);
      if (isMadeFirst) await workOff();
      await cancel();
      await workOff();
      assert.deepEqual(await refunds(), [
        ['balance', 10_000],
        ['balance', 60_000],
      ]);
      assert.equal(await state(), 'refunded');
    }
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

  test('after she cancelled is added to the refund of the cancellation', async (t) => {
    const { except, cancel, workOff, refunds, state } = await startCharged(t);
    await cancel();
    await workOff();
    await except(5_000);
    assert.deepEqual(await workOff(), { type: 'given-back', cents: 5_000 });
    assert.deepEqual(await refunds(), [
      ['balance', BACK],
      ['balance', 2_625],
      ['deposit', 2_375],
    ]);
    assert.equal(await state(), 'refunded');
  });

  test('that her bank rejected counts as refunded: she gets it by check', async (t) => {
    const charged = await startCharged(t, { card: 'pm_card_refundFail' });
    const { except, cancel, workOff, refunds, stripe, sandbox, payments, find, now } = charged;
    await except(10_000);
    await workOff();
    const { data } = await stripe.refunds.list();
    sandbox.bank.settleRefund(data[0]?.id ?? '');
    assert.deepEqual(leftToRefund(await find()), { deposit: 72_100, balance: BALANCE });
    const check = { at: now(), by: 'Anna', cents: 10_000, sentAt: now() };
    await payments.ask(decide, await find(), 'checkSent', check);
    await cancel();
    assert.deepEqual(await workOff(), { type: 'given-back', cents: 60_000 });
    assert.deepEqual(await refunds(), [
      ['balance', 10_000],
      ['balance', 60_000],
    ]);
  });

  test('is owed by check even if another one was decided since, and other checks were sent', async (t) => {
    const charged = await startCharged(t, { card: 'pm_card_refundFail' });
    const { except, cancel, workOff, stripe, sandbox, payments, find, now, afterHours } = charged;
    await except(1_000);
    await workOff();
    afterHours(1);
    await except(2_000);
    await workOff();
    await cancel();
    await workOff();
    const { data } = await stripe.refunds.list();
    const owed: number[] = [];
    // Her bank rejects one after the other, and the office sends a check each time.
    for (const { id } of data) {
      sandbox.bank.settleRefund(id);
      owed.push(owedByCheck(await find()));
      const check = { at: now(), by: 'Anna', cents: owed.at(-1) ?? 0, sentAt: now() };
      await payments.ask(decide, await find(), 'checkSent', check);
      assert.equal(owedByCheck(await find()), 0);
      afterHours(24);
    }
    assert.deepEqual(owed, [BACK - 3_000, 2_000, 1_000]);
  });
});
