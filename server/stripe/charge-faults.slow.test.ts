import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Fault } from '#scripts/stripe-sandbox/sandbox.ts';
import { AppError } from '#server/http/app-error.ts';
import { nextInstallment } from '#server/registration/registration.ts';
import { decide } from '#server/stripe/decide.ts';
import { DAY_MS, killedAt, recordReceived, startDue } from '#server/testing/test-charges.ts';
import { fitPayments, openBalance } from './balance.ts';
import { chargeBalance } from './charge.ts';
import { isUnexpectedState } from './stripe-calls.ts';

const BALANCE = 72_625;
const HOUR_MS = DAY_MS / 24;

/** The requests of a charge, in their order. The try is recorded before the second one, and its result after the last one. */
const STEPS = ['opens the payment', 'tries the card', 'reads the payment'] as const;

/** A registrant whose balance is due now. */
async function startWith(t: TestContext) {
  const due = await startDue(t);
  const { id } = due;
  return {
    ...due,
    charge: () => due.charge(id),
    charged: () => due.charged(id),
    balances: () => due.balances(id),
    record: () => due.find(id),
    /** Charges with a worker that is killed at its n-th request: before the request is sent, or before its answer is read. */
    async chargeAndBeKilled(step: number, isSent: boolean) {
      const worker = { ...due, stripe: killedAt(step, isSent, due.sandbox) };
      await assert.rejects(chargeBalance(worker, id, due.now()), { type: 'StripeConnectionError' });
    },
  };
}

/** How long it takes until another worker continues, see also `kills.slow.test.ts`; after a day Stripe has forgotten the idempotency keys. */
const WAITS_MS = [HOUR_MS, 30 * HOUR_MS];

describe('a worker that is killed while it charges: the next one', () => {
  for (const [isSent, when] of [
    [true, 'after'],
    [false, 'before'],
  ] as const) {
    for (const [index, step] of STEPS.entries())
      for (const [what, isDeclined] of [
        ['charges her once', false],
        ['counts a decline once', true],
      ] as const)
        test(`${what}, after the first one was killed ${when} it ${step}`, async (t) => {
          for (const waitMs of WAITS_MS) {
            const { chargeAndBeKilled, charge, charged, record, sandbox, moveTo, now, balances } =
              await startWith(t);
            if (isDeclined)
              sandbox.bank.declineNextCharge((await record()).card?.id ?? '', 'insufficient_funds');
            await chargeAndBeKilled(index + 1, isSent);
            moveTo(new Date(now().getTime() + waitMs));
            await charge();
            assert.deepEqual(await charged(), [isDeclined ? -BALANCE : BALANCE]);
            const { tries, decline } = nextInstallment(await record());
            assert.deepEqual([tries, (await balances()).length], [1, 1]);
            if (isDeclined) assert.deepEqual([decline?.try, decline?.step], [1, 1]);
          }
        });
  }
});

test('a decline whose result was not recorded counts, also when its payment was cancelled meanwhile', async (t) => {
  const { chargeAndBeKilled, charge, charged, payments, record, sandbox, now } = await startWith(t);
  sandbox.bank.declineNextCharge((await record()).card?.id ?? '', 'stolen_card');
  await chargeAndBeKilled(STEPS.indexOf('tries the card') + 1, true);
  const check = { at: now(), by: 'Anna', way: 'check', cents: 20_000, on: now() } as const;
  await payments.ask(recordReceived, await record(), check);
  assert.equal((await charge()).type, 'declined');
  const { tries, decline } = nextInstallment(await record());
  assert.deepEqual([await charged(), tries, decline?.final], [[-BALANCE], 1, true]);
});

