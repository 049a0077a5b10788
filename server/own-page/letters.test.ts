import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import request from 'supertest';
import { linksEndAt } from '#server/links/own-page-links.ts';
import { newsOf, startOwnPage, type TestOwnPage } from '#server/testing/test-own-page.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { ownPagePaths } from '#shared/own-page.ts';

const jobsOf = async ({ mailQueue }: TestOwnPage, kind: string) =>
  (await mailQueue.bullQueue.getJobs(['waiting', 'delayed', 'active'])).filter(({ name }) => name === kind);

describe('she has a letter sent again', () => {
  const again = (place: TestOwnPage, cookie: string, kind = 'welcome') =>
    place.press(cookie, ownPagePaths.letter, { kind }).expect(303);
  const markSent = ({ stripe, deposit }: TestOwnPage) =>
    stripe.paymentIntents.update(deposit, { metadata: { 'mail-welcome': 'sent 00000000' } });

  test('once for all presses within a minute, as a requested letter', async (t) => {
    const place = await startOwnPage(t);
    const cookie = await place.enter();
    await markSent(place);
    assert.equal(newsOf(await again(place, cookie)), 'letter-sent');
    assert.equal(newsOf(await again(place, cookie)), 'letter-sent');
    const jobs = await jobsOf(place, 'welcome');
    assert.ok(jobs.length === 1 || jobs.length === 2, 'a minute may end in between');
    const [job] = jobs;
    assert.ok(job?.data.kind === 'welcome' && job.data.again);
    assert.match(job.id ?? '', /^welcome-pi_\w+-[0-9a-f]{8}-again-[\d-]+$/);
  });

  test('three times a day', async (t) => {
    const place = await startOwnPage(t);
    const cookie = await place.enter();
    const told = [];
    for (let time = 1; time <= 4; time += 1) told.push(newsOf(await again(place, cookie)));
    assert.deepEqual(told, ['letter-sent', 'letter-sent', 'letter-sent', 'too-many']);
    const { text } = await place.see(`${cookie}; place-news=too-many`).expect(200);
    assert.match(text, /asked too often/);
  });

  test('but none that is not true now, is not hers, or does not exist', async (t) => {
    const place = await startOwnPage(t);
    const cookie = await place.enter();
    for (const kind of ['balance-paid', 'balance-failed', 'balance-notice'])
      assert.equal(newsOf(await again(place, cookie, kind)), 'changed');
    for (const kind of ['office-paid', 'registration-received', 'place-link', 'office-digest', ''])
      await place.press(cookie, ownPagePaths.letter, { kind }).expect(400);
    const at = place.clock.now.toISOString();
    const cancel = JSON.stringify({ at, by: 'Anna', writtenAt: at });
    await place.stripe.paymentIntents.update(place.deposit, { metadata: { cancel } });
    assert.equal(newsOf(await again(place, cookie)), 'changed');
    const { text } = await place.press(cookie, ownPagePaths.letter, { kind: 'x' });
    assert.match(text, /^<!doctype html>/);
  });

  test('but not while Redis is away, and she sees that', async (t) => {
    const place = await startOwnPage(t);
    const cookie = await place.enter();
    await place.redis.stop();
    assert.equal(newsOf(await again(place, cookie)), 'letter-not-sent');
  });

  test('and the page shows its state: waiting, failed, sent', async (t) => {
    const place = await startOwnPage(t);
    const { see, mailQueue } = place;
    const cookie = await place.enter();
    const stateShown = async () => /letter-state--(\w+)/.exec((await see(cookie).expect(200)).text)?.[1];
    assert.equal(await stateShown(), 'waiting');
    const mail = await place.payments.findMail(place.deposit, 'welcome', place.clock.now);
    assert.ok(mail);
    await mailQueue.add(mail);
    assert.equal(await stateShown(), 'waiting');
    const [job] = await jobsOf(place, 'welcome');
    assert.ok(job?.id);
    await place.failMail(job.id);
    assert.equal(await stateShown(), 'failed');
    assert.equal(newsOf(await again(place, cookie)), 'letter-sent');
    assert.equal(await job.getState(), 'waiting');
    await markSent(place);
    assert.equal(await stateShown(), 'waiting', 'it was sent to another address only');
    const version = job.id.split('-').at(-1);
    const metadata = { 'mail-welcome': `sent ${version}` };
    await place.stripe.paymentIntents.update(place.deposit, { metadata });
    assert.equal(await stateShown(), 'sent');
    await place.redis.stop();
    assert.equal(await stateShown(), 'sent');
  });
});

