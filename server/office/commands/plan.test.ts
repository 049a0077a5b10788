import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { installmentsOf } from '#server/registration/balance.ts';
import { refundAt } from '#server/registration/cancelling.ts';
import { isPlanAgreed } from '#server/registration/charges.ts';
import { toldText } from '#server/support/terminal-text.ts';
import { give } from '#server/testing/give-command.ts';
import { DUE } from '#server/testing/test-charges.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { planCommands } from './plan-commands.ts';

const [FIRST, SECOND, THIRD] = ['2025-12-10', '2025-12-21', '2026-01-10'];
const THREE = `${FIRST} 300\n${SECOND} 250\n${THIRD} 150`;

/** A registration with its deposit paid on December 1, and the acts of Anna for it. */
async function startPlans(t: TestContext) {
  const { context, find: findOne, register, ...charges } = await startMailing(t);
  const id = await register();
  const find = () => findOne(id);
  const plan = async (text: string) => toldText(await give(context, id, 'plan', { parts: text }));
  return {
    ...charges,
    context,
    id,
    find,
    plan,
    agree: (on = '2025-12-01') => give(context, id, 'plan-agreed', { agreed: 'phone', agreedOn: on }),
    /** The parts, and for each one the day in UTC. */
    numbers: async () => installmentsOf(await find()).map(({ number }) => number - 1),
    cents: async () =>
      installmentsOf(await find()).map(({ left, payment }) => left.beforeFeeCents || payment?.beforeFeeCents),
    days: async () => installmentsOf(await find()).map(({ dueAt }) => dueAt.toISOString().slice(0, 10)),
  };
}

