import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openLetters } from '#server/letters/table.ts';
import { nextInstallment } from '#server/registration/balance.ts';
import { renewLinks } from '#server/registration/page-access.ts';
import { findRegistration } from '#server/registration/read-registration.ts';
import { chargeBalance } from '#server/stripe/charge.ts';
import { recordSent } from '#server/testing/test-charges.ts';
import { recordAct } from '#server/testing/test-database.ts';
import { newsCookieOf, newsOf, startOwnPage, type TestOwnPage } from '#server/testing/test-own-page.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';

const CENTS = edition.facts.prices.balanceCents;
const PROOF = '95060';
const toPay = { cents: CENTS, proof: '0142' };

/** Confirms the payment of her balance with the card on file, as her browser does. */
async function payWithCardOnFile(ownPage: TestOwnPage): Promise<string> {
  const { stripe, payment } = ownPage;
  const [balance] = await balancesOf(ownPage);
  assert.ok(balance);
  const { payment_method } = await stripe.paymentIntents.retrieve(payment);
  await stripe.paymentIntents.confirm(balance.id, { payment_method: String(payment_method) });
  return balance.id;
}

/** The payments of her balance. */
async function balancesOf({ stripe, payment }: TestOwnPage) {
  const { customer } = await stripe.paymentIntents.retrieve(payment);
  const { data } = await stripe.paymentIntents.list({ customer: String(customer) });
  return data.filter(({ metadata }) => metadata.kind === 'balance');
}

