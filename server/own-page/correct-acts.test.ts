import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import request from 'supertest';
import { confirmEndsAt, findRegistration, HERSELF, linkDigest } from '#server/registration/registration.ts';
import { recordActs } from '#server/stripe/decide.ts';
import { correctDetails } from '#server/stripe/her-details.ts';
import { findMail } from '#server/testing/test-letters.ts';
import { newsCookieOf, newsOf, startOwnPage, type TestOwnPage } from '#server/testing/test-own-page.ts';
import { formPaths, OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';

const PROOF = '0142';
const NEW = 'Wilma.New@other.example';

describe('she corrects her name and phone number', () => {
  const given = { firstName: ' Wilma ', lastName: 'Fuchs', phoneNumber: '', proof: PROOF };

  test('the change is recorded as hers, with the former value; without a new number the number stays', async (t) => {
    const ownPage = await startOwnPage(t);
    const { enter, press, see, find, clock, contact } = ownPage;
    const cookie = await enter();
    const page = await see(cookie, formPaths.details).expect(200);
    assert.match(page.text, /value="O’Hara"/);
    assert.doesNotMatch(page.text, /0142/);
    const answer = await press(cookie, formPaths.details, given).expect(303);
    assert.deepEqual([answer.headers.location, newsOf(answer)], [OWN_PAGE_PATH, 'details-corrected']);
    const { registrant, corrections } = await find();
    const { firstName, lastName, phoneNumber } = registrant;
    assert.deepEqual([firstName, lastName, phoneNumber], ['Wilma', 'Fuchs', contact.phoneNumber]);
    assert.deepEqual(corrections, { name: { was: 'Wilma O’Hara', at: clock.now, by: HERSELF } });
    assert.equal(await ownPage.timesAsked(), 1);
    const { text } = await see(`${cookie}; ${newsCookieOf(answer)}`).expect(200);
    assert.match(text, /Wilma Fuchs/);
    assert.match(text, /Your details are saved/);
  });

  test('an invalid value returns the form with what she typed and the contact step’s message, and costs no try', async (t) => {
    const ownPage = await startOwnPage(t);
    const { enter, press } = ownPage;
    const cookie = await enter();
    const wrong = { firstName: ' ', lastName: '"><b>', phoneNumber: '12', proof: '7' };
    for (let time = 1; time <= 11; time += 1) {
      const { text } = await press(cookie, formPaths.details, wrong).expect(422);
      assert.match(text, /First name is required.*value="&quot;&gt;&lt;b&gt;".*value="12"/s);
      assert.match(text, /A valid phone number is required/);
    }
    await press(cookie, formPaths.details, { lastName: 'x' }).expect(400);
    assert.deepEqual(ownPage.writes(), []);
    await press(cookie, formPaths.details, given).expect(303);
  });
});

describe('she gives another e-mail address', () => {
  const given = { email: ` ${NEW} `, proof: PROOF };

  async function startAsked(ownPage: TestOwnPage) {
    const { enter, press, payments, registration, links } = ownPage;
    const cookie = await enter();
    const answer = await press(cookie, formPaths.address, given).expect(303);
    assert.equal(newsOf(answer), 'address-asked');
    const asked = (await findRegistration(payments, registration))?.addressAsked;
    assert.ok(asked);
    const digest = linkDigest(asked.to, asked.at);
    const link = links.url('confirm', { subject: registration, digest, expiresAt: confirmEndsAt(asked) });
    return { cookie, asked, token: link.slice(link.lastIndexOf('/') + 1) };
  }
  const open = ({ app }: TestOwnPage, token: string) => request(app).get(`${ownPagePaths.enter}${token}`);
  const confirm = ({ press }: TestOwnPage, link: string) => press('', formPaths.addressConfirmed, { link });

  test('it waits for confirmation: opening the link changes nothing, the press does, and earlier links end', async (t) => {
    const ownPage = await startOwnPage(t);
    const { see, find, contact, enter, tokenWith } = ownPage;
    const { cookie, token } = await startAsked(ownPage);
    assert.equal(await ownPage.timesAsked(), 1);
    const waiting = await see(cookie).expect(200);
    assert.match(waiting.text, /Waiting for you to confirm W…@other\.example/);
    assert.ok(waiting.text.includes(contact.email));
    ownPage.calls.length = 0;
    const page = await open(ownPage, token).expect(200);
    assert.ok(page.text.includes(NEW));
    assert.equal(page.headers['cache-control'], 'no-store');
    assert.equal(page.headers['set-cookie'], undefined);
    await request(ownPage.app).head(`${ownPagePaths.enter}${token}`).expect(200);
    assert.deepEqual(ownPage.writes(), []);
    const done = await confirm(ownPage, token).expect(200);
    assert.match(done.text, /From now on we write to this address/);
    const { registrant, linksEpoch, corrections } = await find();
    assert.deepEqual([registrant.email, linksEpoch, corrections.email?.by], [NEW, 1, HERSELF]);
    await see(cookie).expect(403);
    const { text } = await see(await enter(tokenWith({ epoch: 1 }))).expect(200);
    assert.doesNotMatch(text, /Waiting for you to confirm/);
    for (const again of [await open(ownPage, token), await confirm(ownPage, token)]) {
      assert.equal(again.status, 403);
      assert.match(again.text, /If you have just confirmed your address, all is done/);
    }
  });

  test('not after she has taken another first and last name since she paid, also where she asked before', async (t) => {
    const ownPage = await startOwnPage(t);
    const { press, payments, registration, clock, find, contact } = ownPage;
    const { cookie, token } = await startAsked(ownPage);
    const berta = { firstName: 'Berta', lastName: 'Fuchs', phoneNumber: contact.phoneNumber };
    await payments.ask(correctDetails, { id: registration }, berta, 'Anna', clock.now);
    const words = /A place cannot be handed over to somebody else/;
    assert.match((await confirm(ownPage, token).expect(409)).text, words);
    assert.match((await press(cookie, formPaths.address, given).expect(422)).text, words);
    assert.equal((await find()).registrant.email, contact.email);
  });

  test('after she drops it the link confirms nothing', async (t) => {
    const ownPage = await startOwnPage(t);
    const { press, find, contact, see } = ownPage;
    const { cookie, token } = await startAsked(ownPage);
    const form = await see(cookie, formPaths.addressDropped).expect(200);
    assert.match(form.text, /Keep the address as it is.*Last four digits of your phone number/s);
    const drop = async () =>
      newsOf(await press(cookie, formPaths.addressDropped, { proof: PROOF }).expect(303));
    assert.equal(await drop(), 'address-dropped');
    assert.equal(await drop(), 'changed');
    await see(cookie, formPaths.addressDropped).expect(303);
    await confirm(ownPage, token).expect(403);
    assert.equal((await find()).registrant.email, contact.email);
  });

  test('an invalid address, or her current one, returns the form; a forged link opens nothing and causes no read', async (t) => {
    const ownPage = await startOwnPage(t);
    const { press, contact, tokenWith, calls } = ownPage;
    const { cookie, token } = await startAsked(ownPage);
    for (const [email, words] of [
      ['', 'Email is required'],
      ['w@', 'A valid email is required'],
      [contact.email.toUpperCase(), 'This is the address that we write to already'],
    ] as const) {
      const { text } = await press(cookie, formPaths.address, { email, proof: PROOF }).expect(422);
      assert.ok(text.includes(words), words);
      if (email) assert.ok(text.includes(`value="${email}"`));
    }
    calls.length = 0;
    for (const forged of [`${token}x`, tokenWith(), token.replace(/confirm-../, 'confirm-00')])
      await confirm(ownPage, forged).expect(403);
    const elsewhere = request(ownPage.app)
      .post(formPaths.addressConfirmed)
      .set('Sec-Fetch-Site', 'cross-site');
    await elsewhere.type('form').send({ link: token }).expect(403);
    assert.deepEqual(calls, []);
  });
});

test('she downloads all that is kept about her as JSON, with her proof only', async (t) => {
  const ownPage = await startOwnPage(t);
  const { enter, see, press, payments, registration, payment, find, now, contact } = ownPage;
  await payments.ask(recordActs, await find(), [
    { kind: 'note', facts: { text: 'Comes by train' }, at: now(), by: 'Anna' },
  ]);
  const cookie = await enter();
  assert.match((await see(cookie).expect(200)).text, /href="\/place\/data"/);
  assert.doesNotMatch((await see(cookie, formPaths.data).expect(200)).text, /Comes by train/);
  const { text } = await press(cookie, formPaths.data, { proof: PROOF })
    .expect(200)
    .expect('Content-Type', /^application\/json/)
    .expect('Content-Disposition', /^attachment; filename="?what-we-keep-about-you\.json"?$/)
    .expect('Cache-Control', 'no-store');
  for (const words of ['Comes by train', contact.phoneNumber, registration, payment])
    assert.ok(text.includes(words), words);
});

test('she chooses the zone of her hours, without a proof: her page and the letters to come follow it', async (t) => {
  const { enter, press, see, payments, registration, clock } = await startOwnPage(t);
  const cookie = await enter();
  const choose = (timeZone: string) => press(cookie, formPaths.timeZone, { timeZone });
  const zone = async () => (await findRegistration(payments, registration))?.registrant.timeZone;
  assert.equal(newsOf(await choose('Asia/Tokyo').expect(303)), 'zone-chosen');
  assert.match((await see(cookie).expect(200)).text, /Shown in Japan Standard Time\./);
  const welcome = await findMail(payments, registration, 'welcome', clock.now);
  assert.equal(welcome?.person?.timeZone, 'Asia/Tokyo');
  for (const timeZone of ['', 'Etc/Nowhere', '../etc/localtime', 'Europe/Berlin'.repeat(9)])
    await choose(timeZone).expect(400);
  assert.equal(await zone(), 'Asia/Tokyo');
  await choose('Europe/Kiev').expect(303);
  assert.equal(await zone(), 'Europe/Kyiv', 'its current name');
});
