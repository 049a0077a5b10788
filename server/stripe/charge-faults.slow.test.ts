import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { Fault } from '#scripts/stripe-sandbox/sandbox.ts';
import { AppError } from '#server/http/app-error.ts';
import {
  addressDigest,
  nextInstallment,
  type RegistrationRecord,
} from '#server/registration/registration.ts';
import { decide } from '#server/stripe/decide.ts';
import {
  type Charges,
  DAY_MS,
  DUE,
  killedAt,
  recordReceived,
  startCharges,
  startDue,
} from '#server/testing/test-charges.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
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

/** How often one balance is tried in all, with whatever cards. */
const MOST_TRIES = 12;

const ENDS = new Date(edition.facts.endsAt);

/** Something that happens to a registration. */
type Happening =
  | { what: 'charge'; workers: 1 | 2 }
  /** Stripe fails at the n-th request of a charge. */
  | { what: 'fault'; step: number; fault: Fault }
  | { what: 'wait'; hours: number }
  | { what: 'tell' | 'give-card' | 'ask' | 'cancel' | 'check' | 'withdraw' | 'fit' }
  | { what: 'waive'; cents: number }
  | { what: 'postpone'; days: number }
  | { what: 'decline'; code: string };

const simple = <What extends Happening['what']>(what: What) => fc.constant({ what });
const anyFault = fc.constantFrom<Fault>(
  { kind: 'reset', carryOut: true },
  { kind: 'reset', carryOut: false },
  { kind: 'answer-500', carryOut: true },
  { kind: 'answer-500', carryOut: false },
  { kind: 'rate-limit' },
);

const often = <Some>(weight: number, arbitrary: fc.Arbitrary<Some>) => ({ weight, arbitrary });
const charge = fc.record({ what: fc.constant('charge'), workers: fc.constantFrom(1, 2) });
const step = fc.integer({ min: 1, max: 8 });
const hours = fc.constantFrom(1 / 4, 1, 25, 24 * 3, 24 * 8, 24 * 40);
const code = fc.constantFrom('insufficient_funds', 'lost_card');

const anyHappening: fc.Arbitrary<Happening> = fc.oneof(
  often(5, charge),
  often(4, fc.record({ what: fc.constant('fault'), step, fault: anyFault })),
  often(4, fc.record({ what: fc.constant('wait'), hours })),
  often(3, simple('tell')),
  often(3, fc.record({ what: fc.constant('decline'), code })),
  fc.record({ what: fc.constant('waive'), cents: fc.constantFrom(1, 20_000, 69_900, 70_000) }),
  fc.record({ what: fc.constant('postpone'), days: fc.integer({ min: 4, max: 30 }) }),
  simple('give-card'),
  simple('ask'),
  simple('cancel'),
  simple('check'),
  simple('withdraw'),
  simple('fit'),
);

/** What is asked stays as it is while a try of it has no result. */
async function unlessTried(decided: Promise<void>): Promise<void> {
  await decided.catch((error: unknown) => assert.equal(codeOf(error), 'not_possible_now'));
}

