import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fitPayments } from '#server/stripe/balance.ts';
import { chargeBalance } from '#server/stripe/charge.ts';
import { decide } from '#server/stripe/decide.ts';
import { killedAt, recordReceived, startDue } from '#server/testing/test-charges.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { owedOf, surplusOf } from './registration.ts';

const { balanceBeforeFeeCents: BALANCE } = edition.facts.prices;
/** The request that tries the card. */
const TRIES = 2;

/** A worker is killed before or after it tried her card: nobody records the end of that try. */
async function startKilled(t: Parameters<typeof startDue>[0], isSent: boolean) {
  const due = await startDue(t);
  const { id, sandbox, now, find, payments } = due;
  const killed = { ...due, stripe: killedAt(TRIES, isSent, sandbox) };
  await assert.rejects(chargeBalance(killed, id, now()), { type: 'StripeConnectionError' });
  const act = () => ({ at: now(), by: 'Anna' });
  const waive = async (cents: number) => payments.ask(decide, await find(id), 'waived', { ...act(), cents });
  return { ...due, act, waive };
}

describe('a try whose worker was killed holds nothing back', () => {
  test('once its payment is on record as paid', async (t) => {
    const { id, find, waive } = await startKilled(t, true);
    await find(id);
    await waive(20_000);
    const { ledger } = await find(id);
    assert.deepEqual([owedOf(ledger), surplusOf(ledger)], [0, 20_000]);
  });

  test('once its payment is cancelled: a check came, and what is refunded by hand is judged', async (t) => {
    const { id, find, act, waive, payments, stripe, depositOf, now } = await startKilled(t, false);
    await assert.rejects(waive(20_000), { code: 'not_possible_now' });
    const check = { ...act(), way: 'check', cents: BALANCE, on: now() } as const;
    await payments.ask(recordReceived, await find(id), check);
    await stripe.refunds.create({ payment_intent: await depositOf(id), amount: 10_000 });
    const { ledger } = await find(id);
    assert.deepEqual([owedOf(ledger), surplusOf(ledger)], [0, 0]);
  });

  test('which the worker cannot make again, because some of the deposit was refunded by hand', async (t) => {
    const { id, find, now, payments, stripe, depositOf, charge, charged } = await startKilled(t, false);
    await stripe.refunds.create({ payment_intent: await depositOf(id), amount: 10_000 });
    await find(id);
    assert.equal((await charge(id)).type, 'stopped');
    await payments.ask(fitPayments, id, now());
    assert.equal(owedOf((await find(id)).ledger), BALANCE);
    await charge(id);
    assert.deepEqual(await charged(id), [edition.facts.prices.balanceCents]);
  });
});
