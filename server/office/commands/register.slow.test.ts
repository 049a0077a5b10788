import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { owedByCheck } from '#server/registration/balance.ts';
import { depositLeftOf } from '#server/registration/deposit.ts';
import { linkDigest } from '#server/registration/links.ts';
import { findRow } from '#server/registration/registrations.ts';
import { endUnpaid } from '#server/stripe/forget.ts';
import { payBalance } from '#server/stripe/pay.ts';
import { act } from '#server/support/act-command.ts';
import { toldText } from '#server/support/terminal-text.ts';
import type { TestScope } from '#server/testing/clean-up.ts';
import { core } from '#server/testing/command-drivers.ts';
import { daysAfter, paymentIn } from '#server/testing/test-charges.ts';
import { commandsFor } from '#server/testing/test-commands.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { balanceOf } from '#shared/content/tuition.ts';
import type { Typed } from './command.ts';

const { id: EDITION, prices } = edition.facts;
const { depositCents, depositBeforeFeeCents, balanceBeforeFeeCents } = prices;
const DEPOSIT = depositBeforeFeeCents / 100;
const TUITION = DEPOSIT + balanceBeforeFeeCents / 100;
const HOLD = { way: 'check', until: '2025-12-10', agreed: 'phone', agreedOn: '2025-12-01' };
const CLARA = {
  firstName: 'Clara',
  lastName: 'Roe',
  email: 'clara@example.org',
  phoneNumber: '+1 310 555 0100',
  ...HOLD,
};

/** The office at the beginning of December, and somebody who calls. */
async function startRegistered(t: TestScope, changes: Typed = {}) {
  const posted: string[] = [];
  const mailing = await startMailing(t, {
    intercept({ method, path }) {
      if (method === 'POST') posted.push(path);
      return undefined;
    },
  });
  const fields = Object.entries({ ...CLARA, ...changes }).map((field) => field.join('='));
  const told = await act(mailing.context, EDITION, { kind: 'register', fields, by: 'Anna', isTried: false });
  const made = typeof told === 'string' ? undefined : told.made;
  return {
    ...commandsFor(mailing, made ?? assert.fail()),
    /** The requests that made or changed anything at Stripe. */
    posted,
    says: typeof told === 'string' ? told : toldText(told),
    letters: () => mailing.at(mailing.now()),
  };
}

