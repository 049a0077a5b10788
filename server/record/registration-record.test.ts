import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { startCharges } from '#server/testing/test-charges.ts';
import { recordAct } from '#server/testing/test-database.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { ownMarksOfBalance } from './payment-at-stripe.ts';
import { stateOf } from './registration-state.ts';

const CHARGED = new Date(facts.balance.chargeAt);

/** A registration with its deposit paid, and a function that creates payments of its balance. */
async function startPaid(t: TestContext) {
  const charges = await startCharges(t);
  const deposit = await charges.register({ consents: false });
  const { customerId: customer = '' } = await charges.find(deposit);
  const { balanceCents: amount, balanceBeforeFeeCents: beforeFeeCents } = facts.prices;
  const ownMarks = ownMarksOfBalance(facts, deposit, { byCardCents: amount, beforeFeeCents });
  const createBalance = (marks: Record<string, string> = {}) => {
    const metadata = { ...ownMarks, ...marks };
    return charges.stripe.paymentIntents.create({ amount, currency: 'usd', customer, metadata });
  };
  return { ...charges, deposit, customer, createBalance, find: () => charges.find(deposit) };
}

describe('what Stripe has on record of a registration', () => {
  test('a try without a recorded result counts as in progress, also if her bank demands authentication', async (t) => {
    const { stripe, database, customer, deposit, createBalance, find } = await startPaid(t);
    const [{ id }, begunAt] = [await createBalance(), CHARGED.toISOString()];
    const method = await stripe.paymentMethods.attach('pm_card_authenticationRequiredOnSetup', { customer });
    const stored = { card: { stored_credential_usage: 'installment' } } as const;
    const tried = { payment_method: method.id, off_session: true, payment_method_options: stored };
    const confirm = stripe.paymentIntents.confirm(id, tried);
    await assert.rejects(confirm, { code: 'authentication_required' });
    await database.write(async (transaction) => {
      const row = {
        id: 'attempt_1',
        registration: deposit,
        part: 0,
        number: 1,
        step: 1,
        begunAt,
        payment: id,
        card: method.id,
        endedAt: null,
        code: null,
        nextAt: null,
        final: 0,
      } as const;
      await transaction.insertInto('attempts').values(row).execute();
    });
    const record = await find();
    assert.deepEqual([record.balance?.status, record.balance?.tries], ['open', 1]);
    assert.equal(stateOf(record, CHARGED), 'retrying');
  });

  test('a paid balance counts as paid even if there is a newer payment', async (t) => {
    const { stripe, createBalance, find } = await startPaid(t);
    const { id } = await createBalance();
    await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    await createBalance();
    const record = await find();
    assert.deepEqual([record.balance?.id, record.balance?.beforeFeeCents], [id, 70_000]);
    assert.equal(stateOf(record, CHARGED), 'settled');
  });

  test('a balance without a readable sum before the card fee is an error', async (t) => {
    const { createBalance, find } = await startPaid(t);
    await createBalance({ 'before-fee': '' });
    await assert.rejects(find(), { code: 'unreadable_payment' });
  });

  test('a waiver of more than is left to pay leaves nothing to pay, and breaks nothing', async (t) => {
    const { database, deposit, find, now } = await startPaid(t);
    await recordAct(database, deposit, 'waived', { at: now(), cents: 70_001 });
    assert.equal(stateOf(await find(), CHARGED), 'settled');
  });
});
