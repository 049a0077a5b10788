import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { renewLinks } from '#server/registration/registration.ts';
import { newsOf, refreshIn, startOwnPage, wordsOf } from '#server/testing/test-own-page.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { formPaths, OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';

const PROOF = '95060';
const SHOWN = { cents: edition.facts.prices.balanceCents, part: '', card: 'visa 4242', proof: PROOF };

/** Her page, and Stripe's for another card. */
async function startCard(t: TestContext, options: Parameters<typeof startOwnPage>[1] = {}) {
  const ownPage = await startOwnPage(t, { postalCode: PROOF, ...options });
  const { press, see, find, sandbox, stripe, tell } = ownPage;
  const begin = (cookie: string, proof = PROOF) => press(cookie, formPaths.card, { proof });
  return {
    ...ownPage,
    begin,
    /** She is led to Stripe. @returns the session's id */
    async toStripe(cookie: string): Promise<string> {
      const { headers } = await begin(cookie).expect(303);
      return /cs_\w+/.exec(String(headers.location))?.[0] ?? assert.fail();
    },
    enterCard: (session: string, card = 'pm_card_mastercard') => sandbox.bank.enterCard(session, card),
    back: (cookie: string, session: string) => see(cookie, `${ownPagePaths.back}?session=${session}`),
    tellOf: (session: string) => tell('checkout.session.completed', { id: session }).expect(200),
    status: async (session: string) => (await stripe.checkout.sessions.retrieve(session)).status,
    brand: async () => (await find()).card?.brand,
    /** The cards that the balance was charged to. */
    async chargedTo() {
      const { data } = await stripe.charges.list({ limit: 100 });
      const balance = data.filter(({ amount }) => amount === edition.facts.prices.balanceCents);
      return balance.map(({ payment_method_details: details }) => details?.card?.brand);
    },
  };
}

