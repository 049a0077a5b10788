import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import request from 'supertest';
import { linksEndAt } from '#server/links/own-page-links.ts';
import { recordAct } from '#server/testing/test-acts.ts';
import { registration } from '#server/testing/test-database.ts';
import { recordSent } from '#server/testing/test-letters.ts';
import { newsOf, startOwnPage, type TestOwnPage } from '#server/testing/test-own-page.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { ownPagePaths } from '#shared/own-page.ts';

const jobsOf = async ({ mailQueue }: TestOwnPage, kind: string) =>
  (await mailQueue.bullQueue.getJobs(['waiting', 'delayed', 'active'])).filter(({ name }) => name === kind);

describe('she has a letter sent again', () => {
  const again = (ownPage: TestOwnPage, cookie: string, kind = 'welcome') =>
    ownPage.press(cookie, ownPagePaths.letter, { kind }).expect(303);
  const markSent = async ({ payments, letterLog, deposit, clock }: TestOwnPage, changes = {}) => {
    const welcome = (await payments.findMail(deposit, 'welcome', clock.now)) ?? assert.fail();
    await recordSent(letterLog, { ...welcome, ...changes }, clock.now);
  };

  test('once for all presses within a minute, as a requested letter', async (t) => {
    const ownPage = await startOwnPage(t);
    const cookie = await ownPage.enter();
    await markSent(ownPage);
    assert.equal(newsOf(await again(ownPage, cookie)), 'letter-sent');
    assert.equal(newsOf(await again(ownPage, cookie)), 'letter-sent');
    const jobs = await jobsOf(ownPage, 'welcome');
    assert.ok(jobs.length === 1 || jobs.length === 2, 'a minute may end in between');
    const [job] = jobs;
    assert.match(job?.id ?? '', /^welcome-pi_\w+-[0-9a-f]{8}-again-[\d-]+$/);
  });

  test('three times a day', async (t) => {
    const ownPage = await startOwnPage(t);
    const cookie = await ownPage.enter();
    const told = [];
    for (let time = 1; time <= 4; time += 1) told.push(newsOf(await again(ownPage, cookie)));
    assert.deepEqual(told, ['letter-sent', 'letter-sent', 'letter-sent', 'too-many']);
    const { text } = await ownPage.see(`${cookie}; place-news=too-many`).expect(200);
    assert.match(text, /asked too often/);
  });

  test('but none that does not apply now, is not hers, or does not exist', async (t) => {
    const ownPage = await startOwnPage(t);
    const cookie = await ownPage.enter();
    for (const kind of ['balance-paid', 'balance-failed', 'balance-notice'])
      assert.equal(newsOf(await again(ownPage, cookie, kind)), 'changed');
    for (const kind of ['office-paid', 'registration-received', 'place-link', 'office-digest', ''])
      await ownPage.press(cookie, ownPagePaths.letter, { kind }).expect(400);
    const at = ownPage.clock.now;
    await recordAct(ownPage.database, ownPage.deposit, 'cancel', { at, writtenAt: at });
    assert.equal(newsOf(await again(ownPage, cookie)), 'changed');
    const { text } = await ownPage.press(cookie, ownPagePaths.letter, { kind: 'x' });
    assert.match(text, /^<!doctype html>/);
  });

  test('but not while Redis is away, and she sees that', async (t) => {
    const ownPage = await startOwnPage(t);
    const cookie = await ownPage.enter();
    await ownPage.redis.stop();
    assert.equal(newsOf(await again(ownPage, cookie)), 'letter-not-sent');
  });

  test('and the page shows its state: waiting, failed, sent', async (t) => {
    const ownPage = await startOwnPage(t);
    const { see, mailQueue } = ownPage;
    const cookie = await ownPage.enter();
    const stateShown = async () => /letter-state--(\w+)/.exec((await see(cookie).expect(200)).text)?.[1];
    assert.equal(await stateShown(), 'waiting');
    const mail = await ownPage.payments.findMail(ownPage.deposit, 'welcome', ownPage.clock.now);
    assert.ok(mail);
    await mailQueue.add(mail);
    assert.equal(await stateShown(), 'waiting');
    const [job] = await jobsOf(ownPage, 'welcome');
    assert.ok(job?.id);
    await ownPage.failMail(job.id);
    assert.equal(await stateShown(), 'failed');
    assert.equal(newsOf(await again(ownPage, cookie)), 'letter-sent');
    assert.equal(await job.getState(), 'waiting');
    await markSent(ownPage, { email: 'else@example.org' });
    assert.equal(await stateShown(), 'waiting', 'it was sent to another address only');
    await markSent(ownPage);
    assert.equal(await stateShown(), 'sent');
    await ownPage.redis.stop();
    assert.equal(await stateShown(), 'sent');
  });
});

