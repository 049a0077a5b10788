import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import request from 'supertest';
import { act } from '#server/office/terminal/act-command.ts';
import { linkDigest, stateOf } from '#server/registration/registration.ts';
import { decide } from '#server/stripe/decide.ts';
import { openCardPage } from '#server/testing/test-cards.ts';
import { recordReceived } from '#server/testing/test-charges.ts';
import { newsOf, refreshIn, startOwnPage, wordsOf } from '#server/testing/test-own-page.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { formPaths, ownPagePaths } from '#shared/own-page.ts';

const MARY = {
  firstName: 'Mary',
  lastName: 'Hart',
  email: 'Mary@example.org',
  phoneNumber: '+1 (555) 555-0177',
};
const { balanceBeforeFeeCents } = edition.facts.prices;
const UNTIL = new Date(edition.facts.handOverUntil ?? assert.fail());
const LAST = new Date(UNTIL.getTime() - 1);
const PROOF = '0142';

/** Wilma's place, and what the office, Wilma and Mary do to hand it over. */
async function startHandOver(t: TestContext, options?: Parameters<typeof startOwnPage>[1]) {
  const ownPage = await startOwnPage(t, options);
  const { app, registration, links, find, enter, see, press, pass } = ownPage;
  pass(60);
  const give = (kind: string, fields: object) =>
    act(ownPage.context, registration, {
      kind,
      fields: Object.entries(fields).map((field) => field.join('=')),
      by: 'Anna',
      isTried: false,
    });
  const begin = (to = MARY) => give('hand-over', to);
  const takeBack = () => give('undo', { what: 'handOver' });
  const decidedAt = async () => (await find()).decisions.handOver?.at.toISOString() ?? '';
  const answer = async (act: 'agree' | 'keep', proof = PROOF, cookie?: string) =>
    press(cookie ?? (await enter()), formPaths.handOver, { act, decided: await decidedAt(), proof });
  /** The link in Mary's letter. */
  const linkOf = async () => {
    const { decisions, linksEpoch: epoch } = await find();
    const { email, at } = decisions.handOver ?? assert.fail();
    return new URL(
      links.url('take', { subject: registration, epoch, digest: linkDigest(email, at), expiresAt: UNTIL }),
    ).pathname;
  };
  /** Opens a link of Mary's letter, as her browser does: it leads to a page whose address names no token. */
  const open = async (link: string, status = 200) => {
    const opened = await request(app).get(link);
    const [set = ''] = [opened.headers['set-cookie']].flat();
    if (opened.status !== 303) {
      assert.equal(opened.status, status);
      return opened;
    }
    assert.equal(opened.headers.location, formPaths.takePlace);
    return see(String(set).split(';')[0] ?? '', formPaths.takePlace).expect(status);
  };
  /** What the form on Mary's page sends beside her card. */
  const formOf = (html: string) => {
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
    const [link, version, digest, cents, session] = ['link', 'version', 'digest', 'cents', 'session'].map(
      field,
    );
    return { link, version, digest, cents, session, agreed: 'on', timeZone: 'Europe/Berlin' };
  };
  const post = (path: string) => request(app).post(path).set('Sec-Fetch-Site', 'same-origin');
  const beginCard = (link: string) => post(formPaths.takersCard).type('form').send({ link });
  const kept = (link: string) => `place-take=${link}`;
  /** She goes to Stripe, enters her card, and returns. @returns the form that accepts the place */
  const storeCard = async (link: string, card = 'pm_card_mastercard') => {
    const { headers } = await beginCard(link).expect(303);
    const leading = await see(kept(link), String(headers.location)).expect(200);
    assert.match(refreshIn(leading.text) ?? '', /\/hosted\/checkout\/cs_/);
    const [session = ''] = /cs_\w+/.exec(String(headers.location)) ?? [];
    ownPage.sandbox.bank.enterCard(session, card);
    const { text } = await see(kept(link), `${formPaths.takePlace}?session=${session}`).expect(200);
    return formOf(text);
  };
  const accept = (form: object) => post(formPaths.takePlace).type('form').send(form);
  return {
    ...ownPage,
    takeBack,
    begin,
    answer,
    linkOf,
    open,
    formOf,
    beginCard,
    storeCard,
    accept,
    see,
    /** Up to Mary's link, which is opened. */
    async offered() {
      await begin();
      assert.equal(newsOf(await answer('agree')), 'hand-over-agreed');
      const link = await linkOf();
      return { link, form: formOf((await open(link)).text) };
    },
  };
}