describe('she gives another card', () => {
  test('at Stripe, after her proof; from then on the balance is charged to it, and she pays with it by one press', async (t) => {
    const her = await startCard(t);
    const { enter, begin, see, press, toStripe, enterCard, back, tellOf, find, stripe } = her;
    const cookie = await enter();
    assert.match((await begin(cookie, '10001').expect(422)).text, /postal code of the card that paid/);
    const asked = wordsOf((await see(cookie, formPaths.card).expect(200)).text);
    assert.match(asked, /The balance of \$726\.25 is charged to the new card when it is due/);
    const { headers } = await begin(cookie).expect(303);
    const leading = await see(cookie, String(headers.location)).expect(200);
    const session = await stripe.checkout.sessions.retrieve(await toStripe(cookie));
    assert.equal(refreshIn(leading.text), session.url);
    assert.match(wordsOf(leading.text), /On to Stripe .* Go on/);
    const { mode, allowed_payment_method_types: types, customer, metadata } = session;
    assert.deepEqual(
      [mode, types ?? ['card'], customer, metadata?.registration],
      ['setup', ['card'], (await find()).customerId, her.registration],
    );
    assert.equal(session.cancel_url, new URL(OWN_PAGE_PATH, her.config.publicUrl).href);
    enterCard(session.id);
    const returned = await back(cookie, session.id).expect(303);
    assert.deepEqual([returned.headers.location, newsOf(returned)], [OWN_PAGE_PATH, 'card-changed']);
    assert.equal(await her.timesAsked(), 1);
    await tellOf(session.id);
    assert.equal(newsOf(await back(cookie, session.id).expect(303)), 'card-changed');
    assert.equal(await her.timesAsked(), 0);
    assert.match((await see(cookie)).text, /Mastercard ending in 4444/);
    const old = await press(cookie, formPaths.pay, SHOWN);
    assert.equal(newsOf(old), 'changed');
    assert.equal(newsOf(await her.pressShown(cookie, formPaths.pay, { proof: PROOF })), 'paid');
    assert.deepEqual(await her.chargedTo(), ['mastercard']);
  });

  test('the webhook comes first, or late: the later card counts, whoever tells of it', async (t) => {
    const her = await startCard(t);
    const { enter, toStripe, enterCard, back, tellOf, brand, pass } = her;
    const cookie = await enter();
    const first = await toStripe(cookie);
    enterCard(first);
    await tellOf(first);
    assert.deepEqual([await brand(), await her.timesAsked()], ['mastercard', 1]);
    assert.equal(newsOf(await back(cookie, first).expect(303)), 'card-changed');
    pass(1);
    const second = await toStripe(cookie);
    enterCard(second, 'pm_card_amex');
    await back(cookie, second).expect(303);
    await tellOf(second);
    await tellOf(first);
    await back(cookie, first).expect(303);
    assert.equal(await brand(), 'amex');
  });

  test('in two tabs it is one page of Stripe; what was stored in one is shown in the other', async (t) => {
    const { enter, begin, toStripe, enterCard, back, pass, status } = await startCard(t);
    const cookie = await enter();
    const session = await toStripe(cookie);
    assert.equal(await toStripe(cookie), session);
    // It would end before she has entered her card.
    pass(28);
    const later = await toStripe(cookie);
    assert.notEqual(later, session);
    assert.deepEqual([await status(session), await status(later)], ['expired', 'open']);
    enterCard(later);
    assert.equal(newsOf(await begin(cookie).expect(303)), 'changed');
    assert.equal(newsOf(await back(cookie, later).expect(303)), 'card-changed');
  });

  test('the worker waits for half an hour; given up half-way, the card on file is charged, and the page of Stripe ends', async (t) => {
    const her = await startCard(t);
    const { enter, toStripe, see, charge, pass, status, chargedTo, enterCard } = her;
    await her.untilDue();
    const cookie = await enter();
    const session = await toStripe(cookie);
    pass(29);
    assert.deepEqual(await charge(), { type: 'stopped', why: 'paying' });
    assert.match(wordsOf((await see(cookie)).text), /Otherwise it is charged to your Visa/);
    pass(1.5);
    assert.equal((await charge()).type, 'charged');
    assert.equal(await status(session), 'expired');
    assert.throws(() => enterCard(session), /is expired/);
    assert.deepEqual(await chargedTo(), ['visa']);
  });

  test('not after five declined ones in a day: no stolen cards are tried out there', async (t) => {
    const { enter, begin, toStripe, enterCard, status, stripe, tell, pass } = await startCard(t);
    const cookie = await enter();
    const session = await toStripe(cookie);
    const { setup_intent } = await stripe.checkout.sessions.retrieve(session);
    for (let time = 1; time <= 5; time += 1) {
      assert.equal(await status(session), 'open');
      assert.throws(() => enterCard(session, 'pm_card_visa_chargeDeclined'), /Your card was declined/);
      const setup = await stripe.setupIntents.retrieve(String(setup_intent));
      for (let delivery = 1; delivery <= 2; delivery += 1)
        await tell('setup_intent.setup_failed', setup, { id: `evt_${time}` }).expect(200);
    }
    assert.equal(await status(session), 'expired');
    assert.match((await begin(cookie).expect(422)).text, /Too many cards were declined/);
    pass(24 * 60);
    await begin(await enter()).expect(303);
  });

  test('after ten wrong proofs in a day not with the right one either, in whatever session, by whatever link', async (t) => {
    const { begin, press, registration, payments, tokenWith, enter } = await startCard(t);
    const statuses: number[] = [];
    const prove = async (cookie: string, proof: string) => {
      statuses.push((await begin(cookie, proof)).status);
    };
    for (let epoch = 0; epoch < 3; epoch += 1) {
      const cookie = await enter(tokenWith({ epoch }));
      for (const proof of ['0000', '1111', PROOF, '2222']) await prove(cookie, proof);
      await renewLinks(payments, { subject: registration, epoch });
    }
    assert.deepEqual(statuses, [422, 422, 303, 422, 422, 422, 303, 422, 422, 422, 303, 422]);
    const cookie = await enter(tokenWith({ epoch: 3 }));
    await Promise.all(['3333', '4444', '5555'].map((proof) => prove(cookie, proof)));
    assert.deepEqual(statuses.slice(-3).toSorted(), [422, 429, 429]);
    await begin(cookie).expect(429);
    await renewLinks(payments, { subject: registration, epoch: 3 });
    const fresh = await enter(tokenWith({ epoch: 4 }));
    for (const path of [formPaths.pay, formPaths.data]) {
      const { text } = await press(fresh, path, SHOWN).expect(429);
      assert.match(text, /That was tried too often today, .* or ask the office/);
    }
  });
});
