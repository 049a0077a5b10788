import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import request from 'supertest';
import { owedLetter } from '#server/letters/letter-kind.ts';
import { messageLetter } from '#server/letters/message.ts';
import { sendMessage } from '#server/letters/messages.ts';
import type { LetterName } from '#server/letters/table.ts';
import { findRegistration, linksEndAt } from '#server/registration/registration.ts';
import type { TestScope } from '#server/testing/clean-up.ts';
import { recordSent } from '#server/testing/test-charges.ts';
import { occupy, openTestDatabase } from '#server/testing/test-database.ts';
import { findMail } from '#server/testing/test-letters.ts';
import { startOwnPage, type TestOwnPage } from '#server/testing/test-own-page.ts';
import { failMail } from '#server/testing/test-queue.ts';
import { submitContact } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { ownPagePaths } from '#shared/own-page.ts';

const jobsOf = async ({ mailQueue }: TestOwnPage, kind: string) =>
  (await mailQueue.bullQueue.getJobs(['waiting', 'delayed', 'active'])).filter(({ name }) => name === kind);

describe('the letters on her page', () => {
  const markSent = async ({ payments, letterLog, registration, clock }: TestOwnPage, address?: string) => {
    const welcome = (await findMail(payments, registration, 'welcome', clock.now)) ?? assert.fail();
    const before = address ? owedLetter('welcome', registration, address) : {};
    await recordSent(letterLog, { ...welcome, ...before }, clock.now);
  };

  test('are also those that the office wrote, by subject, if they went to her', async (t) => {
    const ownPage = await startOwnPage(t);
    const { payments, letterLog, registration, clock, see } = ownPage;
    const cookie = await ownPage.enter();
    const ids = ['1111111111111111', '2222222222222222'];
    for (const message of ids) {
      const words = { message, subject: `<${message}>`, text: 'Bring a pen.' };
      const letter =
        messageLetter((await findRegistration(payments, registration)) ?? assert.fail(), words) ??
        assert.fail();
      const letters = message === ids[0] ? [letter] : [{ ...letter, subject: 'reg_other' }];
      const sent = { at: clock.now, by: 'Anna' };
      await sendMessage(payments, edition, { ...words, to: 'registered' }, letters, sent);
      if (message === ids[0]) await letterLog.markSent(letter, clock.now);
    }
    const { text } = await see(cookie).expect(200);
    assert.match(text, /&lt;1111111111111111&gt;/);
    assert.doesNotMatch(text, /2222222222222222/);
  });

  test('have a state: waiting, failed, sent', async (t) => {
    const ownPage = await startOwnPage(t);
    const { see, mailQueue } = ownPage;
    const cookie = await ownPage.enter();
    const statesShown = async () => {
      const { text } = await see(cookie).expect(200);
      return [...text.matchAll(/letter-state--(\w+)/g)].map(([, state]) => state);
    };
    assert.deepEqual(await statesShown(), ['waiting']);
    const mail = await findMail(ownPage.payments, ownPage.registration, 'welcome', ownPage.clock.now);
    assert.ok(mail);
    await mailQueue.add(mail);
    assert.deepEqual(await statesShown(), ['waiting']);
    const [job] = await jobsOf(ownPage, 'welcome');
    assert.ok(job?.id);
    await failMail(ownPage.redis, job.id);
    assert.deepEqual(await statesShown(), ['failed']);
    await job.retry('failed');
    await markSent(ownPage, 'else@example.org');
    assert.deepEqual(await statesShown(), ['sent', 'waiting'], 'it was sent to another address only');
    await markSent(ownPage);
    assert.deepEqual(await statesShown(), ['sent', 'sent']);
    await ownPage.redis.stop();
    assert.deepEqual(await statesShown(), ['sent', 'sent']);
  });
});