describe('a registrant who lost the link', () => {
  const ask = ({ app }: TestOwnPage, email: string) =>
    request(app).post(ownPagePaths.link).set('Sec-Fetch-Site', 'same-origin').type('form').send({ email });
  /** Waits until this many letters with a link are on the queue. */
  const untilQueued = async (ownPage: TestOwnPage, count: number) => {
    for (;;) {
      const jobs = await jobsOf(ownPage, 'place-link');
      if (jobs.length >= count) return jobs;
      await setImmediate();
    }
  };

  test('gets the same answer for any address, before the address is looked up', async (t) => {
    const gate = new EventEmitter();
    let opened: Promise<undefined> | undefined;
    const ownPage = await startOwnPage(t, { intercept: () => opened });
    opened = once(gate, 'open').then(() => undefined);
    const pages = [];
    for (const email of ['wilma@example.org', 'WILMA@example.org', 'nobody@example.org', 'no address'])
      pages.push((await ask(ownPage, email).expect(200)).text);
    assert.equal(new Set(pages).size, 1);
    assert.deepEqual(await jobsOf(ownPage, 'place-link'), []);
    gate.emit('open');
    const [job] = await untilQueued(ownPage, 1);
    const [owed] = (await ownPage.letterLog.about(ownPage.deposit)).filter(
      ({ kind }) => kind === 'place-link',
    );
    assert.equal(job?.id, owed?.id);
    assert.doesNotMatch(ownPage.log.text(), /wilma|nobody/i);
  });

  test('gets it three times a day per address, which the answer does not reveal, and ten times per visitor', async (t) => {
    const ownPage = await startOwnPage(t);
    const searches = () =>
      ownPage.calls.filter((call) => call === `GET /v1/payment_intents/${ownPage.deposit}`).length;
    for (let time = 1; time <= 4; time += 1) {
      await ask(ownPage, 'wilma@example.org').expect(200);
      while (searches() < Math.min(time, 3)) await setImmediate();
    }
    for (let time = 5; time <= 10; time += 1) await ask(ownPage, `${time}@example.org`).expect(200);
    const { text } = await ask(ownPage, 'wilma@example.org').expect(429);
    assert.match(text, /asked for several times/);
    assert.equal(searches(), 3);
  });

  test('gets nothing for an unpaid registration, or long after the retreat', async (t) => {
    const ownPage = await startOwnPage(t);
    ownPage.clock.now = linksEndAt(edition.facts);
    await ask(ownPage, 'wilma@example.org').expect(200);
    while (!ownPage.calls.includes('GET /v1/payment_intents')) await setImmediate();
    await setImmediate();
    assert.deepEqual(await jobsOf(ownPage, 'place-link'), []);
  });

  test('gets it however many registrations were begun later with her address', async (t) => {
    const ownPage = await startOwnPage(t);
    await ownPage.tell('payment_intent.succeeded', await ownPage.intent()).expect(200);
    await ownPage.database.write(async (transaction) => {
      for (let count = 0; count < 30; count += 1)
        await transaction
          .insertInto('registrations')
          .values({
            ...registration(`later ${count}`),
            ...{ address: 'wilma@example.org', deposit: `pi_${count}`, begunAt: '2026-01-22T16:30:00.000Z' },
          })
          .execute();
    });
    await ask(ownPage, 'wilma@example.org').expect(200);
    assert.equal((await untilQueued(ownPage, 1)).length, 1);
  });

  test('cannot be asked for from another site’s page', async (t) => {
    const { app, calls } = await startOwnPage(t);
    const form = request(app).post(ownPagePaths.link).set('Sec-Fetch-Site', 'cross-site').type('form');
    await form.send({ email: 'wilma@example.org' }).expect(403);
    assert.deepEqual(calls, []);
  });

  test('gets nothing while Stripe is away, which is logged without the address', async (t) => {
    let isAway = false;
    const ownPage = await startOwnPage(t, {
      intercept: () => (isAway ? { kind: 'reset', carryOut: false } : undefined),
    });
    isAway = true;
    await ask(ownPage, 'wilma@example.org').expect(200);
    await ownPage.log.until('A link to her page could not be sent');
    assert.doesNotMatch(ownPage.log.text(), /wilma/);
  });
});
