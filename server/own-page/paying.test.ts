import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import request from 'supertest';
import { beginHold, nextInstallment } from '#server/registration/registration.ts';
import { recordAct } from '#server/testing/test-database.ts';
import {
  newsCookieOf,
  newsOf,
  refreshIn,
  startOwnPage,
  type TestOwnPage,
  wordsOf,
} from '#server/testing/test-own-page.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { formPaths, OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';

const CENTS = edition.facts.prices.balanceCents;
const PROOF = '0142';
const asShown = { cents: CENTS, part: '', card: 'visa 4242', proof: PROOF };

/** Her page, and what she does on it. */
async function startPaying(t: TestContext, options?: Parameters<typeof startOwnPage>[1]) {
  const ownPage = await startOwnPage(t, options);
  const { stripe, sandbox, press, see, find } = ownPage;
  return {
    ...ownPage,
    pay: (cookie: string, input: object = {}) => press(cookie, formPaths.pay, { ...asShown, ...input }),
    /** Her bank asks her at her next payment. */
    asks: async () => sandbox.bank.askNext((await find()).customerId ?? ''),
    /** The page that leads on, and where to. */
    async onward(cookie: string, { headers }: { headers: Record<string, unknown> }) {
      const path = String(headers.location);
      const page = await see(cookie, path).expect(200);
      return { url: refreshIn(page.text), page: page.text, payment: /pi_\w+/.exec(path)?.[0] ?? '' };
    },
    /** What her cards were charged for the balance, in US cents. */
    async paid() {
      const { data } = await stripe.charges.list({ limit: 100 });
      return data.filter(({ amount, status }) => amount === CENTS && status === 'succeeded').length;
    },
  };
}

/** What her page says after a press. */
async function read({ see }: Pick<TestOwnPage, 'see'>, cookie: string, answer: { headers: object }) {
  const { text } = await see(`${cookie}; ${newsCookieOf({ headers: { ...answer.headers } })}`).expect(200);
  return wordsOf(text);
}