describe('the office registers somebody who calls', () => {
  test('who pays the deposit by check: it is held, reminded of, and hers once the check has come', async (t) => {
    const office = await startRegistered(t);
    const { find, state, letters, at, moveTo, now, check, payments, stripe, posted } = office;
    for (const words of [
      /^Clara Roe is registered for .*clara@example\.org/m,
      /^Her place is held until Dec 10, 2025, 5:00 PM PST: she pays the deposit by check\.$/m,
      /^She agreed to version \S+ of the policies on the phone on 2025-12-01\.$/m,
    ])
      assert.match(office.says, words);
    assert.equal(await state(), 'held');
    const { agreement, customerId, depositPayment } = await find();
    assert.deepEqual([agreement?.spoken?.how, agreement?.spoken?.by], ['phone', 'Anna']);
    assert.deepEqual([customerId, depositPayment], [undefined, undefined]);
    assert.deepEqual(await letters(), ['place-held']);
    assert.deepEqual(posted, [], 'Stripe has nothing of her before she opens a payment by card');
    const { clientSecret } = await payments.ask(payBalance, await find(), depositCents, now());
    assert.deepEqual(await at(new Date('2025-12-08T20:00:00Z')), ['place-held-reminder']);
    await check(300, '2025-12-08', '7');
    assert.equal(depositLeftOf(await find()), depositBeforeFeeCents - 30_000);
    assert.deepEqual(await letters(), ['payment-received']);
    moveTo(new Date('2025-12-09T20:00:00Z'));
    await check(DEPOSIT - 300, '2025-12-09', '8');
    const paid = await find();
    assert.deepEqual([paid.deposit, paid.depositCents], ['paid', depositBeforeFeeCents]);
    assert.equal(await state(), 'registered');
    // Nobody pays it once more by an old page.
    assert.equal((await stripe.paymentIntents.retrieve(paymentIn(clientSecret))).status, 'canceled');
    assert.deepEqual(await letters(), ['office-paid', 'welcome']);
  });

  test('who pays all of it with one check: nothing is left, and what is more comes back to her', async (t) => {
    const { check, find, state, letters } = await startRegistered(t);
    await letters();
    await check(TUITION + 5, '2025-12-01');
    assert.deepEqual([await state(), owedByCheck(await find())], ['settled', 500]);
    assert.deepEqual(await letters(), ['balance-paid', 'office-paid', 'welcome']);
  });

  test('whose check bounces: she has no place until another has come', async (t) => {
    const { check, give, state, letters } = await startRegistered(t);
    await letters();
    await check(DEPOSIT, '2025-12-01');
    await letters();
    assert.match(
      await give('undo', { what: 'payment-1-bounced' }),
      /\$695 of the deposit is to come by check/,
    );
    assert.equal(await state(), 'held');
    assert.deepEqual(await letters(), ['payment-returned']);
    await check(DEPOSIT, '2025-12-01', '2');
    assert.equal(await state(), 'registered');
  });

  test('whose check bounces once registration is over: her details stay, and the office is told', async (t) => {
    const { check, give, find, letters, at, state, needs } = await startRegistered(t);
    await check(DEPOSIT, '2025-12-01');
    await letters();
    await at(new Date('2026-01-22T20:00:00Z'));
    await give('undo', { what: 'payment-1-bounced' });
    await letters();
    const { deposit, registrant } = await find();
    assert.deepEqual([await state(), deposit, registrant.email], ['lapsed', 'unpaid', CLARA.email]);
    assert.deepEqual(await needs(), ['deposit-late']);
  });

  test('while the first letter of a begun registration ends it: what came by check stays hers', async (t) => {
    const { check, payments, id, find, now, refuses } = await startRegistered(t);
    await check(300, '2025-12-01');
    assert.equal(await payments.ask(endUnpaid, id, linkDigest(CLARA.email), now()), 'paid');
    assert.equal((await find()).registrant.email, CLARA.email);
    await refuses('end', {}, /Something has come from her: send it back/);
  });

  test('who does not pay: a letter tells her a day later, and her place is free until it is held again', async (t) => {
    const { at, state, letters, give, check } = await startRegistered(t);
    await letters();
    await at(new Date('2025-12-08T20:00:00Z'));
    assert.deepEqual(await at(new Date('2025-12-11T20:00:00Z')), ['office-digest']);
    assert.equal(await state(), 'held');
    assert.deepEqual(await at(new Date('2025-12-12T01:00:00Z')), ['place-lapsed']);
    assert.equal(await state(), 'lapsed');
    await give('hold', { ...HOLD, until: '2025-12-15' });
    assert.deepEqual([await state(), await letters()], ['held', ['place-held']]);
    await check(DEPOSIT, '2025-12-11');
    assert.equal(await state(), 'registered');
  });

  test('who pays by card on her page: the card is saved for the balance', async (t) => {
    const { payments, stripe, find, state, now, letters } = await startRegistered(t, { way: 'card' });
    const { clientSecret, cents } = await payments.ask(payBalance, await find(), depositCents, now());
    assert.equal(cents, depositCents);
    await stripe.paymentIntents.confirm(paymentIn(clientSecret), { payment_method: 'pm_card_visa' });
    assert.equal(await state(), 'registered');
    assert.equal((await find()).card?.last4, '4242');
    assert.deepEqual(await letters(), ['office-paid', 'welcome']);
  });

  test('with a scholarship of all of it: the place is hers at once', async (t) => {
    const { says, state, letters } = await startRegistered(t, { scholarship: String(TUITION) });
    assert.match(says, /^She has nothing to pay for the deposit: her place is hers at once/m);
    assert.equal(await state(), 'settled');
    assert.deepEqual(await letters(), ['office-paid', 'tuition-reduced', 'welcome']);
  });

  test('with a scholarship beyond the balance: the rest of the deposit leaves nothing to give back', async (t) => {
    const { check, find, state } = await startRegistered(t, { scholarship: '750' });
    await check(TUITION - 750, '2025-12-01');
    assert.deepEqual([await state(), owedByCheck(await find())], ['settled', 0]);
  });

  test('with a scholarship before she pays: the deposit is less, also by card', async (t) => {
    const { give, find, payments, now } = await startRegistered(t);
    await give('waive', { dollars: '1000', as: 'scholarship' });
    const left = (TUITION - 1000) * 100;
    assert.equal(depositLeftOf(await find()), left);
    const { byCardCents: cents } = balanceOf(edition.facts, balanceBeforeFeeCents - left);
    assert.equal((await payments.ask(payBalance, await find(), cents, now())).cents, cents);
  });

  test('by mistake: it is ended, her place is free, her details are removed, and nothing more is sent', async (t) => {
    const { give, id, find, letters, at, now, database } = await startRegistered(t);
    await letters();
    await give('end');
    const { deposit, registrant } = await find();
    assert.deepEqual([deposit, registrant.email], ['closed', '']);
    const row = await database.read((transaction) => findRow(transaction, id));
    assert.equal(row?.standing, 'free');
    assert.deepEqual(await at(daysAfter(now(), 20)), []);
  });

  test('twice with the same press: once; impossible days are refused with the reason', async (t) => {
    const office = await startMailing(t);
    const shown = await core(office, EDITION, 'register', CLARA);
    await Promise.all([shown.press(), shown.press()]);
    const rows = await office.database.read((transaction) =>
      transaction.selectFrom('registrations').select('id').execute(),
    );
    assert.equal(rows.length, 1);
    for (const [changes, message] of [
      [{ until: '2025-11-30' }, /2025-11-30 is past/],
      [{ until: '2026-03-01' }, /Registration is over by then/],
      [{ agreedOn: '2026-01-01' }, /cannot have agreed in the future/],
      [{ scholarship: `${TUITION}.01` }, /The tuition is \$1,395/],
    ] as const)
      await assert.rejects(core(office, EDITION, 'register', { ...CLARA, ...changes }), message);
  });
});
