import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import request from 'supertest';
import { waitingLettersDue } from '#server/letters/table.ts';
import { confirmableUntil, findRegistration } from '#server/registration/registration.ts';
import { registrationOf } from '#server/stripe/payment-at-stripe.ts';
import { recordSent } from '#server/testing/test-charges.ts';
import { readings } from '#server/testing/test-letters.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { startFullSite, startSiteWithPlaces, tellOf } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { JOIN_WAITING_PATH } from '#shared/waiting.ts';

const { package: _, ...contact } = contactStep;
const DAY_MS = 24 * 60 * 60 * 1000;
const JOINED = 'Somebody has put an address on the waiting list';
const idsOf = (jobs: readonly { name: string }[]) => jobs.map(({ name }) => name).toSorted();

describe('joining the waiting list', () => {
  test('adds an entry that is to be confirmed, makes nothing at Stripe, and queues the letter to her', async (t) => {
    const { join, onlyEntry, stripe, mailQueue, log } = await startFullSite(t);
    const { status, body } = await join({ timeZone: 'Europe/Berlin' });
    assert.deepEqual([status, body], [200, { confirmationMail: 'queued' }]);
    await log.until(JOINED);
    const record = await onlyEntry();
    assert.deepEqual(record.registrant, { ...contact, timeZone: 'Europe/Berlin' });
    assert.deepEqual((await stripe.customers.list({ email: contact.email })).data, []);
    const waiting = await mailQueue.bullQueue.getWaiting();
    const own = waiting.filter(({ id }) => id?.includes(record.id));
    assert.deepEqual(idsOf(own), ['waiting-received']);
    assert.equal(record.isConfirmed, false);
  });

  test('R4.5 a repeated submit, another key and two browsers at once make one entry per address', async (t) => {
    const { join, onlyEntry } = await startFullSite(t);
    const key = 'b'.repeat(32);
    const answers = await Promise.all([join({}, key), join({}, key), join({ firstName: 'Wilhelmina' })]);
    answers.push(await join({}, key), await join({ email: 'Wilma@Example.org' }));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    );
    await onlyEntry();
  });

  test('mentions only in the letter that an address has a place already, and asks Stripe nothing', async (t) => {
    const calls: string[] = [];
    const { join, onlyEntry } = await startFullSite(t, { intercept: ({ path }) => void calls.push(path) });
    calls.length = 0;
    const { status, body } = await join({ email: 'first@visitors.example' });
    assert.deepEqual([status, body, calls], [200, { confirmationMail: 'queued' }, []]);
    assert.equal((await onlyEntry()).addressHasPlace, true);
  });

  test('writes to an address whenever it was put on the list, once a day', async (t) => {
    let at = Date.parse(edition.tryOutFrom);
    const { join, confirm, offer, onlyEntry, letterLog, now } = await startFullSite(t, {
      changes: { now: () => new Date(at) },
      clock: { now: () => at },
    });
    const BUTTONS = ['Put me on the waiting list', 'Take the place'];
    /** Puts her on the list twice on a day; returns the buttons of each letter that she gets then. */
    const joinTwice = async () => {
      const written = [];
      for (const _time of [1, 2]) {
        await join().expect(200);
        for (const letter of waitingLettersDue(await onlyEntry(), now())) {
          await recordSent(letterLog, letter, now());
          if (letter.kind === 'waiting-received') written.push(letter);
        }
      }
      at += DAY_MS;
      return written.map((letter) => BUTTONS.filter((label) => readings(letter)[0].includes(label)));
    };
    for (const _day of [1, 2]) assert.deepEqual(await joinTwice(), [['Put me on the waiting list']]);
    await confirm();
    const { joinedAt } = await onlyEntry();
    assert.deepEqual(await joinTwice(), [[]]);
    assert.deepEqual((await onlyEntry()).joinedAt, joinedAt);
    await offer((await onlyEntry()).id, new Date(at + DAY_MS));
    assert.deepEqual(await joinTwice(), [['Take the place']]);
  });

  test('is refused while there are places, from another site, with the hidden field filled in, and when closed', async (t) => {
    const { app } = await startSiteWithPlaces(t, 2);
    const send = (changes: object) =>
      request(app)
        .post(JOIN_WAITING_PATH)
        .send({ ...contact, ...changes });
    const left = await send({}).expect(409);
    assert.equal(left.body.error.code, 'places_left');
    await send({}).set('Sec-Fetch-Site', 'cross-site').expect(403);
    const hidden = await send({ website: 'x' }).expect(409);
    assert.equal(hidden.body.error.code, 'looks_automated');
    const wrong = await send({ email: 'x' }).expect(400);
    assert.equal(wrong.body.error.fields.email, 'A valid email is required');
    const closed = await startSiteWithPlaces(t, 1, { env: { REGISTRATION: 'closed' } });
    await request(closed.app).post(JOIN_WAITING_PATH).send(contact).expect(409);
  });
});