/** Makes something happen, unless it is impossible in the state of the registration. */
async function happen(
  happening: Happening,
  id: string,
  charges: Charges,
  failAt: (step: number, fault: Fault) => void,
): Promise<void> {
  const { payments, connect, now, find, moveTo, tell, giveCard, sandbox } = charges;
  const act = { at: now(), by: 'Anna' };
  switch (happening.what) {
    case 'charge': {
      const workers = [payments, ...(happening.workers === 2 ? [connect()] : [])];
      await Promise.all(workers.map((worker) => worker.ask(chargeBalance, id, now())));
      return;
    }
    case 'fault':
      failAt(happening.step, happening.fault);
      await payments.ask(chargeBalance, id, now()).catch(() => {});
      failAt(Number.POSITIVE_INFINITY, happening.fault);
      return;
    case 'wait':
      return moveTo(new Date(now().getTime() + happening.hours * (DAY_MS / 24)));
    case 'tell':
      return tell(id, now());
    case 'give-card':
      await giveCard(id);
      return;
    case 'decline':
      return sandbox.bank.declineNextCharge((await find(id)).card?.id ?? '', happening.code);
    case 'ask':
      return payments.ask(decide, await find(id), 'charge', act);
    case 'cancel':
      return payments.ask(decide, await find(id), 'cancel', { ...act, writtenAt: now() });
    case 'check':
      return payments.ask(recordReceived, await find(id), { ...act, way: 'check', cents: 70_000, on: now() });
    case 'withdraw': {
      const record = await find(id);
      for (const kind of ['waived', 'check', 'postponed'] as const)
        if (record.decisions[kind])
          await unlessTried(payments.ask(decide, await find(id), kind, { ...act, withdrawn: true }));
      return;
    }
    case 'waive':
      return unlessTried(payments.ask(decide, await find(id), 'waived', { ...act, cents: happening.cents }));
    case 'postpone': {
      const until = new Date(now().getTime() + happening.days * DAY_MS);
      return unlessTried(payments.ask(decide, await find(id), 'postponed', { ...act, until }));
    }
    case 'fit':
      await payments.ask(fitPayments, id, now());
  }
}

/** Fails unless the registration, as it was before the charge, could be charged. */
function assertChargeable(before: RegistrationRecord, now: Date, cents: number): void {
  const { decisions, agreement } = before;
  const { dueAt, left, noticed } = nextInstallment(before);
  assert.equal(cents, left.byCardCents, 'a wrong sum');
  assert.ok(agreement, 'without consent');
  assert.ok(!decisions.cancel && !decisions.check, 'after she cancelled, or paid by check');
  assert.ok(now >= dueAt && now < ENDS, `at ${now.toISOString()}, due ${dueAt.toISOString()}`);
  assert.ok(noticed, 'without a notice');
  assert.equal(noticed.dueAt.getTime(), dueAt.getTime());
  assert.ok(noticed.cents >= cents, 'notified of a smaller sum');
  assert.ok(noticed.at.getTime() <= dueAt.getTime() - 3 * DAY_MS, 'notified too late');
  assert.equal(noticed.to, addressDigest(before.registrant.email));
  for (const { at } of decisions.withdrawn)
    assert.ok(noticed.at > at, 'notified before something was withdrawn');
}

describe('whatever happens to a registration', () => {
  test('she is charged at most once, the right sum, with notice and consent, and never after cancelling', async (t) => {
    let [countdown, fault]: [number, Fault | undefined] = [Number.POSITIVE_INFINITY, undefined];
    let paid = 0;
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyHappening, { minLength: 6, maxLength: 16 }), async (happenings) => {
        const charges = await startCharges(t, {
          intercept() {
            countdown -= 1;
            return countdown === 0 ? fault : undefined;
          },
        });
        const { register, tell, moveTo, find, charged, now, sandbox } = charges;
        number += 1;
        const id = await register({ email: `wilma-${number}@example.org` });
        await tell(id);
        moveTo(new Date(DUE.getTime() - DAY_MS / 24));
        for (const happening of [{ what: 'wait', hours: 2 } as const, ...happenings]) {
          const before = await find(id);
          const chargedBefore = await charged(id);
          const at = now();
          await happen(happening, id, charges, (step, one) => {
            [countdown, fault] = [step, one];
          });
          const made = (await charged(id)).slice(0, -chargedBefore.length || undefined);
          const successes = made.filter((cents) => cents > 0);
          if (successes.length > 0) {
            assert.equal(chargedBefore.filter((cents) => cents > 0).length, 0, 'charged twice');
            assert.deepEqual(successes.length, 1);
            assertChargeable(before, at, successes[0] ?? 0);
            paid += 1;
          }
          assert.ok(nextInstallment(await find(id)).tries <= MOST_TRIES);
        }
        await sandbox.close();
      }),
      { numRuns: 40 },
    );
    t.diagnostic(`${number} registrations, ${paid} of them paid`);
    assert.ok(paid > 3, `only ${paid} of ${number} paid`);
  });
});
