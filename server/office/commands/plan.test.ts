import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { installmentsOf, isPlanAgreed } from '#server/registration/registration.ts';
import type { TestScope } from '#server/testing/clean-up.ts';
import { startCommands } from '#server/testing/test-commands.ts';
import { registrations } from './subjects.ts';

const [FIRST, SECOND, THIRD] = ['2025-12-10', '2025-12-21', '2026-01-10'];
const THREE = `${FIRST} 300\n${SECOND} 250\n${THIRD} 150`;
const FIRST_DUE = new Date('2025-12-11T01:00:00Z');

async function startPlans(t: TestScope) {
  const office = await startCommands(t);
  const { give, tries, find, tell, id, moveTo, charge, context } = office;
  const parts = async () => installmentsOf(await find());
  return {
    ...office,
    plan: (typed: string) => give('plan', { parts: typed }),
    agree: () => give('plan-agreed', { agreed: 'phone', agreedOn: '2025-12-01' }),
    parts,
    /** The number of each part, its sum in dollars, and its day in the retreat's time zone. */
    list: async () =>
      (await parts()).map(({ number, left, payment, dueAt }) => {
        const cents = left.beforeFeeCents || payment?.beforeFeeCents;
        return `${number - 1}: ${cents} ${new Date(+dueAt - 8 * 3_600_000).toISOString().slice(0, 10)}`;
      }),
    isAgreed: async () => isPlanAgreed(await find()),
    /** What the form begins with. */
    async begins() {
      const form = registrations.commands.find((one) => one.id === 'plan')?.fields.parts;
      return form?.initial?.(await registrations.find(context, id));
    },
    /** She is told of the first part, and it is charged on its day. */
    async payFirst() {
      await tell(id, undefined, { part: 1 });
      moveTo(FIRST_DUE);
      await charge();
    },
    tries,
  };
}

describe('a payment plan of the office', () => {
  test('divides what has no sum equally, to the cent', async (t) => {
    const { plan, parts } = await startPlans(t);
    const cents = async () => (await parts()).map(({ left }) => left.beforeFeeCents);
    await plan(`${FIRST}, ${SECOND}, ${THIRD}`);
    assert.deepEqual(await cents(), [23_334, 23_333, 23_333]);
    await plan(`${FIRST} 100, ${SECOND}, ${THIRD}`);
    assert.deepEqual(await cents(), [10_000, 30_000, 30_000]);
  });

  test('keeps what is paid, and its numbers, when days are moved; later or less needs no new agreement', async (t) => {
    const { plan, agree, payFirst, list, isAgreed } = await startPlans(t);
    await plan(THREE);
    await agree();
    await payFirst();
    await plan('2025-12-28 250, 2026-01-12 150');
    assert.deepEqual(await list(), [`1: 30000 ${FIRST}`, '2: 25000 2025-12-28', '3: 15000 2026-01-12']);
    await plan('2025-12-28 100, 2026-01-04 100, 2026-01-12 200');
    assert.equal(await isAgreed(), true);
    await plan('2025-12-20 100, 2026-01-04 100, 2026-01-12 200');
    assert.equal(await isAgreed(), false);
    assert.deepEqual(
      (await list()).map((part) => part[0]),
      ['1', '2', '3', '4'],
    );
  });

  test('begins with the days of the edition that can still be met, then with what is left of it', async (t) => {
    const { plan, moveTo, check, begins } = await startPlans(t);
    assert.equal(await begins(), `${FIRST}\n${SECOND}\n${THIRD}`);
    moveTo(new Date('2025-12-09T17:00:00Z'));
    assert.equal(await begins(), `${SECOND}\n${THIRD}`);
    await plan(`${SECOND} 400, ${THIRD} 300`);
    await check(450, '2025-12-09');
    assert.equal(await begins(), `${THIRD} 250.00`);
  });
});
