import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { declineOf, installmentsOf, type Refusal } from '#server/registration/registration.ts';
import { decide } from '#server/stripe/decide.ts';
import { DUE, daysAfter, startCharges, startDue } from '#server/testing/test-charges.ts';
import { laterKindsDue } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';

const BALANCE = 72_625;
const SECOND_MS = 1_000;
const ENDS = new Date(edition.facts.endsAt);

/** A registrant whose balance is due now, and whose bank declines charges as the test says. */
async function startDeclining(t: TestContext) {
  const due = await startDue(t);
  const { id, sandbox } = due;
  const record = () => due.find(id);
  return {
    ...due,
    record,
    charge: () => due.charge(id),
    charged: () => due.charged(id),
    state: () => due.state(id),
    giveCard: (card?: string) => due.giveCard(id, card),
    /** A declined try, as it is recorded. */
    async decline(code = 'insufficient_funds') {
      sandbox.bank.declineNextCharge((await record()).card?.id ?? '', code);
      const outcome = await due.charge(id);
      assert.equal(outcome.type, 'declined', JSON.stringify(outcome));
      return outcome.type === 'declined' ? outcome.decline : assert.fail();
    },
    async ask() {
      await due.payments.ask(decide, await record(), 'charge', { at: due.now(), by: 'Anna' });
    },
  };
}

const inDays = (from: Date, to: Date | undefined) =>
  to && (to.getTime() - from.getTime()) / (24 * 60 * 60 * 1000);

describe('a declined card', () => {
  test('is retried after one, three and seven days; never where its code, Stripe or the network say so, and later where the network names a pause; nor a twelfth time, nor after the retreat', () => {
    const daysUntilNext = (refusal: Refusal, changes: object = {}) => {
      const tried = { try: 1, step: 1, at: DUE, card: 'pm_1', ...changes };
      const { final, next } = declineOf(refusal, tried, ENDS);
      return final ? 'never' : inDays(tried.at, next);
    };
    const never: Refusal[] = [
      ...`do_not_try_again expired_card invalid_account lost_card pickup_card stolen_card transaction_not_allowed
      revocation_of_authorization revocation_of_all_authorizations authentication_required`
        .split(/\s+/)
        .map((decline_code) => ({ decline_code })),
      ...['do_not_try_again', 'confirm_card_data'].map((advice_code) => ({ advice_code })),
      ...['01', '03', '04', '21', '41'].map((network_advice_code) => ({ network_advice_code })),
    ];
    for (const refusal of never) assert.equal(daysUntilNext(refusal), 'never', JSON.stringify(refusal));
    for (const [network_advice_code, days] of [
      ['02', 1],
      ['24', 1],
      ['26', 2],
      ['28', 6],
    ] as const)
      assert.equal(daysUntilNext({ decline_code: 'do_not_honor', network_advice_code }), days);
    for (const [step, days] of [
      [2, 3],
      [3, 7],
      [4, undefined],
    ] as const)
      assert.equal(daysUntilNext({ decline_code: 'insufficient_funds' }, { try: step, step }), days);
    for (const late of [{ try: 12 }, { at: daysAfter(ENDS, -0.5) }])
      assert.equal(daysUntilNext({}, late), undefined);
  });

  test('for good is not retried, not even when the office asks for it', async (t) => {
    const { decline, charge, state, moveTo, ask } = await startDeclining(t);
    assert.equal((await decline('stolen_card')).final, true);
    assert.equal(await state(), 'action-needed');
    moveTo(daysAfter(DUE, 10));
    await ask();
    assert.deepEqual(await charge(), { type: 'stopped', why: 'declined' });
  });
});

describe('another card', () => {
  test('is tried at once and has all its tries, even after a permanent decline of the former one', async (t) => {
    const { decline, charge, giveCard, moveTo, state, charged } = await startDeclining(t);
    await decline('stolen_card');
    moveTo(daysAfter(DUE, 1));
    await giveCard();
    assert.equal(await state(), 'retrying');
    const { step, next, at, ...declined } = await decline();
    assert.deepEqual([step, declined.try, inDays(at, next)], [1, 2, 1]);
    assert.ok(next);
    moveTo(next);
    assert.equal((await charge()).type, 'charged');
    assert.deepEqual(await charged(), [BALANCE, -BALANCE, -BALANCE]);
  });

  test('that she gives while the old one is declined is not treated as declined', async (t) => {
    const { at, id, charge, find, sandbox, giveCard, charged, state } = await startDue(t);
    sandbox.bank.declineNextCharge((await find(id)).card?.id ?? '', 'stolen_card');
    // The request that tries the card.
    at(2, async () => {
      await giveCard(id);
      return undefined;
    });
    assert.equal((await charge(id)).type, 'declined');
    assert.equal(await state(id), 'retrying');
    assert.equal((await charge(id)).type, 'charged');
    assert.deepEqual(await charged(id), [BALANCE, -BALANCE]);
  });
});

