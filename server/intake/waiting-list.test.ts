import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import request from 'supertest';
import { rowsWith } from '#server/database/database.ts';
import { waitingLettersDue } from '#server/letters/table.ts';
import { confirmableUntil, findRegistration } from '#server/registration/registration.ts';
import { depositOfHeld } from '#server/stripe/deposit.ts';
import { recordSent } from '#server/testing/test-charges.ts';
import { readings } from '#server/testing/test-letters.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { startFullSite, startSiteWithPlaces, tellOf } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { formatCents } from '#shared/money.ts';
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

/** A full site with one entry to which a place is offered. */
async function startOffered(t: TestContext, options: Parameters<typeof startFullSite>[1] = {}) {
  const site = await startFullSite(t, options);
  await site.join();
  await site.confirm();
  const { id } = await site.onlyEntry();
  const path = await site.offer(id);
  const { version, digest } = edition.terms;
  const take = (changes: object = {}) =>
    request(site.app)
      .post(path)
      .set('Sec-Fetch-Site', 'same-origin')
      .type('form')
      .send({ version, digest, agreed: 'on', ...changes });
  /** The registrations that were made with the offer. */
  const taken = () =>
    site.database.read((transaction) => rowsWith(transaction, 'registrations', 'waiting', [id]));
  const count = () => site.admission.places.count(edition.facts);
  return { ...site, id, path, take, taken, count };
}

describe('an offer', () => {
  test('shows the place and its policies; a press takes it once with her consent, and leads to her page', async (t) => {
    const { app, id, path, take, taken, count, pay, payments, admission } = await startOffered(t);
    const page = await request(app).get(path).expect(200);
    assert.match(page.text, /Wilma O’Hara/);
    assert.match(page.text, new RegExp(formatCents(edition.facts.prices.depositCents).replace('$', '\\$')));
    assert.equal(page.get('set-cookie'), undefined);
    await take().set('Sec-Fetch-Site', 'cross-site').expect(403);
    assert.match((await take({ agreed: '' }).expect(409)).text, /Please read the policies/);
    await take({ digest: 'another text' }).expect(409);
    assert.deepEqual([await taken(), (await count()).offered], [[], 1]);

    for (const _again of [1, 2]) {
      const done = await take().expect(303).expect('location', '/place?cookie-set');
      assert.match(String(done.get('set-cookie')), /^place=v1\.reg_/);
    }
    const [row, ...others] = await taken();
    assert.deepEqual([others, (await count()).held, (await count()).offered], [[], 1, 0]);
    const record = (await findRegistration(payments, row?.id ?? '')) ?? assert.fail();
    assert.deepEqual(record.registrant, { ...contact, timeZone: '' });
    assert.equal(record.agreement?.digest, edition.terms.digest);
    assert.equal(record.decisions.held?.way, 'card');

    // Her deposit takes the place, and her off the list.
    const deposit = await payments.ask(depositOfHeld, record, new Date());
    await pay(deposit.id);
    assert.equal(await admission.waitingList.find(id), undefined);
    assert.equal(await admission.waitingList.leave(id), 'took');
    assert.match((await request(app).get(path).expect(410)).text, /This offer has been used/);
    await take().expect(410);
    assert.deepEqual(await admission.waitingList.list(edition), []);
  });

  test('that expired or was taken back opens nothing, and what was begun with it can no longer be paid', async (t) => {
    const { app, id, path, take, taken, offer, payments, admission, stripe, now } = await startOffered(t);
    await take().expect(303);
    const [row] = await taken();
    const record = (await findRegistration(payments, row?.id ?? '')) ?? assert.fail();
    const deposit = await payments.ask(depositOfHeld, record, now());
    assert.equal(await admission.waitingList.withdrawOffer(id, 'Anna'), 'withdrawn');
    assert.equal((await stripe.paymentIntents.retrieve(deposit.id)).status, 'canceled');
    assert.equal((await findRegistration(payments, record.id))?.deposit, 'closed');
    await request(app).get(path).expect(410);
    await take().expect(410);
    assert.equal((await admission.waitingList.find(id))?.registrant.email, contact.email);
    const lapsed = await offer(id, new Date(now().getTime() - 1));
    assert.match((await request(app).get(lapsed).expect(410)).text, /This offer has ended/);
  });

  test('is taken back whole by a second press, where Stripe was away at the first', async (t) => {
    let isAway = false;
    const { take, taken, id, admission, payments, count, now } = await startOffered(t, {
      intercept: () => (isAway ? { kind: 'reset', carryOut: false } : undefined),
    });
    await take().expect(303);
    const [row] = await taken();
    const record = (await findRegistration(payments, row?.id ?? '')) ?? assert.fail();
    await payments.ask(depositOfHeld, record, now());
    isAway = true;
    await assert.rejects(admission.waitingList.withdrawOffer(id, 'Anna'));
    assert.ok((await admission.waitingList.find(id))?.offer, 'the office sees it still, and can press again');
    isAway = false;
    assert.equal(await admission.waitingList.withdrawOffer(id, 'Anna'), 'withdrawn');
    assert.equal((await admission.waitingList.find(id))?.offer, undefined);
    assert.deepEqual([(await count()).held, (await count()).offered], [0, 0]);
  });

  test('made again ends what was begun with the one before: she has one registration, and one place', async (t) => {
    const { take, taken, offer, id, path, app, count, payments, now } = await startOffered(t);
    await take().expect(303);
    await offer(id, new Date(now().getTime() + 3_600_000));
    await request(app).get(path).expect(410);
    const [first] = await taken();
    assert.equal((await findRegistration(payments, first?.id ?? ''))?.deposit, 'closed');
    assert.deepEqual([(await count()).held, (await count()).offered], [0, 1]);
  });
});
