import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { addAct, readActs } from '#server/record/acts.ts';
import { orderOf } from '#server/record/owed.ts';
import { startCharges } from '#server/testing/test-charges.ts';
import { balance, recordWith, refund } from '#server/testing/test-registrations.ts';
import { canWithdraw } from './decide.ts';

const NOW = new Date('2025-12-12T10:00:00Z');

async function startPaid(t: TestContext) {
  const charges = await startCharges(t);
  const id = await charges.register({ consents: false });
  return { ...charges, id, find: () => charges.find(id) };
}

describe('decisions about a registration', () => {
  test('a check that bounced and a waiver can be withdrawn, but nothing that her card paid or got back', () => {
    const act = { at: NOW, by: 'Anna' };
    const check = { ...act, cents: 70_000 };
    const waived = { ...act, cents: 20_000 };
    const cancel = { ...act, writtenAt: NOW };
    const paid = balance({ status: 'paid', paidAt: NOW });
    const after = new Date(NOW.getTime() + 1);
    const noticed = { at: NOW, dueAt: NOW, cents: 72_625, to: 'wilma' };
    const exception = { ...act, cents: 10_000, reason: 'illness' };
    const made = refund({ cents: 10_000, order: orderOf('refund', exception) });
    for (const [changes, kind, expected] of [
      [{ decisions: { check } }, 'check', true],
      [{ decisions: { waived: { ...act, cents: 70_000 } } }, 'waived', true],
      [{ decisions: { waived }, noticed }, 'waived', true],
      [{ decisions: { waived }, balance: paid }, 'waived', false],
      [{ decisions: { waived: { ...waived, at: after } }, balance: paid }, 'waived', true],
      [{ decisions: { check, cancel } }, 'check', false],
      [{ decisions: { refund: exception } }, 'refund', true],
      [{ decisions: { refund: exception }, refunds: [made] }, 'refund', false],
    ] as const) {
      assert.equal(canWithdraw(recordWith(changes), kind, NOW), expected);
    }
  });

  test('of two made at the same time the first is stored, and the second is refused', async (t) => {
    const { payments, find } = await startPaid(t);
    const record = await find();
    await payments.decide(record, 'waived', { at: NOW, by: 'Anna', cents: 10_000 });
    const late = payments.decide(record, 'waived', { at: NOW, by: 'Britt', cents: 20_000 });
    await assert.rejects(late, { code: 'decided_meanwhile' });
    const { waived } = (await find()).decisions;
    assert.deepEqual(waived, { at: NOW, by: 'Anna', cents: 10_000 });
    await payments.decide(await find(), 'waived', { at: NOW, by: 'Britt', cents: 20_000 });
    assert.equal((await find()).decisions.waived?.cents, 20_000);
  });

  test('the same decision sent again, after its answer was lost, is stored once', async (t) => {
    const { payments, find } = await startPaid(t);
    const record = await find();
    const cancel = { at: NOW, by: 'Anna', writtenAt: NOW };
    await payments.decide(record, 'cancel', cancel);
    await payments.decide(record, 'cancel', cancel);
    assert.deepEqual((await find()).decisions.cancel, { ...cancel, balanceOpen: true });
  });

  test('an act that this site did not write is an error that names it', async (t) => {
    const { database, payments, id } = await startPaid(t);
    const act = { id: 'act_1', subject: id, kind: 'postponed', at: NOW, by: 'Anna' };
    await database.write((transaction) => addAct(transaction, { ...act, facts: { until: 'next week' } }));
    await assert.rejects(payments.findRegistration(id), ({ cause }: Error) => {
      assert.ok(cause instanceof Error);
      assert.equal(cause.message, 'The act act_1 (postponed) cannot be read');
      return true;
    });
  });

  test('nothing of them is at Stripe, and each that was made or withdrawn stays on record', async (t) => {
    const { stripe, database, payments, id, find } = await startPaid(t);
    const { metadata } = await stripe.paymentIntents.retrieve(id);
    const act = { at: NOW, by: 'Anna' };
    await payments.decide(await find(), 'waived', { ...act, cents: 10_000 });
    await payments.decide(await find(), 'waived', { ...act, by: 'Britt', withdrawn: true });
    assert.deepEqual((await find()).decisions, { withdrawn: [{ kind: 'waived', ...act, by: 'Britt' }] });
    await payments.decide(await find(), 'waived', { ...act, cents: 20_000 });
    assert.deepEqual((await find()).decisions, { waived: { ...act, cents: 20_000 }, withdrawn: [] });
    const acts = await database.read((transaction) => readActs(transaction, id));
    assert.deepEqual(
      acts.map(({ kind, byWhom, facts }) => [kind, byWhom, JSON.parse(facts)]),
      [
        ['waived', 'Anna', { cents: 10_000 }],
        ['withdrawal', 'Britt', {}],
        ['waived', 'Anna', { cents: 20_000 }],
      ],
    );
    assert.deepEqual((await stripe.paymentIntents.retrieve(id)).metadata, metadata);
  });
});
