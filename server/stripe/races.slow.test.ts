import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readActs } from '#server/registration/registration.ts';
import { recordReceived, startCharged, startDue } from '#server/testing/test-charges.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { fitPayments, openBalance } from './balance.ts';
import { chargeBalance } from './charge.ts';
import { decide } from './decide.ts';
import { makeDueRefunds } from './refunds.ts';
import { isUnexpectedState } from './stripe-calls.ts';

const { balanceCents, balanceBeforeFeeCents, depositCents } = edition.facts.prices;
const by = 'Anna';

/** The requests of a charge: it opens the payment, tries the card, reads the payment. */
const CHARGE_STEPS = [1, 2, 3];
const TRIES = 2;
/** Those of a refund: it reads the deposit and the balance, looks for the refund, makes it, and reads the balance again. */
const REFUND_STEPS = [1, 2, 3, 4, 5];
/** From this one on the payout is claimed. */
const CLAIMED = 3;
const MAKES = 4;
/** A refund of both payments looks for, makes and reads twice. */
const REFUND_STEPS_OF_BOTH = [1, 2, 3, 4, 5, 6, 7, 8];
const EXCEPTION = balanceCents + 27_375;

test('a balance is charged once by two workers, at whatever step the second one starts', async (t) => {
  for (const step of CHARGE_STEPS) {
    const { at, charge, charged, connect, now, id, balances } = await startDue(t);
    let second: Promise<unknown> | undefined;
    at(step, () => {
      second = connect().ask(chargeBalance, id, now());
      return undefined;
    });
    const first = await charge(id);
    await second;
    assert.ok(['charged', 'stopped'].includes(first.type));
    assert.deepEqual([await charged(id), (await balances(id)).length], [[balanceCents], 1]);
  }
});

test('a balance is paid once by her or by a worker, at whatever step she presses', async (t) => {
  for (const step of CHARGE_STEPS) {
    const due = await startDue(t);
    const { at, charge, charged, stripe, find, state, id, balances, now } = due;
    const press = async (): Promise<undefined> => {
      const { id: open } = await openBalance(due, await find(id), now());
      await stripe.paymentIntents.confirm(open, { payment_method: 'pm_card_mastercard' });
    };
    let pressed: Promise<undefined> | undefined;
    at(step, () => {
      pressed = press();
      // At the first step her press waits for the worker's payment, so the worker must not wait for her.
      return step === 1 ? undefined : pressed;
    });
    await charge(id);
    await pressed?.catch((error: unknown) => assert.ok(isUnexpectedState(error)));
    assert.deepEqual([await charged(id), await state(id)], [[balanceCents], 'settled']);
    assert.equal((await balances(id)).length, 1);
  }
});

for (const kind of ['cancel', 'check'] as const)
  test(`nothing is charged once the office has recorded a ${kind}, at whatever step before the try`, async (t) => {
    for (const step of [1, TRIES]) {
      const { at, charge, charged, payments, find, now, id, balances } = await startDue(t);
      at(step, async () => {
        const [before, act] = [await find(id), { at: now(), by }];
        if (kind === 'cancel') await payments.ask(decide, before, kind, { ...act, writtenAt: now() });
        else {
          const check = { ...act, way: 'check', cents: balanceBeforeFeeCents, on: now() } as const;
          await payments.ask(recordReceived, before, check);
        }
        return undefined;
      });
      assert.equal((await charge(id)).type, 'stopped');
      await payments.ask(fitPayments, id, now());
      assert.deepEqual(await charged(id), []);
      for (const { status } of await balances(id)) assert.equal(status, 'canceled');
    }
  });

const ORDERS = [
  {
    what: 'the refund of a cancellation',
    steps: REFUND_STEPS,
    refunded: [['balance', balanceBeforeFeeCents]],
    ends: 'refunded',
    decide: ({ cancel }: Awaited<ReturnType<typeof startCharged>>) => cancel(),
  },
  {
    what: 'an exceptional refund of both payments',
    steps: REFUND_STEPS_OF_BOTH,
    refunded: [
      ['balance', balanceCents],
      ['deposit', EXCEPTION - balanceCents],
    ],
    ends: 'settled',
    decide: ({ except }: Awaited<ReturnType<typeof startCharged>>) => except(EXCEPTION),
  },
];

for (const { what, steps, refunded, ends, decide: order } of ORDERS)
  test(`${what} is made once by two workers, at whatever step the second one starts`, async (t) => {
    assert.ok(EXCEPTION < balanceCents + depositCents);
    for (const step of steps) {
      const charged = await startCharged(t);
      const { at, workOff, connect, id, now, database, refunds, state } = charged;
      await order(charged);
      let other: Promise<unknown> | undefined;
      at(step, () => {
        other = connect().ask(makeDueRefunds, id, now());
        return undefined;
      });
      await workOff();
      await other;
      await workOff();
      assert.deepEqual([await refunds(), await state()], [refunded, ends]);
      assert.deepEqual(await workOff(), { type: 'stopped', why: 'nothing-due' });
      const acts = await database.read((transaction) => readActs(transaction, id));
      assert.ok(acts.filter(({ kind }) => kind === 'cancelled').length <= 1, 'it is recorded twice');
    }
  });

test('a refund by hand at whatever step of a worker lowers what the worker makes, until that is claimed', async (t) => {
  for (const step of REFUND_STEPS) {
    const { cancel, at, workOff, connect, id, now, refunds, refundByHand, afterHours, state } =
      await startCharged(t);
    await refundByHand(69_000);
    await cancel();
    at(step, async () => {
      await refundByHand(100);
      await connect().ask(makeDueRefunds, id, now());
      return undefined;
    });
    await workOff();
    afterHours(25);
    await workOff();
    const [first, ...others] = (await refunds()).map(([, cents]) => cents);
    assert.equal(first, 69_000);
    assert.deepEqual(others.toSorted(), step < CLAIMED ? [100, 900] : [100, 1_000]);
    assert.equal(await state(), 'refunded');
  }
});

test('a dispute that opens at whatever step of a refund blocks it, until the office says that it is over', async (t) => {
  for (let step = 1; step <= MAKES; step += 1) {
    const { cancel, at, workOff, dispute, refunds, payments, find, sandbox, now, afterHours, state } =
      await startCharged(t);
    await cancel();
    let opened: Awaited<ReturnType<typeof dispute>> | undefined;
    at(step, async () => {
      opened = await dispute();
      return undefined;
    });
    assert.notEqual((await workOff()).type, 'given-back');
    assert.ok(opened);
    assert.deepEqual(await workOff(), { type: 'stopped', why: 'disputed' });
    sandbox.bank.closeDispute(opened.id, 'won');
    await workOff();
    assert.deepEqual(await refunds(), []);
    const over = { at: now(), by, charges: [opened.charge], disputes: [opened.id] };
    await payments.ask(decide, await find(), 'disputeOver', over);
    // Stripe repeats a refusal under the same idempotency key for a day.
    afterHours(25);
    await workOff();
    assert.deepEqual([await refunds(), await state()], [[['balance', balanceBeforeFeeCents]], 'refunded']);
  }
});
