import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { partsOf } from '#server/record/owed.ts';
import { startCharges } from '#server/testing/test-charges.ts';

const ANNA = { by: 'Anna' };
const DATES = ['2025-12-12T01:00:00Z', '2025-12-22T01:00:00Z', '2026-01-10T01:00:00Z'].map(
  (text) => new Date(text),
);
const [FIRST, SECOND, THIRD] = DATES as [Date, Date, Date];
const SUMS = [30_000, 25_000, 15_000];
const parts = DATES.map((dueAt, index) => ({ number: index + 1, cents: SUMS[index] ?? 0, dueAt }));

/** A registration with a plan of three parts, of each of which a letter has told her unless the test says otherwise. */
async function startPlan(t: TestContext, { agrees = true, isTold = true } = {}) {
  const charges = await startCharges(t);
  const { payments, now, find: findOne } = charges;
  const id = await charges.register();
  const find = () => findOne(id);
  const decidePlan = async (changes: { parts?: typeof parts; paused?: true } = {}) =>
    payments.decide(await find(), 'plan', { ...ANNA, at: now(), parts, ...changes });
  const agree = async (agreed = parts) =>
    payments.decide(await find(), 'planAgreed', {
      by: 'the registrant',
      at: now(),
      parts: agreed.map(({ cents, dueAt }) => ({ cents, dueAt })),
    });
  await decidePlan();
  if (agrees) await agree();
  if (isTold) for (const position of [1, 2, 3]) await charges.tell(id, undefined, { part: position });
  return {
    ...charges,
    id,
    find,
    decidePlan,
    agree,
    charge: () => charges.charge(id),
    charged: () => charges.charged(id),
    /** The state of the payment of each part. */
    states: async () => partsOf(await find()).map(({ balance }) => balance?.status ?? 'none'),
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

  for (const [what, begin, why] of [
    ['before she has agreed', { agrees: false }, 'plan-not-agreed'],
    ['of which no letter told her', { isTold: false }, 'no-notice'],
  ] as const)
    test(`nothing is charged ${what}`, async (t) => {
      const { moveTo, charge, charged } = await startPlan(t, begin);
      moveTo(FIRST);
      assert.deepEqual(await charge(), { type: 'stopped', why });
      assert.deepEqual(await charged(), []);
    });

  test('nothing is charged while the plan is paused, nor more than she agreed to', async (t) => {
    const { moveTo, charge, decidePlan, tell, id, agree } = await startPlan(t);
    await decidePlan({ paused: true });
    moveTo(FIRST);
    assert.deepEqual(await charge(), { type: 'stopped', why: 'plan-paused' });
    const later = new Date('2025-12-17T01:00:00Z');
    const more = parts.map((part, index) => ({
      ...part,
      cents: [35_000, 20_000, 15_000][index] ?? 0,
      ...(index === 0 && { dueAt: later }),
    }));
    await decidePlan({ parts: more });
    await tell(id, undefined, { part: 1 });
    moveTo(later);
    assert.deepEqual(await charge(), { type: 'stopped', why: 'plan-not-agreed' });
    await agree(more);
    assert.deepEqual(await charge(), { type: 'charged', cents: 36_313 });
  });

  test('R7 once it is ended, what is left is one balance again, less what was paid of the plan', async (t) => {
    const { moveTo, charge, charged, payments, find, now, tell, id } = await startPlan(t);
    moveTo(FIRST);
    await charge();
    await payments.decide(await find(), 'plan', { ...ANNA, at: now(), withdrawn: true });
    moveTo(new Date(now().getTime() + 60_000));
    await tell(id);
    moveTo(SECOND);
    assert.deepEqual(await charge(), { type: 'charged', cents: 41_500 });
    assert.deepEqual(await charged(), [41_500, 31_125]);
  });

  test('what comes by check counts for the earliest parts, and is not charged', async (t) => {
    const { moveTo, charge, payments, find, now } = await startPlan(t);
    const check = { way: 'check', cents: 40_000, on: now(), at: now(), ...ANNA } as const;
    await payments.recordReceived(await find(), check);
    moveTo(FIRST);
    assert.deepEqual(await charge(), { type: 'stopped', why: 'not-due' });
    moveTo(SECOND);
    assert.deepEqual(await charge(), { type: 'charged', cents: 15_563 });
  });
});