describe('she pays the balance', () => {
  test('with a proof that it is she: without it nobody gets the secret, or the card on file', async (t) => {
    const ownPage = await startOwnPage(t, { postalCode: '95060' });
    const { enter, act, calls } = ownPage;
    const cookie = await enter();
    calls.length = 0;
    await act(cookie, ownPagePaths.pay, { cents: CENTS }).expect(400);
    for (const proof of ['', '10001', '0142']) {
      const { body } = await act(cookie, ownPagePaths.pay, { cents: CENTS, proof }).expect(422);
      assert.match(body.error.fields.proof, /postal code of the card that paid your deposit/);
      assert.doesNotMatch(JSON.stringify(body), /_secret_|pm_/);
    }
    assert.deepEqual([ownPage.writes(), await balancesOf(ownPage)], [[], []]);
    await act(cookie, ownPagePaths.pay, { cents: CENTS, proof: '95060' }).expect(200);
  });

  test('one payment is opened, with the sum that she was shown, and the worker is notified', async (t) => {
    const ownPage = await startOwnPage(t);
    const { enter, act, stripe, payments, registration, payment, clock, see } = ownPage;
    const cookie = await enter();
    const { body } = await act(cookie, ownPagePaths.pay, toPay).expect(200);
    const again = await act(cookie, ownPagePaths.pay, toPay).expect(200);
    assert.deepEqual(again.body, body);
    const [balance, ...others] = await balancesOf(ownPage);
    assert.ok(balance);
    assert.equal(others.length, 0);
    const { payment_method } = await stripe.paymentIntents.retrieve(payment);
    assert.deepEqual(body, {
      clientSecret: balance.client_secret,
      cents: CENTS,
      paymentMethod: payment_method,
    });
    const record = await findRegistration(payments, registration);
    assert.deepEqual(record?.payingBegunAt, clock.now);
    await stripe.paymentIntents.confirm(balance.id, { payment_method: String(payment_method) });
    const { text } = await see(`${cookie}; ${newsCookieOf(again)}`).expect(200);
    assert.match(text, /Everything is paid/);
    assert.match(text, /Thank you\. Your payment has arrived/);
    const paid = await act(cookie, ownPagePaths.pay, toPay).expect(409);
    assert.equal(paid.body.error.code, 'changed');
    assert.equal(newsOf(paid), 'changed');
  });

  test('the result of a press is shown once, and cannot be forged by an address or a cookie', async (t) => {
    const { enter, press, see, tokenWith, links } = await startOwnPage(t);
    const cookie = await enter();
    const sent = await press(cookie, ownPagePaths.letter, { kind: 'welcome' }).expect(303);
    assert.equal(sent.headers.location, OWN_PAGE_PATH);
    const [set = ''] = sent.headers['set-cookie'] ?? [];
    assert.match(
      set,
      /^place-news=letter-sent\.[\w-]{43}; Max-Age=60; Path=\/place; .*HttpOnly; SameSite=Lax/,
    );
    const page = await see(`${cookie}; ${set.split(';')[0]}`).expect(200);
    assert.match(page.text, /The message is on its way to you/);
    assert.match(String(page.headers['set-cookie']), /^place-news=;.*Expires=Thu, 01 Jan 1970/);
    for (const forged of ['card-changed', 'letter-sent']) {
      const { text } = await see(cookie, `${OWN_PAGE_PATH}?news=${forged}`).expect(200);
      assert.doesNotMatch(text, /place-news/);
    }
    const [, mac] = newsCookieOf(sent).split('.');
    // What another registrant was told.
    const another = (epoch: number) => tokenWith({ subject: 'reg_of_another', scope: 'session', epoch });
    const stale = { kind: 'welcome', token: links.pressToken(another(1)) };
    const toAnother = await press(`place=${another(0)}`, ownPagePaths.letter, stale).expect(303);
    assert.equal(newsOf(toAnother), 'changed');
    for (const forged of [
      'other',
      'paid',
      'paid.',
      `paid.${mac}`,
      newsCookieOf(toAnother).slice('place-news='.length),
    ])
      assert.doesNotMatch(
        (await see(`${cookie}; place-news=${forged}`).expect(200)).text,
        /place-news/,
        forged,
      );
  });

  test('when her own attempt fails on the due day, she can pay at once, and sees when the card is charged otherwise', async (t) => {
    const ownPage = await startOwnPage(t);
    const { enter, act, see, clock, stripe } = ownPage;
    await tellOfCharge(ownPage);
    const { chargeAt } = edition.facts.balance;
    clock.now = new Date(Date.parse(chargeAt) + 60_000);
    const cookie = await enter();
    await act(cookie, ownPagePaths.pay, toPay).expect(200);
    const [balance] = await balancesOf(ownPage);
    const refused = { payment_method: 'pm_card_visa_chargeDeclined' };
    await assert.rejects(stripe.paymentIntents.confirm(String(balance?.id), refused));
    const { text } = await see(cookie).expect(200);
    assert.match(text, /data-act="pay"/);
    assert.doesNotMatch(text, /nothing to do|Nothing is charged automatically/i);
    assert.match(text, /Otherwise it is charged to your/);
    assert.match(text, /at\s5:31\spm/);
  });

  test('not a sum other than is due, nor a balance that is cancelled, waived, disputed or over', async (t) => {
    const ownPage = await startOwnPage(t);
    const { enter, act, database, stripe, registration, payment, clock, sandbox, sync } = ownPage;
    const at = clock.now;
    const refused = async (cents = CENTS) => {
      const { body } = await act(await enter(), ownPagePaths.pay, { ...toPay, cents }).expect(409);
      assert.equal(body.error.code, 'changed');
      assert.deepEqual(await balancesOf(ownPage), []);
    };
    await refused(CENTS - 1);
    for (const [kind, facts] of [
      ['waived', { cents: 20_000 }],
      ['cancel', { writtenAt: at }],
      ['check', { cents: 70_000 }],
    ] as const) {
      const undoes = await recordAct(database, registration, kind, { at, ...facts });
      await refused();
      await recordAct(database, registration, 'withdrawal', { at, undoes });
    }
    const before = clock.now;
    clock.now = new Date(edition.facts.endsAt);
    await refused();
    clock.now = before;
    const { latest_charge } = await stripe.paymentIntents.retrieve(payment);
    sandbox.bank.openDispute(String(latest_charge));
    await sync(registration);
    await refused();
  });

  test('after five declined cards only with the office’s help', async (t) => {
    const ownPage = await startOwnPage(t);
    const { act, stripe } = ownPage;
    await act(await ownPage.enter(), ownPagePaths.pay, toPay).expect(200);
    const [balance] = await balancesOf(ownPage);
    assert.ok(balance);
    const cookie = await enterAgain(ownPage);
    for (let time = 1; time <= 5; time += 1) {
      await act(cookie, ownPagePaths.pay, toPay).expect(200);
      await assert.rejects(
        stripe.paymentIntents.confirm(balance.id, { payment_method: 'pm_card_visa_chargeDeclined' }),
      );
    }
    const { body } = await act(await enterAgain(ownPage), ownPagePaths.pay, toPay).expect(429);
    assert.match(body.error.message, /Too many cards were declined/);
  });

  test('tries of the worker with the same card, in a round that the office requested, do not count as hers', async (t) => {
    const ownPage = await startOwnPage(t);
    const { enter, act, database, registration, clock, payments } = ownPage;
    const cookie = await enter();
    const { body } = await act(cookie, ownPagePaths.card, { proof: '0142' }).expect(200);
    const { id } = await storeCard(ownPage, String(body.clientSecret), 'pm_card_chargeCustomerFail');
    await act(cookie, ownPagePaths.cardStored, { setupIntent: id }).expect(204);
    await tellOfCharge(ownPage);
    clock.now = new Date(edition.facts.balance.chargeAt);
    const wait = (ms: number) => {
      clock.now = new Date(clock.now.getTime() + ms);
    };
    for (let round = 1; round <= 2; round += 1) {
      wait(60_000);
      for (let time = 1; time <= 4; time += 1) {
        await payments.ask(chargeBalance, registration, clock.now);
        const record = (await findRegistration(payments, registration)) ?? assert.fail();
        const { next } = nextInstallment(record).decline ?? {};
        if (next) clock.now = next;
      }
      wait(60_000);
      await recordAct(database, registration, 'charge', { at: clock.now });
    }
    await act(await enter(), ownPagePaths.pay, toPay).expect(200);
  });

  test('when she returns from paying, her page shows the payment before the webhook has come; it reads Stripe for nothing else', async (t) => {
    const ownPage = await startOwnPage(t);
    const { enter, act, see, calls } = ownPage;
    const cookie = await enter();
    const paying = await act(cookie, ownPagePaths.pay, toPay).expect(200);
    const paid = await payWithCardOnFile(ownPage);
    calls.length = 0;
    const before = await see(cookie).expect(200);
    assert.doesNotMatch(before.text, /Everything is paid/);
    assert.deepEqual(calls, []);
    const returned = await see(`${cookie}; ${newsCookieOf(paying)}`).expect(200);
    assert.match(returned.text, /Everything is paid/);
    assert.deepEqual(calls, [`GET /v1/payment_intents/${paid}`]);
    calls.length = 0;
    for (const path of [OWN_PAGE_PATH, ownPagePaths.receipts, ownPagePaths.calendar, formPaths.cancel])
      await see(cookie, path).expect(200);
    const receipts = await see(cookie, ownPagePaths.receipts);
    assert.ok(receipts.text.includes(paid));
    assert.deepEqual(calls, []);
  });

  test('while Stripe is away she cannot pay, and sees that; her page shows what is on record, also when she returns from paying', async (t) => {
    let isAway = false;
    const ownPage = await startOwnPage(t, {
      intercept: () => (isAway ? { kind: 'reset', carryOut: false } : undefined),
    });
    const { enter, act, see, log } = ownPage;
    const cookie = await enter();
    const paying = await act(cookie, ownPagePaths.pay, toPay).expect(200);
    await payWithCardOnFile(ownPage);
    isAway = true;
    const { body } = await act(cookie, ownPagePaths.pay, toPay).expect(504);
    assert.equal(body.error.code, 'payment_provider_unreachable');
    for (const path of [OWN_PAGE_PATH, ownPagePaths.receipts, formPaths.details, formPaths.cancel])
      await see(cookie, path).expect(200);
    const { text } = await see(`${cookie}; ${newsCookieOf(paying)}`).expect(200);
    assert.match(text, /Wilma/);
    assert.doesNotMatch(text, /Everything is paid|Your payment has arrived/);
    await log.until('Her payment could not be read when she returned from paying');
    assert.doesNotMatch(log.text(), /wilma/i);
    isAway = false;
    assert.match((await see(`${cookie}; ${newsCookieOf(paying)}`).expect(200)).text, /Everything is paid/);
  });
});