describe('she pays the balance by one press', () => {
  test('after her proof, of exactly what the page showed: it is charged to the card on file, once, and she reads so', async (t) => {
    const her = await startPaying(t, { postalCode: '95060' });
    const { enter, pay, see, paid, calls } = her;
    const cookie = await enter();
    assert.match((await see(cookie)).text, /<a class="button[^"]*" href="\/place\/pay">Pay \$726\.25 now/);
    const { text } = await see(cookie, formPaths.pay).expect(200);
    assert.match(wordsOf(text), /Pay \$726\.25 .*\$700 and the card fee of \$26\.25.* Visa ending in 4242/);
    assert.doesNotMatch(text, /<script type="module"|95060|_secret_|pm_/);
    calls.length = 0;
    for (const proof of ['', '10001', '0142']) {
      const refused = await pay(cookie, { proof }).expect(422);
      assert.match(refused.text, /so that we know it is you|postal code of the card that paid your deposit/);
    }
    assert.deepEqual(calls, []);
    const answer = await pay(cookie, { proof: '95060' }).expect(303);
    assert.deepEqual([answer.headers.location, newsOf(answer)], [OWN_PAGE_PATH, 'paid']);
    assert.match(
      await read(her, cookie, answer),
      /Thank you\. Your payment has arrived\. .*Everything is paid/,
    );
    // The webhook was not told of it yet.
    assert.equal(newsOf(await pay(cookie, { proof: '95060' }).expect(303)), 'paid');
    assert.deepEqual([await paid(), await her.timesAsked()], [1, 1]);
  });

  test('not another sum or card, nor what is cancelled, waived, disputed or over: she sees what is true', async (t) => {
    const her = await startPaying(t);
    const { enter, pay, database, stripe, registration, payment, clock, sandbox, sync } = her;
    const at = clock.now;
    const refused = async (changes: object = {}) => {
      const answer = await pay(await enter(), changes).expect(303);
      assert.deepEqual([answer.headers.location, newsOf(answer)], [formPaths.pay, 'changed']);
      assert.deepEqual([her.writes(), await her.paid()], [[], 0]);
    };
    await refused({ cents: CENTS - 1 });
    await refused({ part: '1' });
    const other = await pay(await enter(), { card: 'mastercard 4444' }).expect(303);
    assert.equal(newsOf(other), 'changed');
    for (const [kind, facts] of [
      ['waived', { cents: 20_000 }],
      ['cancel', { writtenAt: at }],
      ['check', { cents: 70_000 }],
    ] as const) {
      const undoes = await recordAct(database, registration, kind, { at, ...facts });
      await refused();
      await recordAct(database, registration, 'withdrawal', { at, undoes });
    }
    clock.now = new Date(edition.facts.endsAt);
    await refused();
    clock.now = at;
    const { latest_charge } = await stripe.paymentIntents.retrieve(payment);
    sandbox.bank.openDispute(String(latest_charge));
    await sync(registration);
    await refused();
  });

  test('two tabs at the same moment, or a worker: it is charged once', async (t) => {
    const her = await startPaying(t);
    const { enter, pay, paid, charge } = her;
    const cookie = await enter();
    await her.untilDue();
    await Promise.all([pay(cookie), pay(cookie), charge(), pay(cookie)]);
    await charge();
    her.pass(40);
    await charge();
    assert.equal(await paid(), 1);
  });

  test('a card that is declined is said to be, with what helps; five of them end it', async (t) => {
    const her = await startPaying(t);
    const { enter, pay, find, sandbox, see, charge } = her;
    await her.untilDue();
    const cookie = await enter();
    const decline = async () =>
      sandbox.bank.declineNextCharge((await find()).card?.id ?? '', 'insufficient_funds');
    await decline();
    const answer = await pay(cookie).expect(303);
    assert.equal(newsOf(answer), 'declined-insufficient-funds');
    assert.match(await read(her, cookie, answer), /declined, and nothing was charged\. .*not enough money/);
    const page = wordsOf((await see(cookie).expect(200)).text);
    assert.match(page, /Otherwise it is charged to your Visa ending in 4242 on .*5:31 pm/);
    assert.deepEqual(await charge(), { type: 'stopped', why: 'paying' });
    for (let time = 2; time <= 5; time += 1) {
      await decline();
      await pay(cookie).expect(303);
    }
    assert.match((await pay(cookie).expect(422)).text, /Too many cards were declined/);
    assert.equal(await her.paid(), 0);
  });

  test('a card that was detached at Stripe pays nothing, and is on file no more', async (t) => {
    const her = await startPaying(t);
    const { enter, pay, find, stripe } = her;
    const cookie = await enter();
    await stripe.paymentMethods.detach((await find()).card?.id ?? '');
    const answer = await pay(cookie).expect(303);
    assert.match(await read(her, cookie, answer), /could not charge it.*Give a card, then pay \$726\.25/);
    assert.equal((await find()).card, undefined);
  });

  test('while Stripe is away, or the register is held: nothing is charged, and she is told', async (t) => {
    let isAway = false;
    const her = await startPaying(t, {
      intercept: () => (isAway ? { kind: 'reset', carryOut: false } : undefined),
    });
    const { enter, pay, see, database, log } = her;
    const cookie = await enter();
    isAway = true;
    for (const path of [OWN_PAGE_PATH, formPaths.pay, formPaths.card, ownPagePaths.receipts])
      await see(cookie, path).expect(200);
    assert.match(
      (await pay(cookie).expect(422)).text,
      /does not answer at the moment, so nothing was charged/,
    );
    await log.until('A press that needs Stripe could not be carried out');
    assert.doesNotMatch(log.text(), /wilma/i);
    isAway = false;
    await database.write(async (transaction) => void (await beginHold(transaction, 'A test')));
    assert.match((await pay(cookie).expect(422)).text, /Nothing is lost, and nothing was charged/);
    assert.equal(await her.paid(), 0);
  });

  test('the answer of Stripe is lost: it is not certain, the worker waits, and the next press finds it', async (t) => {
    let isLost = false;
    let isAway = false;
    const her = await startPaying(t, {
      intercept({ path }) {
        if (path.endsWith('/confirm') && isLost) isAway = true;
        return isAway ? { kind: 'reset', carryOut: path.endsWith('/confirm') } : undefined;
      },
    });
    const { enter, pay, charge, paid } = her;
    await her.untilDue();
    const cookie = await enter();
    isLost = true;
    const answer = await pay(cookie).expect(303);
    assert.equal(newsOf(answer), 'pay-unknown');
    assert.match(await read(her, cookie, answer), /not certain yet whether your payment has gone through/);
    assert.deepEqual(await charge(), { type: 'stopped', why: 'paying' });
    [isLost, isAway] = [false, false];
    assert.equal(newsOf(await pay(cookie).expect(303)), 'paid');
    her.pass(40);
    await charge();
    assert.equal(await paid(), 1);
  });
});

