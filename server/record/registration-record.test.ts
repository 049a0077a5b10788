import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { SANDBOX_KEYS, startTestSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { createPayments } from '#server/payments/payments.ts';
import { recordAct } from '#server/testing/test-acts.ts';
import { alwaysHeld } from '#server/testing/test-charges.ts';
import { testDatabase } from '#server/testing/test-database.ts';
import { contactStep } from '#server/testing/test-visitor.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { ownMarksOfBalance } from './recognise-deposit.ts';
import { stateOf } from './registration-state.ts';

const startsAt = new Date('2025-12-01T17:00:00Z');
const CHARGED = new Date(facts.balance.chargeAt);

/** A registration with its deposit paid, and a function that creates payments of its balance. */
async function startPaid(t: TestContext) {
  const { sandbox, stripe } = await startTestSandbox(t, { startsAt });
  const { database } = await testDatabase(t);
  const settings = { secretKey: SANDBOX_KEYS.secretKey, apiBase: sandbox.url };
  const payments = createPayments(settings, database);
  const contact = {
    contact: contactStep,
    facts,
    timeZone: '',
    somebodyElse: true,
    admitLetter: async () => true,
  };
  const { id: deposit } = await payments.createDeposit(
    contact,
    { value: 'registration-0123456789' },
    alwaysHeld(database, () => startsAt),
  );
  const paid = await stripe.paymentIntents.confirm(deposit, { payment_method: 'pm_card_visa' });
  const customer = String(paid.customer);
  const createBalance = (marks: Record<string, string> = {}) => {
    const sums = {
      byCardCents: facts.prices.balanceCents,
      beforeFeeCents: facts.prices.balanceBeforeFeeCents,
    };
    const metadata = { ...ownMarksOfBalance(facts, deposit, sums), ...marks };
    return stripe.paymentIntents.create({
      ...{ amount: facts.prices.balanceCents, currency: 'usd', customer, metadata },
    });
  };
  const find = async () => {
    const record = await payments.findRegistration(deposit);
    assert.ok(record);
    return record;
  };
  return { stripe, database, payments, deposit, customer, createBalance, find };
}

describe('what Stripe has on record of a registration', () => {
  test('a try without a recorded result counts as in progress, also if her bank demands authentication', async (t) => {
    const { stripe, database, customer, deposit, createBalance, find } = await startPaid(t);
    const { id } = await createBalance();
    const method = await stripe.paymentMethods.attach('pm_card_authenticationRequiredOnSetup', { customer });
    const confirm = stripe.paymentIntents.confirm(id, { off_session: true, payment_method: method.id });
    await assert.rejects(confirm, { code: 'authentication_required' });
    await database.write(async (transaction) => {
      const begun = {
        id: 'attempt_1',
        registration: deposit,
        part: 0,
        number: 1,
        payment: id,
        card: method.id,
        step: 1,
      };
      const unknown = { endedAt: null, code: null, nextAt: null, final: 0 } as const;
      const row = { ...begun, ...unknown, begunAt: CHARGED.toISOString() };
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
    const { database, deposit, find } = await startPaid(t);
    await recordAct(database, deposit, 'waived', { at: startsAt, cents: 70_001 });
    assert.equal(stateOf(await find(), CHARGED), 'settled');
  });
});