test('she opens what was sent to her, in its words', async (t) => {
  const ownPage = await startOwnPage(t);
  const { see, letterLog, payments, registration, clock } = ownPage;
  const cookie = await ownPage.enter();
  const find = async (kind: LetterName) =>
    (await findMail(payments, registration, kind, clock.now)) ?? assert.fail(kind);
  const [welcome, notice] = [await find('welcome'), await find('office-paid')];
  await letterLog.owe([welcome, notice], clock.now);
  for (const letter of [welcome, notice])
    await letterLog.markSent(letter, clock.now, letter.id, 'Your receipt\n------------\n\nFor <Wilma>');
  const open = (id: string) => see(cookie, `${ownPagePaths.letter}?id=${id}`);
  assert.match((await see(cookie).expect(200)).text, new RegExp(`href="/place/letter\\?id=${welcome.id}"`));
  const { text } = await open(welcome.id).expect(200);
  assert.match(text, /<h2>Your receipt<\/h2><p>For &lt;Wilma&gt;<\/p>/);
  // One to the office, and one that does not exist.
  for (const id of [notice.id, 'welcome-reg_other-ca3c381f']) await open(id).expect(303);
  await see('', `${ownPagePaths.letter}?id=${welcome.id}`).expect(/The way to your page/);
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
  /** A registrant whose payment the webhook has told. */
  const startPaid = async (t: TestScope) => {
    const ownPage = await startOwnPage(t);
    await ownPage.tell('payment_intent.succeeded', await ownPage.intent()).expect(200);
    ownPage.calls.length = 0;
    return ownPage;
  };

  test('gets the same answer for any address, before it is looked up in the register alone', async (t) => {
    const ownPage = await startPaid(t);
    const leave = await occupy(t, openTestDatabase(t, ownPage.databaseUrl));
    const pages = [];
    for (const email of ['wilma@example.org', 'WILMA@example.org', 'nobody@example.org', 'no address'])
      pages.push((await ask(ownPage, email).expect(200)).text);
    assert.equal(new Set(pages).size, 1);
    assert.deepEqual(await jobsOf(ownPage, 'place-link'), []);
    await leave();
    const [job] = await untilQueued(ownPage, 1);
    const [owed] = (await ownPage.letterLog.about(ownPage.registration)).filter(
      ({ kind }) => kind === 'place-link',
    );
    assert.equal(job?.id, owed?.id);
    assert.doesNotMatch(ownPage.log.text(), /wilma|nobody/i);
    assert.deepEqual(ownPage.calls, []);
  });

  test('gets it three times a day per address, which the answer does not reveal, and ten times per visitor', async (t) => {
    const ownPage = await startPaid(t);
    const { connection } = ownPage;
    /** How many links each address was sent. */
    const counted = async () => {
      const names = await connection.keys('limits:place-links-to-address:*');
      return names.length > 0 ? connection.mget(names) : [];
    };
    await ask(ownPage, 'nobody@example.org').expect(200);
    for (let time = 1; time <= 4; time += 1) {
      await ask(ownPage, 'wilma@example.org').expect(200);
      while (Number((await counted())[0] ?? 0) < Math.min(time, 3)) await setImmediate();
    }
    for (let time = 6; time <= 10; time += 1) await ask(ownPage, `${time}@example.org`).expect(200);
    const { text } = await ask(ownPage, 'wilma@example.org').expect(429).expect('Retry-After', '600');
    assert.match(text, /asked for several times/);
    assert.deepEqual(await counted(), ['3'], 'an address that nobody has leaves nothing');
  });

  test('gets nothing for an unpaid registration, or long after the retreat', async (t) => {
    const ownPage = await startPaid(t);
    await submitContact(ownPage.app, { email: 'unpaid@example.org' }, 'u'.repeat(32)).expect(200);
    await ask(ownPage, 'unpaid@example.org').expect(200);
    ownPage.clock.now = linksEndAt(edition.facts);
    await ask(ownPage, 'wilma@example.org').expect(200);
    ownPage.clock.now = new Date(linksEndAt(edition.facts).getTime() - 1);
    await ask(ownPage, 'wilma@example.org').expect(200);
    assert.equal((await untilQueued(ownPage, 1)).length, 1);
  });
});
