import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { JSDOM } from 'jsdom';
import request from 'supertest';
import { sampleUserLines } from '#scripts/product/environment.ts';
import { SUBJECT_LENGTH, TEXT_LENGTH } from '#server/letters/message.ts';
import { readMessages } from '#server/letters/messages.ts';
import { writeMessage } from '#server/office/commands/message-commands.ts';
import { cookiesOf, openTestOffice, SAME_ORIGIN, signIn } from '#server/testing/test-office.ts';
import { startRegistered } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { officePaths } from './paths.ts';

const writing = officePaths.announce(edition.facts.id, writeMessage.id);

/** Submits a form, by default without a session. */
const post = (office: Parameters<typeof signIn>[0], path: string, fields: object, cookie = '') =>
  request(office)
    .post(path)
    .set({ ...SAME_ORIGIN, Cookie: cookie })
    .type('form')
    .send(fields);

describe('what was typed before the sign-in', () => {
  async function startTyping(t: TestContext) {
    const site = await startRegistered(t, { env: { OPS_USERS: sampleUserLines() } });
    await site.pay();
    await site.find();
    let nowMs = Date.UTC(2027, 2, 8, 12);
    const office = openTestOffice(site, { time: () => new Date(nowMs) });
    const endSession = () => {
      nowMs += 3 * 60 * 60_000;
    };
    return { ...site, office, endSession };
  }
  const formIn = (html: string): Record<string, string> => {
    const { document, FormData } = new JSDOM(html).window;
    const form = document.querySelector<HTMLFormElement>('main form') ?? assert.fail(html);
    return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  };
  test('is in the form again once she has signed in, and done by another press only: 400 words, a wrong password first', async (t) => {
    const { office, log, payments, endSession } = await startTyping(t);
    const subject = 'Wednesday’s "news" <b>&';
    const paragraph = Array.from({ length: 100 }, (_, at) => `word${at}`).join(' ');
    const text = Array.from({ length: 4 }, () => paragraph).join('\n\n');
    const typed = { to: 'registered', subject, text };
    const { press } = await signIn(office, 'office');
    const preview = formIn((await press(writing, typed).expect(200)).text);
    endSession();
    const asked = await press(writing, { ...preview, step: 'confirm' }).expect(401);
    assert.match(asked.text, /You are no longer signed in, so nothing was done.*name="password"/s);
    assert.doesNotMatch(asked.text, new RegExp(preview.token ?? ''));
    const carried = formIn(asked.text);
    const wrong = await post(office, officePaths.signIn, {
      ...carried,
      name: 'office',
      password: 'guess',
      code: '123456',
    }).expect(401);
    assert.doesNotMatch(wrong.text, /guess|123456/);
    const again = formIn(wrong.text);
    const shown = await post(office, officePaths.signIn, { ...again, password: 'office' });
    assert.equal(shown.status, 200);
    assert.match(shown.text, /You signed in after you had opened this form, so nothing was done/);
    const { token, ...filled } = formIn(shown.text);
    assert.deepEqual(filled, typed);
    assert.deepEqual(await readMessages(payments, edition), []);
    const cookie = cookiesOf(shown);
    const seen = formIn((await post(office, writing, { token, ...filled }, cookie)).text);
    const done = await post(office, writing, { ...seen, step: 'confirm' }, cookie);
    assert.match(done.text, /<h1>Done: Write a message<\/h1>/);
    assert.equal((await readMessages(payments, edition))[0]?.text, text);
    assert.doesNotMatch(log.text(), /word1|Wednesday/);
  });

  test('is there again at its greatest length, in any script, and opens no page but the office’s', async (t) => {
    const { office } = await startTyping(t);
    const text = `${'会"'.repeat(TEXT_LENGTH / 2 - 1)}会\n`;
    const asked = await post(office, writing, { subject: '会'.repeat(SUBJECT_LENGTH), text });
    const carried = formIn(asked.text);
    const who = { name: 'office', password: 'office' };
    const shown = await post(office, officePaths.signIn, { ...carried, ...who }).expect(200);
    assert.equal(formIn(shown.text).text, text);
    for (const to of ['https://evil.example/office', '//evil.example', officePaths.signOut, '/metrics']) {
      const led = await post(office, officePaths.signIn, { ...carried, ...who, to }).expect(200);
      assert.match(led.text, /<h1>Today<\/h1>/, to);
    }
    for (const form of ['', 'no JSON', '{"text":{}}', 'null'])
      await post(office, officePaths.signIn, { ...who, to: writing, form })
        .expect(303)
        .expect('Location', /^\/office\/sign-in\?to=%2Foffice%2Fletters/);
  });
});
