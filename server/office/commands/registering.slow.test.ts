import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { toldText } from '#server/office/terminal/command.ts';
import { depositLeftOf } from '#server/registration/registration.ts';
import { chargeBalance } from '#server/stripe/charge.ts';
import { give } from '#server/testing/command-drivers.ts';
import { giveCard, goToBank, payOnPage } from '#server/testing/test-cards.ts';
import { DUE } from '#server/testing/test-charges.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { contactIn } from '#shared/registration.ts';

const name = { firstName: 'Clara', lastName: 'Roe' };
const contact = contactIn({ ...name, email: 'clara@example.org', phoneNumber: '+1 310 555 0100' });
const holding = { way: 'check', until: '2025-12-10', agreed: 'phone', agreedOn: '2025-12-01' } as const;
const wanted: Readonly<Record<string, string>> = { ...contact, ...holding };

/** The office at the beginning of December, and somebody who calls. */
async function startOffice(t: TestContext, changes: Readonly<Record<string, string>> = {}) {
  const posted: string[] = [];
  const office = await startMailing(t, {
    intercept({ method, path }) {
      if (method === 'POST') posted.push(path);
      return undefined;
    },
  });
  const { context, at, now, find } = office;
  const given = { ...wanted, ...changes };
  const register = () => give({ context }, edition.facts.id, 'register', given);
  const told = await register();
  const id = told.made ?? assert.fail(toldText(told));
  return {
    ...office,
    id,
    /** The requests that made or changed anything at Stripe. */
    posted,
    register,
    told: toldText(told),
    hers: () => find(id),
    state: () => office.state(id),
    /** The letters that arrive now. */
    letters: () => at(now()),
    receive: (cents: number, on: string, number = '') =>
      give({ context }, id, 'received', { way: 'check', dollars: String(cents / 100), on, number }).then(
        toldText,
      ),
  };
}

describe('the office registers somebody who calls', () => {
  test('who pays the deposit by check: it is held, reminded of, and hers once the check has come', async (t) => {
    const office = await startOffice(t);
    const { told, hers, state, letters, at, moveTo, now, receive, stripe, posted } = office;
    for (const words of [
      /^Clara Roe is registered for .*clara@example\.org/m,
      /^Her place is held until Dec 10, 2025, 5:00 PM PST: she pays the deposit by check\.$/m,
      /^She agreed to version \S+ of the policies on the phone on 2025-12-01\.$/m,
    ])
      assert.match(told, words);
    assert.equal(await state(), 'held');
    const { agreement, customerId, depositPayment } = await hers();
    assert.deepEqual([agreement?.spoken?.how, agreement?.spoken?.by], ['phone', 'Anna']);
    assert.deepEqual([customerId, depositPayment], [undefined, undefined]);
    assert.deepEqual(await letters(), ['place-held']);
    assert.deepEqual(posted, [], 'Stripe has nothing of her before she opens a payment by card');
    const given = await giveCard(office, await hers(), now());
    const opened = await goToBank(office, given, now());
    assert.deepEqual(await at(new Date('2025-12-08T20:00:00Z')), ['place-held']);
    assert.match(await receive(30_000, '2025-12-08', '7'), /\$395 of the deposit is to come by check/);
    assert.equal(depositLeftOf(await hers()), 39_500);
    assert.deepEqual(await letters(), ['payment-received']);
    moveTo(new Date('2025-12-09T20:00:00Z'));
    assert.match(await receive(39_500, '2025-12-09', '8'), /Balance|has a place/);
    const paid = await hers();
    assert.deepEqual([paid.deposit, paid.depositCents, await state()], ['paid', 69_500, 'registered']);
    // Nobody pays it once more by an old page.
    assert.equal((await stripe.paymentIntents.retrieve(opened)).status, 'canceled');
    assert.deepEqual(await letters(), ['office-paid', 'welcome']);
  });

  test('who does not pay: a letter tells her a day later, and her place is free until the office holds it again', async (t) => {
    const { at, state, letters, context, id, receive } = await startOffice(t);
    await letters();
    await at(new Date('2025-12-08T20:00:00Z'));
    assert.deepEqual(await at(new Date('2025-12-11T20:00:00Z')), ['office-digest']);
    assert.equal(await state(), 'held');
    assert.deepEqual(await at(new Date('2025-12-12T01:00:00Z')), ['place-lapsed']);
    assert.equal(await state(), 'lapsed');
    await give({ context }, id, 'hold', { ...holding, until: '2025-12-15' });
    assert.deepEqual([await state(), await letters()], ['held', ['place-held']]);
    await receive(69_500, '2025-12-11');
    assert.equal(await state(), 'registered');
  });

  test('who pays by card on her page: the card is saved for the balance', async (t) => {
    const office = await startOffice(t, { way: 'card' });
    const { payments, hers, state, now, letters } = office;
    const given = await giveCard(office, await hers(), now(), 'pm_card_visa');
    assert.deepEqual([given.card?.last4, await state(), await letters()], ['4242', 'held', ['place-held']]);
    assert.deepEqual(await payments.ask(chargeBalance, given.id, DUE), { type: 'stopped', why: 'not-due' });
    await assert.rejects(payOnPage(office, given, now(), 72_625), { code: 'changed' });
    assert.equal((await payOnPage(office, given, now(), 72_100)).outcome, 'paid');
    assert.equal(await state(), 'registered');
    assert.equal((await hers()).card?.id, given.card?.id);
    assert.deepEqual(await letters(), ['office-paid', 'welcome']);
  });

  test('with a scholarship of all of it: the place is hers at once', async (t) => {
    const { told, state, letters } = await startOffice(t, { scholarship: '1395' });
    assert.match(told, /^She has nothing to pay for the deposit: her place is hers at once/m);
    assert.equal(await state(), 'settled');
    assert.deepEqual(await letters(), ['office-paid', 'tuition-reduced', 'welcome']);
  });

  test('on impossible days is refused with the reason', async (t) => {
    const { context } = await startMailing(t);
    for (const [changes, message] of [
      [{ until: '2025-11-30' }, /2025-11-30 is past/],
      [{ until: '2026-03-01' }, /Registration is over by then/],
      [{ agreedOn: '2026-01-01' }, /cannot have agreed in the future/],
      [{ scholarship: '1395.01' }, /The tuition is \$1,395/],
    ] as const)
      await assert.rejects(
        give({ context }, edition.facts.id, 'register', { ...wanted, ...changes }),
        message,
      );
  });
});