describe('a place is handed over', () => {
  test('both agree by link: names, address, zone, consent, card and links are the new one’s', async (t) => {
    const postalCode = '95060';
    const site = await startHandOver(t, { postalCode });
    const { begin, answer, enter, see, find, open, linkOf, storeCard, accept, lettersDue } = site;
    const cookie = await enter();
    await begin();
    assert.deepEqual(await lettersDue(), ['hand-over-asked']);
    assert.match((await see(cookie).expect(200)).text, /whether you hand your place over to Mary Hart/);
    const { text } = await see(cookie, formPaths.handOver).expect(200);
    assert.match(wordsOf(text), /by the end of December 21, 2025.*your card is not charged any more/);
    assert.equal(newsOf(await answer('agree', postalCode, cookie)), 'hand-over-agreed');
    assert.deepEqual(await lettersDue(), ['hand-over-offered']);

    const link = await linkOf();
    const page = await open(link);
    assert.match(
      wordsOf(page.text),
      /Wilma hands a place.*\$721.*\$726\.25 charged to your card on December 21/,
    );
    assert.doesNotMatch(page.text, /O’Hara|wilma@|0142|0177/);
    const before = await find();
    assert.doesNotMatch(page.text, /<script type="module"|name="agreed"/);
    const [, kept = ''] = /name="link" value="([^"]*)"/.exec(page.text) ?? [];
    const form = await storeCard(kept);
    await site.tell('checkout.session.completed', { id: form.session }).expect(200);
    assert.equal((await find()).card?.id, before.card?.id);
    const both = await Promise.all([accept(form), accept(form)]);
    const sent = both.find(({ status }) => status === 303) ?? assert.fail();
    assert.equal(newsOf(sent), 'place-taken');
    await accept(form).expect(200);
    assert.match((await open(link)).text, /has been accepted with this link/);

    const { registrant, handedOver, namesBefore, card, agreement, agreed, linksEpoch } = await find();
    assert.deepEqual(registrant, { ...MARY, timeZone: 'Europe/Berlin' });
    assert.deepEqual(
      [handedOver?.firstName, handedOver?.email, namesBefore],
      ['Wilma', 'wilma@example.org', 'Wilma O’Hara'],
    );
    assert.deepEqual([card?.brand, linksEpoch, agreed], ['mastercard', 1, before.agreed]);
    assert.deepEqual(agreement, { ...before.agreement, agreedAt: site.clock.now });
    await see(cookie).expect(403);
    const [set = ''] = [sent.headers['set-cookie']].flat().filter((one) => /^place=v1/.test(String(one)));
    const hers = String(set).split(';')[0] ?? '';
    const shown = wordsOf((await see(hers).expect(200)).text);
    assert.match(shown, /Your place, Mary.*Mastercard.*paid by who had the place before you/);
    assert.doesNotMatch(shown, /O’Hara|Welcome to/);
    assert.deepEqual((await lettersDue()).toSorted(), ['handed-away', 'handed-over']);
    // Her proof is not the postal code of a card that is not hers.
    await site.press(hers, formPaths.card, { proof: '0177' }).expect(303);
    const { text: data } = await site.press(hers, formPaths.data, { proof: '0177' }).expect(200);
    assert.match(data, /Mary@example\.org/);
    assert.doesNotMatch(data, /95060/);
  });

  test('opening a link changes nothing; a press needs the proof, the tick, and what the page showed', async (t) => {
    const site = await startHandOver(t);
    const { begin, answer, find, enter, see, linkOf, open, offered } = site;
    const { beginCard, accept, storeCard, pass } = site;
    await begin();
    const early = await linkOf();
    await open(early, 403);
    await see(await enter(), formPaths.handOver).expect(200);
    assert.equal((await answer('agree', PROOF, 'place=v1.x')).status, 403);
    assert.equal((await find()).decisions.handOverAgreed, undefined);
    assert.equal(newsOf(await answer('keep', '')), 'hand-over-ended');
    pass(1);
    const { link, form } = await offered();
    await open(early, 403);
    const { registrant } = await find();
    assert.equal(registrant.firstName, 'Wilma');
    const filled = await storeCard(form.link ?? '');
    const { agreed: _, ...unticked } = filled;
    assert.match((await accept(unticked).expect(409)).text, /Please read the policies/);
    for (const other of [{ cents: '72000' }, { version: '1' }, { session: '' }])
      assert.match((await accept({ ...filled, ...other }).expect(409)).text, /Something had changed/);
    await accept(filled).set('Sec-Fetch-Site', 'cross-site').expect(403);
    const holders = await openCardPage(site, await find(), site.clock.now);
    site.sandbox.bank.enterCard(holders, 'pm_card_visa');
    await accept({ ...filled, session: holders }).expect(409);
    const token = link.slice(ownPagePaths.enter.length);
    for (const forged of [token, `${token}.${'A'.repeat(43)}`])
      await see(`place-take=${forged}`, formPaths.takePlace).expect(403);
    await beginCard('v1.x').expect(403);
    assert.equal((await find()).handedOver, undefined);
    await accept(filled).expect(303);
  });

  test('nothing is left to pay: no card is asked for, and by one press', async (t) => {
    const { offered, payments, find, now, open, accept, stripe } = await startHandOver(t);
    const check = { at: now(), by: 'Anna', way: 'check', cents: balanceBeforeFeeCents, on: now() } as const;
    await payments.ask(recordReceived, await find(), check);
    const { link, form } = await offered();
    const { text } = await open(link);
    assert.match(text, /Everything is paid/);
    assert.doesNotMatch(text, /<script type="module"|Enter the card/);
    await accept(form).expect(303);
    const record = await find();
    assert.deepEqual([record.card, stateOf(record, now())], [undefined, 'settled']);
    const { data } = await stripe.customers.listPaymentMethods(record.customerId ?? '');
    assert.deepEqual(data, []);
  });

  test('until the last day is over, for the office too; a link of that day has ended', async (t) => {
    const { offered, begin, takeBack, clock, open, accept, beginCard } = await startHandOver(t);
    clock.now = LAST;
    const { link, form } = await offered();
    // No letter can announce the charge in time any more: she is asked to pay.
    assert.match(wordsOf((await open(link)).text), /\$726\.25 due December 21, 2025: you are asked/);
    clock.now = UNTIL;
    await open(link, 403);
    await accept(form).expect(403);
    await beginCard(form.link ?? '').expect(403);
    await assert.rejects(begin(), { message: /could be handed over until Dec 22, 2025, 12:00 AM PST/ });
    await assert.rejects(takeBack(), { reason: 'wrongState' });
  });

  test('cancelled, or taken back by the office, meanwhile: the link opens nothing', async (t) => {
    for (const end of ['cancel', 'withdraw'] as const) {
      const { offered, payments, find, now, accept, open, storeCard, takeBack } = await startHandOver(t);
      const { link, form } = await offered();
      const filled = await storeCard(form.link ?? '');
      if (end === 'withdraw') await takeBack();
      else await payments.ask(decide, await find(), 'cancel', { at: now(), by: 'Anna', writtenAt: now() });
      await open(link, 403);
      assert.match((await accept(filled).expect(403)).text, /not being handed over/);
      const { handedOver, registrant } = await find();
      assert.deepEqual([handedOver, registrant.firstName], [undefined, 'Wilma']);
    }
  });
});