describe('confirming', () => {
  test('opening the link changes nothing; a press puts her on the list once, and tells the office', async (t) => {
    const { app, join, onlyEntry, links, mailQueue, admission, log } = await startFullSite(t);
    await join();
    await log.until(JOINED);
    const { id, joinedAt } = await onlyEntry();
    const until = confirmableUntil({ joinedAt });
    const path = new URL(links.url('wait', { subject: id, expiresAt: until })).pathname;
    assert.match((await request(app).get(path).expect(200)).text, /Put me on the waiting list/);
    const waiting = async () => (await admission.places.count(edition.facts)).waiting;
    assert.deepEqual([(await onlyEntry()).isConfirmed, await waiting()], [false, 0]);
    for (const _again of [1, 2])
      assert.match((await request(app).post(path).expect(200)).text, /You are on the waiting list/);
    assert.deepEqual([(await onlyEntry()).isConfirmed, await waiting()], [true, 1]);
    const queued = (await mailQueue.bullQueue.getWaiting()).filter((job) => job.id?.includes(id));
    assert.deepEqual(idsOf(queued), ['office-waiting', 'waiting-received']);
  });

  test('six invented entries and no press leave the page open to visitors once a place is free', async (t) => {
    const env = { RATE_LIMIT_PER_ADDRESS: '1000', RATE_LIMIT_OVERALL: '10000' };
    const { join, admission, stripe, tell, visit } = await startFullSite(t, { env });
    for (let count = 0; count < 6; count += 1)
      await join({ email: `invented-${count}@example.org` }).expect(200);
    const { data } = await stripe.paymentIntents.list();
    const [paid] = data.filter(({ status }) => status === 'succeeded');
    await stripe.refunds.create({ payment_intent: paid?.id ?? '' });
    await tellOf({ tell, stripe }, paid?.id ?? '', 'payment_intent.succeeded');
    assert.equal((await admission.places.count(edition.facts)).paid, 0);
    assert.equal((await visit('berta').submit()).status, 200);
  });
});

describe('leaving the waiting list', () => {
  test('opening the link changes nothing; a press by her or her mail client deletes all her data', async (t) => {
    for (const body of ['', 'List-Unsubscribe=One-Click']) {
      const { app, join, onlyEntry, links, admission, log } = await startFullSite(t);
      await join();
      const { id } = await onlyEntry();
      const token = { subject: id, expiresAt: new Date(edition.facts.endsAt) };
      const path = new URL(links.url('leave', token)).pathname;
      const page = await request(app).get(path).expect(200);
      assert.match(page.text, /Take me off the list/);
      assert.deepEqual(
        ['cache-control', 'x-robots-tag', 'referrer-policy'].map((name) => page.get(name)),
        ['no-store', 'noindex', 'no-referrer'],
      );
      await onlyEntry();
      for (const _again of [1, 2]) {
        const left = await request(app).post(path).type('form').send(body).expect(200);
        assert.match(left.text, /You are off the waiting list/);
      }
      assert.equal(await admission.waitingList.find(id), undefined);
      assert.doesNotMatch(log.text(), /v1\./);
      assert.match(log.text(), /\/waiting\/:token/);
    }
  });
});

/** A full site with one entry to which a place is offered, and the cookie of a browser that opened the offer. */
async function startOffered(t: TestContext, changes: object = {}) {
  const site = await startFullSite(t);
  await site.join(changes);
  const { id } = await site.onlyEntry();
  const path = await site.offer(id);
  const [cookie = ''] = (await request(site.app).get(path)).get('set-cookie') ?? [];
  return { ...site, id, path, cookie };
}