describe('a registrant who lost the link', () => {
  const ask = ({ app }: TestOwnPage, email: string) =>
    request(app).post(ownPagePaths.link).set('Sec-Fetch-Site', 'same-origin').type('form').send({ email });
  /** Waits until this many letters with a link are on the queue. */
  const untilQueued = async (place: TestOwnPage, count: number) => {
    for (;;) {
      const jobs = await jobsOf(place, 'place-link');
      if (jobs.length >= count) return jobs;
      await setImmediate();
    }
  };

  test('gets the same answer for any address, before the address is looked up', async (t) => {
    const gate = new EventEmitter();
    let opened: Promise<undefined> | undefined;
    const place = await startOwnPage(t, { intercept: () => opened });
    opened = once(gate, 'open').then(() => undefined);
    const pages = [];
    for (const email of ['wilma@example.org', 'WILMA@example.org', 'nobody@example.org', 'no address'])
      pages.push((await ask(place, email).expect(200)).text);
    assert.equal(new Set(pages).size, 1);
    assert.deepEqual(await jobsOf(place, 'place-link'), []);
    gate.emit('open');
    const [job] = await untilQueued(place, 1);
    assert.ok(job?.data.kind === 'place-link');
    assert.equal(job.data.paymentIntentId, place.deposit);
    assert.doesNotMatch(JSON.stringify(job.data), /v1\./, 'the link is made when the letter is sent');
    assert.doesNotMatch(place.log.text(), /wilma|nobody/i);
  });

  test('gets it three times a day per address, which the answer does not reveal, and ten times per visitor', async (t) => {
    const place = await startOwnPage(t);
    for (let time = 1; time <= 4; time += 1) await ask(place, 'fred@example.org').expect(200);
    for (let time = 5; time <= 10; time += 1) await ask(place, `${time}@example.org`).expect(200);
    const searches = () => place.calls.filter((call) => call === 'GET /v1/customers').length;
    while (searches() < 9) await setImmediate();
    const { text } = await ask(place, 'wilma@example.org').expect(429);
    assert.match(text, /asked for several times/);
    assert.equal(searches(), 9);
  });

  test('gets nothing for an unpaid registration, or long after the retreat', async (t) => {
    const place = await startOwnPage(t);
    place.clock.now = linksEndAt(edition.facts);
    await ask(place, 'wilma@example.org').expect(200);
    while (!place.calls.includes('GET /v1/payment_intents')) await setImmediate();
    await setImmediate();
    assert.deepEqual(await jobsOf(place, 'place-link'), []);
  });

  test('gets it however many registrations were begun later with her address', async (t) => {
    const place = await startOwnPage(t);
    for (let count = 0; count < 11; count += 1)
      await place.stripe.customers.create({ email: 'wilma@example.org' });
    await ask(place, 'wilma@example.org').expect(200);
    assert.equal((await untilQueued(place, 1)).length, 1);
  });

  test('cannot be asked for from another site’s page', async (t) => {
    const { app, calls } = await startOwnPage(t);
    const form = request(app).post(ownPagePaths.link).set('Sec-Fetch-Site', 'cross-site').type('form');
    await form.send({ email: 'wilma@example.org' }).expect(403);
    assert.deepEqual(calls, []);
  });

  test('gets nothing while Stripe is away, which is logged without the address', async (t) => {
    let isAway = false;
    const place = await startOwnPage(t, {
      intercept: () => (isAway ? { kind: 'reset', carryOut: false } : undefined),
    });
    isAway = true;
    await ask(place, 'wilma@example.org').expect(200);
    await place.log.until('A link to her page could not be sent');
    assert.doesNotMatch(place.log.text(), /wilma/);
  });
});