describe('Stripe fails while a balance is charged:', () => {
  const faults: readonly [string, Fault][] = [
    ['it answers 500 and has carried the request out', { kind: 'answer-500', carryOut: true }],
    ['it answers 500 and has not carried the request out', { kind: 'answer-500', carryOut: false }],
    ['it answers 429', { kind: 'rate-limit' }],
    ['the connection breaks once', { kind: 'reset', carryOut: true }],
  ];
  for (const [what, fault] of faults) {
    for (const [index, step] of STEPS.entries()) {
      test(`${what}, where the worker ${step}: she is charged once, by this worker or the next`, async (t) => {
        const { at, charge, charged, balances, record } = await startWith(t);
        at(index + 1, () => fault);
        await charge().catch(() => {});
        await charge();
        assert.deepEqual(await charged(), [BALANCE]);
        assert.deepEqual([nextInstallment(await record()).tries, (await balances()).length], [1, 1]);
      });
    }
  }

  test('it repeats its 500 for a day: that uses up no try, and the next worker continues with new keys', async (t) => {
    let failing = 0;
    const { charge, charged, id, find } = await startDue(t, {
      intercept({ path }) {
        if (!path.endsWith('/confirm') || failing === 0) return undefined;
        failing -= 1;
        return { kind: 'answer-500', carryOut: false };
      },
    });
    failing = 5;
    await assert.rejects(charge(id), { code: 'payment_provider_error' });
    assert.equal(failing, 2);
    assert.deepEqual([await charged(id), nextInstallment(await find(id)).decline], [[], undefined]);
    assert.deepEqual(await charge(id), { type: 'charged', cents: BALANCE });
    assert.deepEqual([failing, await charged(id)], [0, [BALANCE]]);
    assert.equal(nextInstallment(await find(id)).tries, 1);
  });

  test('it answers 500 to a declined try: that counts as a decline, and is not retried at once', async (t) => {
    const { at, charge, charged, record, sandbox } = await startWith(t);
    sandbox.bank.declineNextCharge((await record()).card?.id ?? '', 'insufficient_funds');
    at(STEPS.indexOf('tries the card') + 1, () => ({ kind: 'answer-500', carryOut: true }));
    assert.equal((await charge()).type, 'declined');
    assert.deepEqual(await charged(), [-BALANCE]);
  });
});

describe('a balance that is paid twice at the same time', () => {
  test('is charged once by two workers, at whatever step the second one starts', async (t) => {
    for (let step = 1; step <= STEPS.length; step += 1) {
      const { at, charge, charged, connect, now, id, balances } = await startWith(t);
      const other = connect();
      let second: Promise<unknown> | undefined;
      at(step, () => {
        second = other.ask(chargeBalance, id, now());
        return undefined;
      });
      const first = await charge();
      await second;
      assert.ok(['charged', 'stopped'].includes(first.type));
      assert.deepEqual(await charged(), [BALANCE]);
      assert.equal((await balances()).length, 1);
    }
  });

  test('is paid once by her or by a worker, at whatever step she presses', async (t) => {
    for (let step = 1; step <= STEPS.length; step += 1) {
      const due = await startWith(t);
      const { at, charge, charged, stripe, record, state, id, balances, now } = due;
      const press = async (): Promise<undefined> => {
        const { id: open } = await openBalance(due, await record(), now());
        await stripe.paymentIntents.confirm(open, { payment_method: 'pm_card_mastercard' });
      };
      let pressed: Promise<undefined> | undefined;
      at(step, () => {
        pressed = press();
        // At this step her press waits for the worker's payment, so the worker must not wait for her.
        return STEPS[step - 1] === 'opens the payment' ? undefined : pressed;
      });
      await charge();
      await pressed?.catch((error: unknown) => assert.ok(isUnexpectedState(error)));
      assert.deepEqual([await charged(), await state(id)], [[BALANCE], 'settled']);
      assert.equal((await balances()).length, 1);
    }
  });
});

describe('the office decides while a balance is charged', () => {
  test('that she cancelled, or that her check has come: nothing is charged after that', async (t) => {
    for (const kind of ['cancel', 'check'] as const) {
      for (let step = 1; step <= STEPS.indexOf('tries the card') + 1; step += 1) {
        const { at, charge, charged, payments, record, now, id, stripe, balances } = await startWith(t);
        at(step, async () => {
          const act = { at: now(), by: 'Anna' };
          const before = await record();
          if (kind === 'cancel') await payments.ask(decide, before, kind, { ...act, writtenAt: now() });
          else await payments.ask(recordReceived, before, { ...act, way: 'check', cents: 70_000, on: now() });
          return undefined;
        });
        assert.equal((await charge()).type, 'stopped');
        await payments.ask(fitPayments, id, now());
        assert.deepEqual(await charged(), []);
        for (const { id: balance } of await balances()) {
          assert.equal((await stripe.paymentIntents.retrieve(balance)).status, 'canceled');
        }
      }
    }
  });

  test('to waive a part: she is charged the rest; once the card is being tried that is refused', async (t) => {
    for (const [step, expected] of [
      ['opens the payment', 51_875],
      ['tries the card', BALANCE],
    ] as const) {
      const { at, charge, charged, payments, record, now } = await startWith(t);
      let refused: unknown;
      at(STEPS.indexOf(step) + 1, async () => {
        const waiver = { at: now(), by: 'Anna', cents: 20_000 };
        refused = await payments.ask(decide, await record(), 'waived', waiver).catch(codeOf);
        return undefined;
      });
      await charge();
      await charge();
      assert.deepEqual(
        [await charged(), refused],
        [[expected], expected === BALANCE ? 'not_possible_now' : undefined],
      );
    }
  });
});

const codeOf = (error: unknown) => (error instanceof AppError ? error.code : error);
