import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { needsOf } from '#server/register/office-needs.ts';
import { act } from '#server/support/act-command.ts';
import { toldText } from '#server/support/terminal-text.ts';
import { DUE } from '#server/testing/test-charges.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { timelineOf } from './registration-facts.ts';

const NOTICE = new Date(facts.balance.noticeAt);

/** Somebody has paid on two devices, and the worker's letters about that have arrived. */
async function startSecond(t: TestContext, { card = 'pm_card_visa' } = {}) {
  const mailing = await startMailing(t);
  const { registerTwice, stripe, find, now, at, context } = mailing;
  const { first, second } = await registerTwice({ card });
  const arrived = await at(now());
  const run = async (command: string) => {
    const [kind = '', ...words] = command.split(' ');
    const fields = words.filter((word) => word !== '--dry-run');
    const asked = { by: 'Anna', 'dry-run': fields.length < words.length };
    const told = await act(context, second, { kind, fields, asked });
    return typeof told === 'string' ? told : toldText(told);
  };
  return {
    ...mailing,
    first,
    second,
    arrived,
    run,
    needs: async () => needsOf(await find(second), now()).map(({ need, cents }) => [need, cents]),
    happened: async () => timelineOf(await find(second), []).map(({ what }) => what),
    /** The sums of all refunds, with what they are of. */
    async refunds() {
      const { data } = await stripe.refunds.list({ limit: 100 });
      return data.map(({ payment_intent, amount }) => [payment_intent, amount]);
    },
  };
}

describe('a second payment of one person', () => {
  test('is given back whole by one press, which needs no day to pass, and the first goes on', async (t) => {
    const second = await startSecond(t);
    const { at, now, run, needs, state, refunds, charge, charged } = second;
    const arrived = ['office-digest', 'office-paid', 'office-paid', 'second-payment', 'welcome'];
    assert.deepEqual(second.arrived, arrived);
    assert.deepEqual(await needs(), [['second-payment', 72_100]]);
    assert.match(await run('refund-second --dry-run'), /\$721 +deposit$[\s\S]*\$721 goes back to her card/m);
    assert.match(await run('refund-second'), /^Recorded for Anna\.$/m);
    assert.deepEqual(await at(now()), ['refund-made']);
    assert.deepEqual(await refunds(), [[second.second, 72_100]]);
    assert.deepEqual(await needs(), []);
    assert.equal(await state(second.second), 'refunded');
    const told = `Anna: gives this second payment back: she had paid ${second.first} before`;
    assert.ok((await second.happened()).includes(told));
    await assert.rejects(run('refund-second'), { reason: 'wrongState' });
    assert.deepEqual(await at(NOTICE), ['balance-notice']);
    second.moveTo(DUE);
    await charge(second.first);
    assert.deepEqual([await charged(second.first), await charged(second.second)], [[72_625], []]);
  });

  test('is given back with a balance that was paid while it counted as somebody else’s', async (t) => {
    const second = await startSecond(t);
    const { payments, run, find, now, stripe, at, refunds, needs } = second;
    const call = async (firstName: string) => {
      const { registrant } = await find(second.first);
      return payments.correctDetails({ id: second.first }, { ...registrant, firstName }, 'Anna', now());
    };
    await call('Berta');
    const { clientSecret } = await payments.payBalance(await find(second.second), 72_625, now());
    const [balance = ''] = clientSecret.split('_secret_');
    await stripe.paymentIntents.confirm(balance, { payment_method: 'pm_card_visa' });
    await find(second.second);
    assert.deepEqual(await needs(), []);
    await call('Wilma');
    assert.deepEqual(await needs(), [['second-payment', 144_725]]);
    await run('refund-second');
    await at(now());
    assert.deepEqual(
      (await refunds()).toSorted((one, other) => Number(one[1]) - Number(other[1])),
      [
        [second.second, 72_100],
        [balance, 72_625],
      ],
    );
    assert.deepEqual(await needs(), []);
  });

  test('whose refund her bank does not take is owed by check', async (t) => {
    const { run, at, now, second, sandbox, stripe, needs, state } = await startSecond(t, {
      card: 'pm_card_refundFail',
    });
    await run('refund-second');
    await at(now());
    const { data } = await stripe.refunds.list();
    sandbox.bank.settleRefund(data[0]?.id ?? '');
    assert.deepEqual(await at(now()), ['refund-failed']);
    assert.deepEqual(await needs(), [['check-to-send', 72_100]]);
    assert.equal(await state(second), 'refund-failed');
  });

  test('takes no other decision than that, or that these are two people', async (t) => {
    const { run, find, second } = await startSecond(t);
    const before = await find(second);
    const others = [
      'cancel written=2025-12-01',
      'waive dollars=20',
      'refund dollars=5 reason=ill',
      'pay-by-check',
    ];
    for (const command of others)
      await assert.rejects(run(command), { message: /second payment/, reason: 'wrongState' }, command);
    assert.deepEqual(await find(second), before);
  });

  test('of two people is a registration as any other: the welcome and the notice follow', async (t) => {
    const { run, at, now, needs, state, second, happened } = await startSecond(t);
    const says = /the welcome is sent to her\.[\s\S]*Charged automatically: \$726\.25/;
    assert.match(await run('two-people'), says);
    assert.deepEqual(await at(now()), ['welcome']);
    assert.deepEqual(await needs(), []);
    assert.equal(await state(second), 'registered');
    assert.ok((await happened()).includes('Anna: these are two people, and this is no second payment'));
    assert.deepEqual(await at(NOTICE), ['balance-notice', 'balance-notice']);
    assert.match(await run('withdraw decision=twoPeople'), /It counts as a second payment again/);
    assert.equal(await state(second), 'second-payment');
  });
});
