import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { decide } from '#server/stripe/decide.ts';
import { correctDetails } from '#server/stripe/her-details.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { DUE, daysAfter, startCharges } from '#server/testing/test-charges.ts';
import { recordWith } from '#server/testing/test-registrations.ts';
import { HERSELF, isHandedOver } from './registration.ts';

async function startTwice(t: TestContext, { isSamePerson = true } = {}) {
  const charges = await startCharges(t);
  const { registerTwice, payments, database, find, now, moveTo } = charges;
  const { first, second } = await registerTwice({ isSamePerson });
  return {
    ...charges,
    first,
    second,
    /** Whether each of the two is flagged, and which one is the younger. */
    flags: async () => Promise.all([first, second].map(async (id) => (await find(id)).paidTwice?.isYounger)),
    /** What the worker looks at again after `happens`. */
    async changedBy(happens: () => Promise<unknown>): Promise<readonly string[]> {
      const versions = () =>
        database.read((transaction) =>
          transaction.selectFrom('registrations').select(['id', 'version']).execute(),
        );
      const before = new Map((await versions()).map(({ id, version }) => [id, version]));
      await happens();
      const changed = (await versions()).filter(({ id, version }) => version !== before.get(id));
      return changed.map(({ id }) => id).toSorted();
    },
    async cancelFirst(): Promise<void> {
      const at = now();
      await payments.ask(decide, await find(first), 'cancel', { at, by: HERSELF, writtenAt: at });
      moveTo(daysAfter(at, 25 / 24));
      await payments.ask(makeDueRefunds, first, now());
    },
  };
}

describe('of two places under one name and address', () => {
  test('the younger is not charged when the balance is due, however she was told; the older is', async (t) => {
    const { first, second, tell, moveTo, charge, charged, state } = await startTwice(t);
    for (const id of [first, second]) await tell(id);
    moveTo(DUE);
    for (const id of [first, second]) await charge(id);
    assert.deepEqual([await charged(first), await charged(second)], [[72_625], []]);
    assert.deepEqual([await state(first), await state(second)], ['settled', 'due']);
  });

  test('one that the office said is somebody else’s is none of them', async (t) => {
    const { flags } = await startTwice(t, { isSamePerson: false });
    assert.deepEqual(await flags(), [undefined, undefined]);
  });

  test('none is flagged any more once one has given up its place; both are read again', async (t) => {
    const { first, second, flags, state, cancelFirst, changedBy } = await startTwice(t);
    assert.deepEqual(await flags(), [false, true]);
    assert.deepEqual(await changedBy(cancelFirst), [first, second].toSorted());
    assert.deepEqual(await flags(), [undefined, undefined]);
    assert.equal(await state(second), 'registered');
  });

  test('a correction of one of the names or addresses parts them; both are read again', async (t) => {
    const { first, second, payments, flags, now, changedBy } = await startTwice(t);
    const correct = () =>
      payments.ask(correctDetails, { id: first }, { email: 'else@example.org' }, 'Anna', now());
    assert.deepEqual(await changedBy(correct), [first, second].toSorted());
    assert.deepEqual(await flags(), [undefined, undefined]);
  });

  for (const kind of ['cancel', 'twoPeople'] as const)
    test(`keeps one place: after ${kind} of one, the other is not given back at the same time`, async (t) => {
      const { first, second, payments, find, now } = await startTwice(t);
      const [older, younger, at] = [await find(first), await find(second), now()];
      const whole = { at, by: 'Berta', writtenAt: at, whole: true } as const;
      await payments.ask(decide, younger, kind, kind === 'cancel' ? whole : { at, by: 'Anna' });
      await assert.rejects(payments.ask(decide, older, 'cancel', whole), { code: 'decided_meanwhile' });
      assert.equal((await find(first)).decisions.cancel, undefined);
    });
});

const paidAs = { name: 'Anna Maria O’Hara', email: 'anna@example.org' };

/** First name, last name and address that she would have, and whether they are another person's. */
const CASES: readonly (readonly [firstName: string, lastName: string, email: string, is: boolean])[] = [
  ['Berta', 'Fuchs', 'berta@example.org', true],
  ['Berta', 'Fuchs', 'anna@example.org', false],
  ['Berta', 'Fuchs', 'Anna@Example.org', false],
  // She marries, and changes her mail provider.
  ['Anna Maria', 'Fuchs', 'fuchs@example.org', false],
  ['ÁNNA', 'Fuchs', 'fuchs@example.org', false],
  ['Anna-Maria', 'Fuchs', 'fuchs@example.org', false],
  ['Berta', "O'hara", 'berta@example.org', false],
  ['Berta', 'Maria O’Hara', 'berta@example.org', false],
  // First and last name were typed into each other's field.
  ['O’Hara', 'Anna Maria', 'other@example.org', false],
  // Parts of a name are none.
  ['Ann', 'Hara', 'other@example.org', true],
  ['Maria', 'Fuchs', 'other@example.org', true],
  ['-', 'Fuchs', 'other@example.org', true],
];

test('what has neither her first name nor her last name nor her address of the payment is another person’s', () => {
  for (const [firstName, lastName, email, is] of CASES) {
    const to = { firstName, lastName, email };
    assert.equal(isHandedOver(recordWith({ paidAs }), to), is, Object.values(to).join(' '));
    assert.equal(isHandedOver(recordWith(), to), false, 'she has not paid');
  }
});