describe('a payment plan of the office', () => {
  test('is shown with its dates and sums before she is asked to agree, and holds for what is left', async (t) => {
    const { plan, numbers, cents, days, find, agree } = await startPlans(t);
    const says = await plan(THREE);
    assert.match(
      says,
      /Part 1 of 3 of the balance, to be paid by card, due on Dec 10, 2025, 5:00 PM PST\n.*\n +then: \$311\.25/,
    );
    assert.match(says, /Part 3 of 3 .* Jan 10, 2026, 5:00 PM PST\n.*\n +then: \$155\.62/);
    assert.match(says, /she has not agreed to her payment plan/);
    assert.deepEqual(
      [await numbers(), await cents()],
      [
        [1, 2, 3],
        [30_000, 25_000, 15_000],
      ],
    );
    assert.deepEqual(await days(), ['2025-12-11', '2025-12-22', '2026-01-11']);
    assert.equal(isPlanAgreed(await find()), false);
    await agree();
    assert.equal(isPlanAgreed(await find()), true);
  });

  test('divides what has no sum equally, to the cent', async (t) => {
    const { plan, cents } = await startPlans(t);
    await plan(`${FIRST}, ${SECOND}, ${THIRD}`);
    assert.deepEqual(await cents(), [23_334, 23_333, 23_333]);
    await plan(`${FIRST} 100, ${SECOND}, ${THIRD}`);
    assert.deepEqual(await cents(), [10_000, 30_000, 30_000]);
  });

  test('is refused where it does not fit', async (t) => {
    const { plan, agree, context, id } = await startPlans(t);
    for (const [text, why] of [
      ['2025-12-10', /A plan has 2 to 4 parts; this one has 1\./],
      ['2025-12-10,2025-12-11,2025-12-12,2025-12-13,2025-12-14', /this one has 5\./],
      [
        '2025-12-10 300, 2025-12-21 300',
        /\$700 is left to pay without a card fee, and these parts are \$600/,
      ],
      ['2025-12-10 300, 2025-12-21 500', /these parts are \$800/],
      ['2025-12-21, 2025-12-10', /Each part has a later day than the one before it/],
      ['2025-12-10, 2026-01-22', /The retreat begins on 2026-01-22/],
      ['2025-12-04, 2025-12-21', /She is told three days before/],
      ['2025-12-10 0.30, 2025-12-21', /No card can pay a part that is so small/],
    ] as const)
      await assert.rejects(plan(text), { message: why });
    await assert.rejects(agree(), { message: /No payment plan was made/ });
    await plan(THREE);
    await assert.rejects(plan(THREE), { message: /nothing is different/ });
    await assert.rejects(agree('2025-12-02'), { message: /in the future/ });
    const later = give(context, id, 'postpone', { day: '2026-01-05' });
    await assert.rejects(later, { message: /give its parts other days/ });
    await give(context, id, 'pay-by-check');
    await assert.rejects(plan(THREE), { message: /take that back first/ });
  });

  test('keeps what is paid, and its numbers, when dates are moved; no new agreement is needed for later or less', async (t) => {
    const plans = await startPlans(t);
    const { plan, agree, numbers, cents, days, tell, moveTo, charge, id, find } = plans;
    await plan(THREE);
    await agree();
    await tell(id, undefined, { part: 1 });
    moveTo(new Date('2025-12-11T01:00:00Z'));
    await charge(id);
    await plan('2025-12-28 250, 2026-01-12 150');
    assert.equal(isPlanAgreed(await find()), true);
    assert.deepEqual(
      [await numbers(), await cents()],
      [
        [1, 2, 3],
        [30_000, 25_000, 15_000],
      ],
    );
    assert.deepEqual(await days(), ['2025-12-11', '2025-12-29', '2026-01-13']);
    await plan('2025-12-28 100, 2026-01-04 100, 2026-01-12 200');
    assert.equal(isPlanAgreed(await find()), true);
    await plan('2025-12-20 100, 2026-01-04 100, 2026-01-12 200');
    assert.equal(isPlanAgreed(await find()), false);
    assert.deepEqual(await numbers(), [1, 2, 3, 4]);
  });

  test('begins with the days of the edition that can still be met, then with what is left of it', async (t) => {
    const { plan, find, now, moveTo, context, id } = await startPlans(t);
    const begins = async () =>
      planCommands.plan.fields.parts?.initial?.({ record: await find(), now: now(), announced: {} });
    assert.equal(await begins(), `${FIRST}\n${SECOND}\n${THIRD}`);
    moveTo(new Date('2025-12-09T17:00:00Z'));
    assert.equal(await begins(), `${SECOND}\n${THIRD}`);
    await plan(`${SECOND} 400, ${THIRD} 300`);
    await give(context, id, 'received', { way: 'check', dollars: '450', on: '2025-12-09' });
    assert.equal(await begins(), `${THIRD} 250.00`);
  });

  test('R8 who cancels between two parts gets what the policies say of the part that is paid', async (t) => {
    const { plan, agree, tell, moveTo, charge, id, find, now } = await startPlans(t);
    await plan(THREE);
    await agree();
    await tell(id, undefined, { part: 1 });
    moveTo(new Date('2025-12-11T01:00:00Z'));
    await charge(id);
    const record = await find();
    assert.equal(refundAt(record, now()).byCardCents, 30_000);
    assert.equal(refundAt(record, new Date('2025-12-22T08:00:00Z')).byCardCents, 0);
  });

  test('gives way to a scholarship and ends in one balance, with what is left of it', async (t) => {
    const { plan, cents, context, id, state, tell, agree, moveTo, charge } = await startPlans(t);
    await plan(THREE);
    await agree();
    await give(context, id, 'waive', { dollars: '250', as: 'scholarship' });
    assert.deepEqual(await cents(), [30_000, 15_000]);
    await tell(id, undefined, { part: 1 });
    moveTo(DUE);
    await charge(id);
    const told = toldText(await give(context, id, 'undo', { what: 'plan' }));
    assert.match(
      told,
      /took back: planned her payments[\s\S]*Balance, to be paid by card, due since Dec 21, 2025, 5:00 PM PST\n.*\n +then: \$155\.63/,
    );
    assert.equal(await state(id), 'due');
  });
});
