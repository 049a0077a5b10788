import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { nextInstallment } from '#server/registration/registration.ts';
import { decide } from '#server/stripe/decide.ts';
import { openCardPage } from '#server/testing/test-cards.ts';
import { type SiteOptions, startRegistered } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { openBalance } from './balance.ts';
import { chargeBalance } from './charge.ts';
import { recordConsent } from './decide.ts';
import { makeDueRefunds } from './refunds.ts';

const begins = new Date('2025-12-22T12:00:00-08:00');
const now = () => begins;

/** A site with an open balance and an empty queue; no worker runs. */
async function startWithBalance(t: TestContext, options: SiteOptions = {}) {
  const site = await startRegistered(t, { begins, ...options });
  const { stripe, mailQueue } = site;
  await site.pay();
  const open = await openBalance(site, await site.find(), now());
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

  test('whose card was detached at Stripe is asked of her, and never charged, until she gives another card', async (t) => {
    const begun = await startRegistered(t, { begins: new Date(edition.facts.balance.noticeAt) });
    const { payments, stripe, sandbox, clientSecret, clock, id, find, pay, tell, lettersDue } = begun;
    const { version, digest } = edition.terms;
    await payments.ask(recordConsent, clientSecret, { version, digest, agreedAt: clock.now });
    const { customer } = await pay();
    const { card } = await find();
    assert.ok(card);
    const other = await stripe.paymentMethods.attach('pm_card_mastercard', { customer: String(customer) });
    const tellDetached = async (card: string) => {
      await stripe.paymentMethods.detach(card);
      const [event] = (await stripe.events.list({ types: ['payment_method.detached'] })).data;
      assert.ok(event);
      const { type, data } = event;
      const before = 'previous_attributes' in data ? data.previous_attributes : undefined;
      for (let time = 0; time < 2; time += 1) await tell(type, data.object, { before }).expect(200);
    };
    await tellDetached(other.id);
    assert.deepEqual([(await find()).card, await lettersDue()], [card, ['balance-notice']]);
    await tellDetached(card.id);
    const record = await find();
    assert.deepEqual([record.card, await lettersDue()], [undefined, ['please-pay']]);
    assert.equal(record.acts.filter(({ kind }) => kind === 'card-detached').length, 1);
    clock.now = nextInstallment(record).dueAt;
    assert.deepEqual(await payments.ask(chargeBalance, id, clock.now), { type: 'stopped', why: 'no-card' });
    const session = await openCardPage({ payments }, record, clock.now);
    sandbox.bank.enterCard(session, 'pm_card_mastercard');
    await tell('checkout.session.completed', { id: session }).expect(200);
    assert.equal((await find()).card?.brand, 'mastercard');
  });
});

/** A site with a paid balance and an empty queue; no worker runs. */
async function startPaid(t: TestContext, { card = 'pm_card_visa' } = {}) {
  const site = await startRegistered(t, { begins: new Date('2025-12-20T12:00:00-08:00') });
  const { stripe, mailQueue, metrics, payments, clock, id, find } = site;
  await site.pay(card);
  const { id: open } = await openBalance(site, await find(), clock.now);
  const balance = await stripe.paymentIntents.confirm(open, { payment_method: card });
  await mailQueue.bullQueue.obliterate();
  return {
    ...site,
    balance,
    async workOffCancelling() {
      const at = clock.now;
      await payments.ask(decide, await find(), 'cancel', { at, by: 'Anna', writtenAt: at });
      clock.now = new Date(at.getTime() + 25 * 60 * 60 * 1000);
      await payments.ask(makeDueRefunds, id, clock.now);
      const refunds = await stripe.refunds.list({ payment_intent: balance.id });
      return refunds.data[0] ?? assert.fail();
    },
    counted: async (line: RegExp) => assert.match(await metrics.metrics(), line),
  };
}

describe('POST /webhooks/stripe for a refund', () => {
  test('that fails at the bank is logged and counted, and shown as a check that the office has to send', async (t) => {
    const card = 'pm_card_refundFail';
    const site = await startPaid(t, { card });
    const { workOffCancelling, tell, stateShown, lettersDue, sandbox, stripe, counted, log, id, payment } =
      site;
    const refund = await workOffCancelling();
    await tell('refund.created', refund).expect(200);
    assert.equal(await stateShown(), 'refunded');
    await counted(/^refunds_total\{outcome="failed"\} 0$/m);
    sandbox.bank.settleRefund(refund.id);
    const failed = await stripe.refunds.retrieve(refund.id);
    await tell('refund.updated', failed).expect(200);
    await tell('refund.failed', failed).expect(200);
    assert.equal(await stateShown(), 'refund-failed');
    assert.deepEqual(await lettersDue(), ['refund-failed']);
    await counted(/^refunds_total\{outcome="failed"\} 1$/m);
    const words = `"level":"error".*"registration":"${id}".*failed at`;
    assert.match(log.text(), new RegExp(words));
    assert.equal((await stripe.refunds.list({ payment_intent: payment })).data.length, 0);
  });
});

describe('POST /webhooks/stripe records', () => {
  test('a dispute from its inquiry on: it is shown, counted and logged, and moves no money', async (t) => {
    const { tell, sandbox, stripe, balance, shown, counted, log } = await startPaid(t);
    const charge = String(balance.latest_charge);
    const id = sandbox.bank.openDispute(charge, { status: 'warning_needs_response' });
    const tellOf = async (event: string) =>
      tell(`charge.dispute.${event}`, await stripe.disputes.retrieve(id)).expect(200);
    await tellOf('created');
    await counted(/^disputes_total\{event="opened"\} 1$/m);
    assert.match(log.text(), /"level":"error".*A charge is disputed/);
    const { evidence_details: evidence } = await stripe.disputes.retrieve(id);
    const told = async () => {
      const { disputed, disputes = [] } = (await shown()) ?? assert.fail();
      return [disputed, ...disputes.map((one) => [one.id, one.of, one.cents, one.status, one.isOver])];
    };
    assert.deepEqual(await told(), [true, [id, 'balance', balance.amount, 'warning_needs_response', false]]);
    const evidenceDue = new Date(Number(evidence.due_by) * 1000);
    assert.deepEqual((await shown())?.disputes[0]?.evidenceDue, evidenceDue);
    sandbox.bank.moveDispute(id, 'needs_response');
    await tellOf('funds_withdrawn');
    assert.equal((await shown())?.disputes[0]?.status, 'needs_response');
    await counted(/^disputes_total\{event="won"\} 0$/m);
    sandbox.bank.closeDispute(id, 'won');
    await tellOf('closed');
    await counted(/^disputes_total\{event="won"\} 1$/m);
    assert.deepEqual(await told(), [true, [id, 'balance', balance.amount, 'won', true]]);
    assert.deepEqual((await stripe.refunds.list()).data, []);
  });
});