describe('her bank wants her', () => {
  test('she is led there and back: it is paid; a second press leads to the same page, and the worker waits', async (t) => {
    const her = await startPaying(t);
    const { enter, pay, onward, asks, charge, calls, sandbox, see, paid } = her;
    await her.untilDue();
    const cookie = await enter();
    await asks();
    const first = await onward(cookie, await pay(cookie).expect(303));
    assert.match(String(first.url), /\/hosted\/bank\/pi_/);
    assert.ok(
      first.page.includes('Go on') && first.page.includes(`href="${first.url?.replaceAll('&', '&amp;')}"`),
    );
    calls.length = 0;
    const again = await onward(cookie, await pay(cookie).expect(303));
    assert.deepEqual([again.url, calls.filter((call) => call.endsWith('/confirm'))], [first.url, []]);
    assert.deepEqual(await charge(), { type: 'stopped', why: 'paying' });
    assert.match(wordsOf((await see(cookie)).text), /nothing has arrived from there yet/);
    sandbox.bank.authenticate(first.payment);
    const back = await see(
      cookie,
      `${ownPagePaths.back}?payment_intent=${first.payment}&payment_intent_client_secret=x`,
    );
    assert.deepEqual([back.status, back.headers.location, newsOf(back)], [303, OWN_PAGE_PATH, 'paid']);
    assert.match(await read(her, cookie, back), /Your payment has arrived/);
    // The back button leads to the page that leads on: there is nothing to go on to.
    const goneOn = await see(cookie, `${ownPagePaths.go}?to=${first.payment}`).expect(303);
    assert.equal(goneOn.headers.location, OWN_PAGE_PATH);
    her.pass(40);
    await charge();
    assert.equal(await paid(), 1);
  });

  test('she does not confirm it, or comes back half-way: nothing is charged, and she reads so; later the card is charged', async (t) => {
    const her = await startPaying(t);
    const { enter, pay, onward, asks, charge, sandbox, see, paid } = her;
    await her.untilDue();
    const cookie = await enter();
    await asks();
    const { payment } = await onward(cookie, await pay(cookie).expect(303));
    const back = async () => see(cookie, `${ownPagePaths.back}?payment_intent=${payment}`).expect(303);
    assert.match(
      await read(her, cookie, await back()),
      /still waits for your confirmation, and nothing was charged/,
    );
    sandbox.bank.authenticate(payment, 'failed');
    const failed = await back();
    assert.equal(newsOf(failed), 'declined-authentication');
    assert.match(await read(her, cookie, failed), /did not get your confirmation, so nothing was charged/);
    assert.equal(await paid(), 0);
    her.pass(29);
    assert.deepEqual(await charge(), { type: 'stopped', why: 'paying' });
    her.pass(2);
    assert.equal((await charge()).type, 'charged');
    assert.equal(await paid(), 1);
  });

  test('she comes back in a browser that does not have her page open: she is told to open the link, and what she did counts', async (t) => {
    const her = await startPaying(t);
    const { app, enter, pay, onward, asks, sandbox, sync, see, registration, calls } = her;
    const cookie = await enter();
    await asks();
    const { payment } = await onward(cookie, await pay(cookie).expect(303));
    sandbox.bank.authenticate(payment);
    calls.length = 0;
    const path = `${ownPagePaths.back}?payment_intent=${payment}`;
    for (const other of ['', 'place=v1.forged'])
      assert.match(
        (await request(app).get(path).set('Cookie', other).expect(200)).text,
        /open the link in our last message to see it/,
      );
    assert.deepEqual(calls, []);
    await sync(registration);
    assert.match(wordsOf((await see(cookie)).text), /Everything is paid/);
  });

  test('no address shows or moves what is not hers', async (t) => {
    const { enter, see, stripe, calls, sandbox, find, intent } = await startPaying(t);
    const cookie = await enter();
    const theirs = await stripe.paymentIntents.create({
      amount: 500,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      confirm: true,
    });
    const card = await stripe.checkout.sessions.create({
      mode: 'setup',
      allowed_payment_method_types: ['card'],
      customer: (await find()).customerId ?? '',
      success_url: 'https://site.example',
      metadata: { ...(await intent()).metadata, kind: 'card', registration: 'reg_other' },
    });
    sandbox.bank.enterCard(card.id, 'pm_card_amex');
    calls.length = 0;
    for (const path of [ownPagePaths.go, ownPagePaths.back])
      for (const name of ['to', 'session', 'payment_intent'])
        for (const id of [theirs.id, card.id, 'cs_none', 'pi_none', 'https://elsewhere.example', '']) {
          const { text, headers, status } = await see(cookie, `${path}?${name}=${encodeURIComponent(id)}`);
          assert.ok(status === 303 || /open the link in our last message/.test(text));
          assert.ok(headers.location === undefined || headers.location === OWN_PAGE_PATH);
        }
    assert.equal((await find()).card?.brand, 'visa');
    assert.deepEqual(
      calls.filter((call) => !call.startsWith('GET ')),
      [],
    );
  });
});

test('tries of the worker with the same card, in a round that the office requested, do not count as hers', async (t) => {
  const her = await startPaying(t, { card: 'pm_card_visa' });
  const { enter, pay, charge, find, sandbox, database, registration, clock, paid } = her;
  await her.untilDue();
  for (let round = 1; round <= 2; round += 1) {
    her.pass(1);
    for (let time = 1; time <= 4; time += 1) {
      sandbox.bank.declineNextCharge((await find()).card?.id ?? '', 'generic_decline');
      await charge();
      const { next } = nextInstallment(await find()).decline ?? {};
      if (next) clock.now = next;
    }
    her.pass(1);
    await recordAct(database, registration, 'charge', { at: clock.now });
  }
  assert.equal(newsOf(await pay(await enter()).expect(303)), 'paid');
  assert.equal(await paid(), 1);
});
