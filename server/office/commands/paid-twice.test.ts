import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { timelineOf } from '#server/office/timeline.ts';
import { correctDetails } from '#server/stripe/her-details.ts';
import { payBalance } from '#server/stripe/pay.ts';
import { act } from '#server/support/act-command.ts';
import { toldText } from '#server/support/terminal-text.ts';
import { DUE } from '#server/testing/test-charges.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { needsOf } from '#server/worker/office-needs.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';

const NOTICE = new Date(facts.balance.noticeAt);

/** Somebody has paid on two devices, and the worker's letters about that have arrived. */
async function startTwice(t: TestContext, { card = 'pm_card_visa' } = {}) {
  const mailing = await startMailing(t);
  const { registerTwice, stripe, find, depositOf, now, at, context } = mailing;
  const { first, second } = await registerTwice({ card });
  const arrived = await at(now());
  const run = async (command: string) => {
    const [kind = '', ...words] = command.split(' ');
    const fields = words.filter((word) => word !== '--dry-run');
    const isTried = fields.length < words.length;
    const told = await act(context, second, { kind, fields, by: 'Anna', isTried });
    return typeof told === 'string' ? told : toldText(told);
  };
  return {
    ...mailing,
    first,
    second,
    /** The payment of her second deposit. */
    deposit: await depositOf(second),
    arrived,
    run,
    needs: async (id = second) => needsOf(await find(id), now()).map(({ need }) => need),
    happened: async () => timelineOf(await find(second)).map(({ what }) => what),
    /** The sums of all refunds, with what they are of. */
    async refunds() {
      const { data } = await stripe.refunds.list({ limit: 100 });
      return data.map(({ payment_intent, amount }) => [payment_intent, amount]);
    },
  };
}

describe('what may be paid twice by one person', () => {
  test('is listed with both places, and one press gives one back whole, which needs no day to pass; the other goes on', async (t) => {
    const twice = await startTwice(t);
    const { at, now, run, needs, state, refunds, charge, charged } = twice;
    assert.deepEqual(twice.arrived, ['office-digest', 'office-paid', 'office-paid', 'welcome', 'welcome']);
    const digest = twice.mailServer.parsed.find(({ subject }) => subject?.includes('need you'));
    assert.match(digest?.text ?? '', /Paid twice\?/);
    assert.deepEqual([await needs(twice.first), await needs()], [['paid-twice'], ['paid-twice']]);
    assert.match(await run('cancel-whole --dry-run'), /All of this one goes back at once:\n +\$721 +deposit/);
    await run('cancel-whole');
    assert.deepEqual(await at(now()), ['refund-made']);
    assert.deepEqual(await refunds(), [[twice.deposit, 72_100]]);
    assert.deepEqual([await needs(twice.first), await needs()], [[], []]);
    assert.equal(await state(twice.second), 'refunded');
    assert.ok(
      (await twice.happened()).includes('Anna: gives all of it back: she has paid for another place'),
    );
    for (const command of ['cancel-whole', 'two-people'])
      await assert.rejects(run(command), { reason: 'wrongState' }, command);
    assert.deepEqual(await at(NOTICE), ['balance-notice']);
    twice.moveTo(DUE);
    await charge(twice.first);
    assert.deepEqual([await charged(twice.first), await charged(twice.second)], [[72_625], []]);
  });

  test('is given back with a balance that was paid while it counted as somebody else’s', async (t) => {
    const twice = await startTwice(t);
    const { payments, run, find, now, stripe, at, refunds, needs } = twice;
    const call = async (firstName: string) => {
      const { registrant } = await find(twice.first);
      return payments.ask(correctDetails, { id: twice.first }, { ...registrant, firstName }, 'Anna', now());
    };
    await call('Berta');
    const { clientSecret } = await payments.ask(payBalance, await find(twice.second), 72_625, now());
    const [balance = ''] = clientSecret.split('_secret_');
    await stripe.paymentIntents.confirm(balance, { payment_method: 'pm_card_visa' });
    await find(twice.second);
    assert.deepEqual(await needs(), []);
    await call('Wilma');
    assert.deepEqual(await needs(), ['paid-twice']);
    await run('cancel-whole');
    await at(now());
    assert.deepEqual(
      (await refunds()).toSorted((one, other) => Number(one[1]) - Number(other[1])),
      [
        [twice.deposit, 72_100],
        [balance, 72_625],
      ],
    );
    assert.deepEqual(await needs(), []);
  });

  test('and whose refund her bank does not take is owed by check', async (t) => {
    const { run, at, now, second, sandbox, stripe, needs, state } = await startTwice(t, {
      card: 'pm_card_refundFail',
    });
    await run('cancel-whole');
    await at(now());
    const { data } = await stripe.refunds.list();
    sandbox.bank.settleRefund(data[0]?.id ?? '');
    assert.deepEqual(await at(now()), ['refund-failed']);
    assert.deepEqual(await needs(), ['check-to-send']);
    assert.equal(await state(second), 'refund-failed');
  });

  test('is told of no charge before the office says that these are two people; then the notice follows, for good', async (t) => {
    const { run, at, now, needs, first, second, happened, find } = await startTwice(t);
    assert.deepEqual(await at(NOTICE), ['balance-notice', 'office-digest']);
    assert.match(await run('two-people'), /then: She has a place[^\n]*The site charges \$726\.25/);
    assert.deepEqual([await needs(first), await needs(second)], [[], []]);
    assert.deepEqual(await at(now()), ['balance-notice']);
    assert.ok(
      (await happened()).includes('Anna: who has another place under her name and address is somebody else'),
    );
    await assert.rejects(run('undo what=twoPeople'), /no longer possible/);
    for (const command of ['two-people', 'cancel-whole'])
      await assert.rejects(run(command), { reason: 'wrongState' }, command);
    assert.equal((await find(second)).decisions.cancel, undefined);
  });
});