describe('an offer', () => {
  test('leads with a cookie to the open page, and its deposit takes the place once, in however many browsers', async (t) => {
    const site = await startFullSite(t);
    const { app, join, onlyEntry, offer, registerWith, pay, admission } = site;
    await join();
    const { id } = await onlyEntry();
    const path = await offer(id);
    const opened = await request(app).get(path).expect(303);
    assert.equal(opened.get('location'), '/offer?cookie-set#register-stepper');
    const [cookie = ''] = opened.get('set-cookie') ?? [];
    const kept = request(app).get('/offer?cookie-set').set('Cookie', cookie);
    await kept.expect(303).expect('location', '/offer#register-stepper');
    assert.match((await request(app).get('/offer?cookie-set').expect(403)).text, /needs a cookie/);
    assert.match(
      cookie,
      /^offer=v1\.waiting_\w+\.0\.taking\.[^;]+; Max-Age=\d+; Path=\/;.*HttpOnly; SameSite=Lax$/,
    );
    const open = await request(app).get('/offer').set('Cookie', cookie).expect(200);
    assert.equal(open.get('x-robots-tag'), 'noindex');
    assert.doesNotMatch(open.text, /isFull|wilma/i);
    assert.match((await request(app).get('/').expect(200)).text, /"isFull":true/);
    await request(app).get('/offer').expect(303).expect('location', '/');

    const one = await registerWith(cookie).expect(200);
    const forwarded = await registerWith(cookie, { firstName: 'Frieda', email: 'frieda@example.org' });
    const secrets = [one, forwarded].map(({ body }) => String(body.paymentIntentClientSecret));
    assert.equal(secrets[0], secrets[1]);
    assert.deepEqual([one.body.offeredTo, forwarded.body.offeredTo], [undefined, 'Wilma O']);
    const [intent = ''] = secrets[0]?.split('_secret_') ?? [];
    await pay(intent);
    const registered = registrationOf(await site.stripe.paymentIntents.retrieve(intent));
    const record = await findRegistration(site, registered);
    assert.deepEqual([record?.offer, record?.registrant.firstName], [id, 'Frieda']);
    assert.equal(await admission.waitingList.find(id), undefined);
    assert.equal(await admission.waitingList.leave(id), 'took');
    assert.match((await request(app).get(path).expect(410)).text, /This offer has been used/);
    const late = await registerWith(cookie).expect(409);
    assert.equal(late.body.error.code, 'offer_used');
    assert.match(String(late.get('set-cookie')), /^offer=;/);
    assert.deepEqual(await admission.waitingList.list(edition), []);
  });

  test('does not replace another one in the same browser before a press, as long as that one is kept', async (t) => {
    const { app, join, admission, offer } = await startFullSite(t);
    const paths = [];
    for (const email of ['hers@example.org', 'mallory@example.org']) {
      await join({ email }).expect(200);
      const [entry] = (await admission.waitingList.list(edition)).toReversed();
      paths.push(await offer(entry?.id ?? ''));
    }
    const [hers = '', strangers = ''] = paths;
    const [cookie = ''] = (await request(app).get(hers).expect(303)).get('set-cookie') ?? [];
    const asked = await request(app).get(strangers).set('Cookie', cookie).expect(200);
    assert.match(asked.text, /Another place is kept for you here[\s\S]*Go on with this link/);
    assert.equal(asked.get('set-cookie'), undefined);
    const press = () => request(app).post(strangers).set('Cookie', cookie);
    await press().set('Sec-Fetch-Site', 'cross-site').expect(403);
    const gone = await press().set('Sec-Fetch-Site', 'same-origin').expect(303);
    assert.match(String(gone.get('set-cookie')), /^offer=v1\./);
    await request(app).get(hers).set('Cookie', cookie).expect(303);
    const [first] = await admission.waitingList.list(edition);
    await admission.waitingList.withdrawOffer(first?.id ?? '');
    await request(app).get(strangers).set('Cookie', cookie).expect(303);
  });

  test('that expired or was withdrawn opens nothing, and a payment started with it can no longer be paid', async (t) => {
    const { app, id, path, cookie, offer, registerWith, admission, stripe, now } = await startOffered(t);
    const { body } = await registerWith(cookie).expect(200);
    assert.equal(await admission.waitingList.withdrawOffer(id), 'withdrawn');
    await request(app).get(path).expect(410);
    assert.equal((await registerWith(cookie).expect(409)).body.error.code, 'offer_over');
    const [intent = ''] = String(body.paymentIntentClientSecret).split('_secret_');
    assert.equal((await stripe.paymentIntents.retrieve(intent)).status, 'canceled');
    const lapsed = await offer(id, new Date(now().getTime() - 1));
    assert.match((await request(app).get(lapsed).expect(410)).text, /This offer has ended/);
  });
});