describe('the office', () => {
  test('has a card retried before the planned day, and the pauses start again with the first', async (t) => {
    const { decline, ask, state, moveTo, now } = await startDeclining(t);
    await decline();
    moveTo(daysAfter(now(), 0.1));
    await ask();
    assert.equal(await state(), 'retrying');
    const { step, next, at } = await decline();
    assert.deepEqual([step, inDays(at, next)], [1, 1]);
  });

  test('gives a card all its tries again when it postpones the balance, but not after a permanent decline', async (t) => {
    for (const [code, tries] of [
      ['insufficient_funds', 4],
      ['stolen_card', 1],
    ] as const) {
      const due = await startDeclining(t);
      const { decline, charge, payments, record, now, tell, moveTo, state, id } = due;
      for (let number = 1; number <= tries; number += 1) {
        const { next } = await decline(code);
        if (next) moveTo(next);
      }
      moveTo(new Date(now().getTime() + SECOND_MS));
      const until = daysAfter(now(), 5);
      await payments.ask(decide, await record(), 'postponed', { at: now(), by: 'Anna', until });
      assert.equal(await state(), 'postponed');
      const kinds = laterKindsDue(await record(), now());
      assert.deepEqual(kinds, code === 'stolen_card' ? [] : ['balance-notice']);
      await tell(id);
      moveTo(until);
      if (code === 'stolen_card') {
        assert.deepEqual(await charge(), { type: 'stopped', why: 'declined' });
      } else {
        assert.equal((await decline(code)).step, 1);
      }
    }
  });
});

const ANNA = { by: 'Anna' };
const DATES = ['2025-12-12T01:00:00Z', '2025-12-22T01:00:00Z', '2026-01-10T01:00:00Z'].map(
  (text) => new Date(text),
);
const [FIRST, SECOND, THIRD] = DATES as [Date, Date, Date];
const SUMS = [30_000, 25_000, 15_000];
const parts = DATES.map((dueAt, index) => ({ number: index + 1, cents: SUMS[index] ?? 0, dueAt }));

/** A registration with a plan of three parts, of each of which a letter has told her. */
async function startPlan(t: TestContext, agrees = true) {
  const charges = await startCharges(t);
  const { payments, now, find: findOne } = charges;
  const id = await charges.register();
  const find = () => findOne(id);
  const decidePlan = async (changes: { paused?: true } = {}) =>
    payments.ask(decide, await find(), 'plan', { ...ANNA, at: now(), parts, ...changes });
  const agree = async () =>
    payments.ask(decide, await find(), 'planAgreed', { by: 'the registrant', at: now() });
  await decidePlan();
  if (agrees) await agree();
  for (const position of [1, 2, 3]) await charges.tell(id, undefined, { part: position });
  return {
    ...charges,
    id,
    find,
    decidePlan,
    agree,
    charge: () => charges.charge(id),
    charged: () => charges.charged(id),
    /** The state of the payment of each part. */
    states: async () => installmentsOf(await find()).map(({ payment }) => payment?.status ?? 'none'),
  };
}

describe('a balance that is paid in parts', () => {
  test('each part is charged on its own day, with its own card fee, and they add up', async (t) => {
    const { moveTo, charge, charged, state, id } = await startPlan(t);
    assert.deepEqual(await charge(), { type: 'stopped', why: 'not-due' });
    for (const [day, cents] of [
      [FIRST, 31_125],
      [SECOND, 25_938],
      [THIRD, 15_562],
    ] as const) {
      moveTo(day);
      assert.deepEqual(await charge(), { type: 'charged', cents });
      assert.deepEqual(await charge(), { type: 'stopped', why: 'not-due' });
    }
    assert.deepEqual(await charged(), [15_562, 25_938, 31_125]);
    assert.equal(await state(id), 'settled');
  });

  test('a declined part is tried again by itself, and the next one is charged on its day', async (t) => {
    const { moveTo, charge, charged, state, states, sandbox, find, id } = await startPlan(t);
    moveTo(FIRST);
    await charge();
    moveTo(SECOND);
    sandbox.bank.declineNextCharge((await find()).card?.id ?? '', 'insufficient_funds');
    assert.equal((await charge()).type, 'declined');
    assert.equal(await state(id), 'retrying');
    moveTo(THIRD);
    const [one, other] = [await charge(), await charge()];
    assert.deepEqual(
      [one, other],
      [
        { type: 'charged', cents: 25_938 },
        { type: 'charged', cents: 15_562 },
      ],
    );
    assert.deepEqual(await charged(), [15_562, 25_938, -25_938, 31_125]);
    assert.deepEqual(await states(), ['paid', 'paid', 'paid']);
  });

  test('a card that is refused for good on one part is not tried on another', async (t) => {
    const { moveTo, charge, charged, sandbox, find, giveCard, id } = await startPlan(t);
    moveTo(FIRST);
    sandbox.bank.declineNextCharge((await find()).card?.id ?? '', 'stolen_card');
    assert.equal((await charge()).type, 'declined');
    moveTo(SECOND);
    assert.deepEqual(await charge(), { type: 'stopped', why: 'declined' });
    await giveCard(id);
    await charge();
    await charge();
    assert.deepEqual(await charged(), [25_938, 31_125, -31_125]);
  });

  test('nothing is charged before she has agreed, nor while the plan is paused', async (t) => {
    const { moveTo, charge, decidePlan, agree } = await startPlan(t, false);
    moveTo(FIRST);
    assert.deepEqual(await charge(), { type: 'stopped', why: 'plan-not-agreed' });
    await agree();
    await decidePlan({ paused: true });
    assert.deepEqual(await charge(), { type: 'stopped', why: 'plan-paused' });
  });
});