/** Opens her link a second later, in another session. */
async function enterAgain({ clock, enter }: TestOwnPage): Promise<string> {
  clock.now = new Date(clock.now.getTime() + 1_000);
  return enter();
}

/** What her browser does with Stripe's script. */
async function storeCard({ stripe }: TestOwnPage, clientSecret: string, card = 'pm_card_mastercard') {
  const [id = ''] = clientSecret.split('_secret_');
  return stripe.setupIntents.confirm(id, { payment_method: card });
}

/** Records that the notice of the charge was sent to her, eleven days before. */
async function tellOfCharge({ payments, letterLog, registration }: TestOwnPage) {
  const record = (await findRegistration(payments, registration)) ?? assert.fail();
  const at = new Date(Date.parse(edition.facts.balance.chargeAt) - 11 * 24 * 60 * 60 * 1000);
  const [notice] = openLetters('balance-notice', record, at);
  await recordSent(letterLog, notice ?? assert.fail(), at);
}

describe('she changes the card', () => {
  test('with the postal code of the card that paid; from then on the balance is charged to the new card', async (t) => {
    const ownPage = await startOwnPage(t, { postalCode: '95060-1234' });
    const { enter, act, find, see } = ownPage;
    const cookie = await enter();
    const wrong = await act(cookie, ownPagePaths.card, { proof: '10001' }).expect(422);
    assert.match(wrong.body.error.message, /postal code of the card that paid your deposit/);
    const { body } = await act(cookie, ownPagePaths.card, { proof: ' 95060 ' }).expect(200);
    const setup = await storeCard(ownPage, String(body.clientSecret));
    const { id, payment_method } = setup;
    assert.equal(await ownPage.timesAsked(), 0);
    assert.equal(
      newsOf(await act(cookie, ownPagePaths.cardStored, { setupIntent: id }).expect(204)),
      'card-changed',
    );
    const { card } = await find();
    assert.deepEqual([card?.id, card?.brand, card?.last4], [payment_method, 'mastercard', '4444']);
    assert.equal(await ownPage.timesAsked(), 1);
    // Reported again, it causes no work: it is only looked up who presses.
    ownPage.calls.length = 0;
    await act(cookie, ownPagePaths.cardStored, { setupIntent: id }).expect(204);
    await ownPage.tell('setup_intent.succeeded', await ownPage.stripe.setupIntents.retrieve(id)).expect(200);
    const reads = ownPage.calls.filter((call) => call.includes('setup_intents'));
    assert.deepEqual([reads.length, await ownPage.timesAsked()], [1, 0]);
    assert.match((await see(cookie).expect(200)).text, /4444/);
    const paying = await act(cookie, ownPagePaths.pay, { cents: CENTS, proof: PROOF }).expect(200);
    assert.equal(paying.body.paymentMethod, payment_method);
  });

  test('after ten wrong proofs in a day not with the right one either, in whatever session, by whatever link', async (t) => {
    const ownPage = await startOwnPage(t);
    const { act, press, registration, payments, tokenWith, enter } = ownPage;
    const statuses: number[] = [];
    const prove = async (cookie: string, proof: string) => {
      statuses.push((await act(cookie, ownPagePaths.card, { proof })).status);
    };
    for (let epoch = 0; epoch < 3; epoch += 1) {
      const cookie = await enter(tokenWith({ epoch }));
      for (const proof of ['0000', '1111', '0142', '2222']) await prove(cookie, proof);
      await renewLinks(payments, { subject: registration, epoch });
    }
    assert.deepEqual(statuses, [422, 422, 200, 422, 422, 422, 200, 422, 422, 422, 200, 422]);
    const cookie = await enter(tokenWith({ epoch: 3 }));
    await Promise.all(['3333', '4444', '5555'].map((proof) => prove(cookie, proof)));
    assert.deepEqual(statuses.slice(-3).toSorted(), [422, 429, 429]);
    const { body } = await act(cookie, ownPagePaths.card, { proof: '0142' }).expect(429);
    assert.equal(body.error.code, 'too_many');
    assert.match(body.error.message, /\+1 \(555\) 555-0100/);
    await renewLinks(payments, { subject: registration, epoch: 3 });
    const fresh = await enter(tokenWith({ epoch: 4 }));
    await act(fresh, ownPagePaths.pay, toPay).expect(429);
    const { text } = await press(fresh, formPaths.data, { proof: '0142', format: 'text' }).expect(429);
    assert.match(text, /That was tried too often today, .* or ask the office/);
  });

  test('the webhook stores the card if the browser did not come back; late or repeated events change nothing', async (t) => {
    const ownPage = await startOwnPage(t, { postalCode: PROOF });
    const { enter, act, find, stripe, clock } = ownPage;
    const cookie = await enter();
    const tell = async (id: string) => {
      const object = await stripe.setupIntents.retrieve(id);
      await ownPage.tell('setup_intent.succeeded', object).expect(200);
    };
    const change = async (card: string) => {
      const { body } = await act(cookie, ownPagePaths.card, { proof: PROOF }).expect(200);
      return storeCard(ownPage, String(body.clientSecret), card);
    };
    const first = await change('pm_card_mastercard');
    await tell(first.id);
    const cardNow = async () => (await find()).card?.id;
    assert.equal(await cardNow(), first.payment_method);
    assert.equal(await ownPage.timesAsked(), 1);
    clock.now = new Date(clock.now.getTime() + 60_000);
    const second = await change('pm_card_visa');
    await act(cookie, ownPagePaths.cardStored, { setupIntent: second.id }).expect(204);
    await tell(first.id);
    await tell(second.id);
    await act(cookie, ownPagePaths.cardStored, { setupIntent: first.id }).expect(204);
    assert.equal(await cardNow(), second.payment_method);
  });

  test('a card of somebody else, or one that was not set up, is refused', async (t) => {
    const ownPage = await startOwnPage(t, { postalCode: PROOF });
    const { enter, act, find, stripe } = ownPage;
    const before = (await find()).card?.id;
    const cookie = await enter();
    const { body } = await act(cookie, ownPagePaths.card, { proof: PROOF }).expect(200);
    const [unconfirmed = ''] = String(body.clientSecret).split('_secret_');
    const { id: customer } = await stripe.customers.create();
    const mine = await stripe.setupIntents.retrieve(unconfirmed);
    const foreign = await stripe.setupIntents.create({
      customer,
      payment_method: 'pm_card_visa',
      confirm: true,
      metadata: mine.metadata ?? {},
    });
    const unmarked = await stripe.setupIntents.create({
      customer: String(mine.customer),
      payment_method: 'pm_card_visa',
      confirm: true,
    });
    for (const setupIntent of [unconfirmed, foreign.id, unmarked.id, 'seti_unknown'])
      await act(cookie, ownPagePaths.cardStored, { setupIntent }).expect(409);
    assert.equal((await find()).card?.id, before);
  });

  test('not after five declined cards in a day, whatever was to store them: no stolen cards are tried out here', async (t) => {
    const ownPage = await startOwnPage(t, { postalCode: PROOF });
    const { act, stripe, clock } = ownPage;
    const begin = async () => act(await enterAgain(ownPage), ownPagePaths.card, { proof: PROOF });
    const decline = async (clientSecret: string) => {
      const refused = storeCard(ownPage, clientSecret, 'pm_card_visa_chargeDeclined');
      await assert.rejects(refused, { type: 'StripeCardError' });
      const setup = await stripe.setupIntents.retrieve(clientSecret.split('_secret_')[0] ?? '');
      declined += 1;
      for (let delivery = 1; delivery <= 2; delivery += 1)
        await ownPage.tell('setup_intent.setup_failed', setup, { id: `evt_${declined}` }).expect(200);
      return (await stripe.setupIntents.retrieve(setup.id)).status;
    };
    let declined = 0;
    const [first, second] = [await begin(), await begin()].map(({ body }) => String(body.clientSecret));
    for (let time = 1; time <= 3; time += 1)
      assert.equal(await decline(first ?? ''), 'requires_payment_method');
    assert.equal(await decline(second ?? ''), 'requires_payment_method');
    assert.equal(await decline(second ?? ''), 'canceled');
    for (const begun of [first, second])
      await assert.rejects(storeCard(ownPage, begun ?? ''), { code: 'setup_intent_unexpected_state' });
    const { status, body } = await begin();
    assert.deepEqual([status, body.error.code], [429, 'too_many']);
    assert.match(body.error.message, /Too many cards were declined/);
    clock.now = new Date(clock.now.getTime() + 24 * 60 * 60 * 1000);
    assert.equal((await begin()).status, 200);
  });

  test('also while Redis is away', async (t) => {
    const ownPage = await startOwnPage(t, { postalCode: PROOF });
    const { enter, act, find, redis } = ownPage;
    const cookie = await enter();
    await redis.stop();
    const { body } = await act(cookie, ownPagePaths.card, { proof: PROOF }).expect(200);
    const { id, payment_method } = await storeCard(ownPage, String(body.clientSecret));
    await act(cookie, ownPagePaths.cardStored, { setupIntent: id }).expect(204);
    assert.equal((await find()).card?.id, payment_method);
    for (let proof = 1; proof <= 10; proof += 1)
      await act(cookie, ownPagePaths.card, { proof: `${proof}` }).expect(422);
    await act(cookie, ownPagePaths.card, { proof: PROOF }).expect(429);
  });
});
