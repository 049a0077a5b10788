import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { findAllDue } from '#server/testing/test-charges.ts';
import { type SiteOptions, startRegistered } from '#server/testing/test-site.ts';
import { openBalance } from './open-balance.ts';

const begins = new Date('2025-12-22T12:00:00-08:00');
const now = () => begins;

/** A site with an open balance and an empty queue; no worker runs. */
async function startWithBalance(t: TestContext, options: SiteOptions = {}) {
  const site = await startRegistered(t, { begins, ...options });
  const { stripe, mailQueue } = site;
  await site.pay();
  const open = await openBalance(stripe, await site.find());
  await mailQueue.bullQueue.obliterate();
  return {
    ...site,
    open,
    pay: (card = 'pm_card_visa') => stripe.paymentIntents.confirm(open.id, { payment_method: card }),
  };
}

describe('POST /webhooks/stripe for a balance', () => {
  test('that was paid is owed its receipt, however often the event comes, shows the payment, and has the worker asked each time for what is due then', async (t) => {
    let asked = 0;
    const askForDueWork = async () => {
      asked += 1;
    };
    const { pay, tell, lettersDue, stateShown, log } = await startWithBalance(t, {
      changes: { askForDueWork },
    });
    const paid = await pay();
    for (let time = 0; time < 3; time += 1) await tell('payment_intent.succeeded', paid).expect(200);
    assert.deepEqual([await lettersDue(), await stateShown()], [['balance-paid'], 'settled']);
    assert.match(log.text(), /"msg":"Balance paid"/);
    assert.equal(asked, 3);
  });

  test('of a part of a payment plan is owed a receipt of its own, and the last one that of everything', async (t) => {
    const { payments, stripe, find, tell, pay, lettersDue } = await startRegistered(t, { begins });
    await pay();
    const dueAt = (number: number) => new Date(+begins + number * 1.05e9);
    const parts = [1, 2].map((number) => ({ number, cents: 35_000, dueAt: dueAt(number) }));
    const act = { at: begins, by: 'Anna' };
    await payments.decide(await find(), 'plan', { ...act, parts });
    await payments.decide(await find(), 'planAgreed', { ...act, parts, how: 'phone', on: begins });
    assert.deepEqual(await lettersDue(), ['payment-plan']);
    const payPart = async () => {
      const { id } = await openBalance(stripe, await find());
      const paid = await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
      await tell('payment_intent.succeeded', paid).expect(200);
      return lettersDue();
    };
    assert.deepEqual(await payPart(), ['payment-plan', 'part-paid']);
    assert.deepEqual(await payPart(), ['balance-paid']);
  });

  test('that was declined and then paid stays paid, in whatever order the events come', async (t) => {
    const { stripe, open, pay, tell, lettersDue, stateShown } = await startWithBalance(t);
    await assert.rejects(pay('pm_card_visa_chargeDeclined'), { code: 'card_declined' });
    const declined = await stripe.paymentIntents.retrieve(open.id);
    const paid = await pay();
    await tell('payment_intent.succeeded', paid).expect(200);
    await tell('payment_intent.payment_failed', declined).expect(200);
    assert.deepEqual([await lettersDue(), await stateShown()], [['balance-paid'], 'settled']);
    assert.equal((await stripe.paymentIntents.retrieve(open.id)).status, 'succeeded');
  });

  test('that was declined does not count towards the deposit’s limit of declines, and the decline is shown', async (t) => {
    const { stripe, open, pay, tell, stateShown } = await startWithBalance(t);
    for (let time = 0; time < 6; time += 1) {
      await assert.rejects(pay('pm_card_visa_chargeDeclined'), { code: 'card_declined' });
      await tell('payment_intent.payment_failed', await stripe.paymentIntents.retrieve(open.id)).expect(200);
    }
    assert.equal((await stripe.paymentIntents.retrieve(open.id)).status, 'requires_payment_method');
    assert.equal(await stateShown(), 'registered');
  });

  test('with an amount that the site did not set is held for a person, without a receipt', async (t) => {
    const { stripe, open, pay, tell, lettersDue, log, payments, database, id } = await startWithBalance(t);
    await stripe.paymentIntents.update(open.id, { amount: 100 });
    await tell('payment_intent.succeeded', await pay()).expect(200);
    assert.deepEqual(await lettersDue(), []);
    assert.match(log.text(), /"level":"error".*A payment was made with another amount or currency/);
    const attention = `${open.id} is a balance that was paid with another amount than this site asked for`;
    assert.deepEqual(await findAllDue({ payments, database }, now()), [
      { id, letters: [], deeds: [], attention },
    ]);
  });

  test('whose new card was detached since is acknowledged: Stripe need not send the event again', async (t) => {
    const { stripe, id, payments, tell, log } = await startWithBalance(t);
    const record = (await payments.findRegistration(id)) ?? assert.fail();
    const secret = await payments.beginCardChange(record, now());
    const setupId = secret.slice(0, secret.indexOf('_secret_'));
    const setup = await stripe.setupIntents.confirm(setupId, { payment_method: 'pm_card_mastercard' });
    await tell('setup_intent.succeeded', { ...setup, id: 'seti_gone' }).expect(200);
    assert.match(log.text(), /A stored card is gone/);
    assert.deepEqual((await payments.findRegistration(id))?.card, record.card);
    await tell('setup_intent.succeeded', setup).expect(200);
    assert.equal((await payments.findRegistration(id))?.card?.brand, 'mastercard');
  });

  test('whose card her bank replaces is charged to the new one: number and expiry follow, once, and the worker is asked', async (t) => {
    let asked = 0;
    const askForDueWork = async () => {
      asked += 1;
    };
    const { sandbox, stripe, tell, find } = await startWithBalance(t, { changes: { askForDueWork } });
    const { card } = await find();
    assert.ok(card);
    sandbox.bank.renewCard(card.id, { last4: '1881', exp_month: 11, exp_year: 2031 });
    const renewed = await stripe.paymentMethods.retrieve(card.id);
    for (let time = 0; time < 2; time += 1)
      await tell('payment_method.automatically_updated', renewed).expect(200);
    const { since: _, ...now } = (await find()).card ?? assert.fail();
    const { id, brand, funding } = card;
    assert.deepEqual(now, { id, brand, last4: '1881', expMonth: 11, expYear: 2031, funding });
    assert.equal(asked, 1);
    await tell('payment_method.automatically_updated', { ...renewed, id: 'pm_of_nobody' }).expect(200);
  });

  test('whose event never came is found in Stripe’s list of events', async (t) => {
    const { pay, payments, database, id } = await startWithBalance(t);
    await payments.catchUp(now());
    await pay();
    const [due] = await findAllDue({ payments, database }, now());
    assert.equal(due?.id, id);
    assert.ok(due.letters.some(({ kind }) => kind === 'balance-paid'));
    assert.ok(!due.deeds.includes('charge'));
  });

  test('without its deposit is an error, never silently acknowledged', async (t) => {
    const { stripe, open, tell, log } = await startWithBalance(t);
    const { customer } = open;
    const lost = await stripe.paymentIntents.create({
      amount: open.amount,
      currency: 'usd',
      customer: String(customer),
      confirm: true,
      payment_method: 'pm_card_visa',
      metadata: { ...open.metadata, deposit: 'pi_gone' },
    });
    await tell('payment_intent.succeeded', lost).expect(500);
    assert.ok(log.text().includes(`${lost.id} is a balance without its deposit`));
  });
});
