import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Fault } from '#scripts/stripe-sandbox/sandbox.ts';
import { readActs } from '#server/registration/registration.ts';
import { decide } from '#server/stripe/decide.ts';
import { startCharged } from '#server/testing/test-charges.ts';
import { makeDueRefunds } from './refunds.ts';

const BACK = 70_000;

type Charged = Awaited<ReturnType<typeof startCharged>>;

/** The requests that carry out a cancellation, in their order; the payout is ordered before the third, and claimed. */
const STEPS = [
  'reads the deposit',
  'reads the balance',
  'looks for the refund',
  'makes the refund',
  'reads the balance with its refund',
] as const;
/** From then on the refund is made. */
const MAKES = STEPS.indexOf('makes the refund') + 1;
/** Until then the sum may still become another one. */
const CLAIMED = STEPS.indexOf('looks for the refund') + 1;

/** The requests that make an exceptional refund that the balance does not cover. */
const EXCEPTION_STEPS = [
  'reads the deposit',
  'reads the balance',
  'looks for the refund of the balance',
  'refunds the balance',
  'reads the balance with its refund',
  'looks for the refund of the deposit',
  'refunds a part of the deposit',
  'reads the deposit with its refund',
] as const;
const EXCEPTION = 100_000;

/** What a worker makes: how it is decided, with which requests, what goes back, and where she stands then. */
const CANCELLATION = {
  what: 'the refund of a cancellation',
  steps: STEPS,
  refunded: [['balance', BACK]],
  ends: 'refunded',
  decide: ({ cancel }: Charged) => cancel(),
};
const EXCEPTIONAL = {
  what: 'an exceptional refund',
  steps: EXCEPTION_STEPS,
  refunded: [
    ['balance', 72_625],
    ['deposit', 27_375],
  ],
  ends: 'settled',
  decide: ({ except }: Charged) => except(EXCEPTION),
};
const ORDERS = [CANCELLATION, EXCEPTIONAL];

/** How long it takes until another worker continues, in hours, see also `kills.slow.test.ts`; after a day Stripe has forgotten the idempotency keys. */
const WAITS = [1, 30];

/** She gets what was decided, once, and nothing more is due. */
async function assertMade(
  { workOff, refunds, state }: Charged,
  { refunded, ends }: (typeof ORDERS)[number],
): Promise<void> {
  await workOff();
  assert.deepEqual([await refunds(), await state()], [refunded, ends]);
  assert.deepEqual(await workOff(), { type: 'stopped', why: 'nothing-due' });
}

describe('a worker that is killed while it makes a refund: the next one', () => {
  for (const order of ORDERS) {
    for (const [index, step] of order.steps.entries()) {
      for (const isSent of [true, false]) {
        const when = isSent ? 'after' : 'before';
        test(`makes ${order.what} once, after the first one was killed ${when} it ${step}`, async (t) => {
          for (const hours of WAITS) {
            const charged = await startCharged(t);
            await order.decide(charged);
            await charged.workOffAndBeKilled(index + 1, isSent);
            charged.afterHours(hours);
            await assertMade(charged, order);
          }
        });
      }
    }
  }
});

describe('Stripe fails while a refund is made:', () => {
  const faults: readonly [string, Fault][] = [
    ['it answers 500 and has carried the request out', { kind: 'answer-500', carryOut: true }],
    ['it answers 500 and has not carried the request out', { kind: 'answer-500', carryOut: false }],
    ['it answers 429', { kind: 'rate-limit' }],
    ['the answer is lost', { kind: 'reset', carryOut: true }],
    ['the connection breaks', { kind: 'reset', carryOut: false }],
  ];
  for (const [what, fault] of faults) {
    for (const [index, step] of EXCEPTIONAL.steps.entries()) {
      test(`${what}, where the worker ${step}: it is made once, by this worker or the next`, async (t) => {
        const charged = await startCharged(t);
        await EXCEPTIONAL.decide(charged);
        charged.at(index + 1, () => fault);
        await charged.workOff().catch(() => {});
        await assertMade(charged, EXCEPTIONAL);
      });
    }
  }

  test('it repeats its 500 for a day: the next worker continues with new keys', async (t) => {
    const { cancel, at, workOff, refunds } = await startCharged(t);
    await cancel();
    let failing = 5;
    const failAll = (): Fault | undefined => {
      failing -= 1;
      at(2, failAll);
      return failing >= 0 ? { kind: 'answer-500', carryOut: false } : undefined;
    };
    at(MAKES, failAll);
    await assert.rejects(workOff(), { code: 'payment_provider_error' });
    at(Number.POSITIVE_INFINITY, () => undefined);
    await workOff();
    assert.deepEqual(await refunds(), [['balance', BACK]]);
  });
});

describe('two workers at once', () => {
  for (const order of ORDERS) {
    test(`make ${order.what} once, at whatever step the second one starts`, async (t) => {
      for (let step = 1; step <= order.steps.length; step += 1) {
        const charged = await startCharged(t);
        const { at, workOff, connect, id, now } = charged;
        await order.decide(charged);
        let other: Promise<unknown> | undefined;
        at(step, () => {
          other = connect().ask(makeDueRefunds, id, now());
          return undefined;
        });
        await workOff();
        await other;
        await assertMade(charged, order);
        const acts = await charged.database.read((transaction) => readActs(transaction, id));
        assert.ok(acts.filter(({ kind }) => kind === 'cancelled').length <= 1, 'it is recorded twice');
      }
    });
  }

  test('make one refund, at whatever step support makes one too: of less until it is claimed', async (t) => {
    for (let step = 1; step <= STEPS.length; step += 1) {
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
});

describe('a dispute', () => {
  test('that opens while a cancellation is carried out blocks the refund', async (t) => {
    for (let step = 1; step <= MAKES; step += 1) {
      const { cancel, at, workOff, dispute, refunds, payments, find, sandbox, now, afterHours, state } =
        await startCharged(t);
      await cancel();
      let opened: Awaited<ReturnType<typeof dispute>> | undefined;
      at(step, async () => {
        opened = await dispute();
        return undefined;
      });
      const outcome = await workOff();
      assert.ok(opened);
      assert.notEqual(outcome.type, 'given-back');
      assert.deepEqual(await refunds(), []);
      assert.deepEqual(await workOff(), { type: 'stopped', why: 'disputed' });
      sandbox.bank.closeDispute(opened.id, 'won');
      const before = await refunds();
      await workOff();
      assert.deepEqual(await refunds(), before, 'a closed dispute moves nothing by itself');
      const over = { at: now(), by: 'Anna', charges: [opened.charge], disputes: [opened.id] };
      await payments.ask(decide, await find(), 'disputeOver', over);
      // Stripe repeats a refusal under the same idempotency key for a day.
      afterHours(25);
      await workOff();
      assert.deepEqual([await refunds(), await state()], [[['balance', BACK]], 'refunded']);
    }
  });
});
