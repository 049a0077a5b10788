import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import request from 'supertest';
import { sampleOffice } from '#scripts/product/environment.ts';
import { officePaths } from '#server/office/paths.ts';
import { REFUSED_FOR_GOOD } from '#server/testing/test-mailing.ts';
import { startOffice } from '#server/testing/test-office.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

const { id: EDITION } = edition.facts;
const WRITE = officePaths.announce(EDITION, 'write');
const STOP = officePaths.announce(EDITION, 'stop-message');
const typed = {
  to: 'registered',
  subject: 'What to bring',
  text: 'Bring a pen, {first name}.\r\n\r\n{link}\r\n\r\nMore: https://example.org/pens.',
};

/** The office, with registrants who have paid their deposits and had their letters. */
async function startLetters(t: TestContext, names: readonly string[] = ['Wilma']) {
  const office = await startOffice(t);
  const ids: string[] = [];
  for (const firstName of names)
    ids.push(await office.register({ firstName, email: `${firstName.toLowerCase()}@example.org` }));
  await office.at(office.now());
  const post = (body: object) => request(office.app).post(WRITE).type('form').send(body);
  return { ...office, ids, post, seeLetters: () => office.see(officePaths.letters) };
}

const rows = (document: Document): string[] =>
  [...document.querySelectorAll('.letter-written tr')].map((row) =>
    [...row.children].map((cell) => cell.textContent).join(' '),
  );
/** The text of a letter without the links to the site and to her page, which differ. */
const plain = (text = '') =>
  text
    .replaceAll(/https?:\/\/(?:127|retreat)\S*/g, 'LINK')
    .replaceAll(/\s+/g, ' ')
    .trim();

describe('the office writes to many, on its pages', () => {
  test('R5.1 sees the letter that is sent, tries it out, and sends it by one press', async (t) => {
    const office = await startLetters(t);
    const { previewAt, post, mailServer, sendAll, payments, audited, seeLetters, seeRegistration } = office;
    const shown = await previewAt(WRITE, typed);
    assert.equal(shown.status, 200);
    assert.match(shown.text, /ToRegistered: all who have a placeLetters1/);
    assert.match(shown.text, /One person gets this letter, one each, within about a minute/);
    assert.equal(shown.button, 'Send it to one person');
    const read = shown.document.querySelector('.letter-text')?.textContent ?? '';

    const asEmail = await post({ ...typed, step: 'letter' }).expect(200);
    assert.match(asEmail.headers['content-security-policy'] ?? '', /^sandbox; default-src 'none'/);
    assert.match(asEmail.text, /<h1[^>]*>What to bring<\/h1>.*href="https:\/\/example\.org\/pens"/s);

    const tried = await post({ ...typed, step: 'try' }).expect(200);
    assert.match(tried.text, /A test is on its way to the office’s own address/);
    assert.deepEqual([await payments.readMessages(edition), await sendAll()], [[], ['message-test']]);
    const trial = mailServer.parsed.at(-1);
    const sentTo = [trial?.subject, trial?.to?.[0]?.address];
    assert.deepEqual(sentTo, ['Test: What to bring', sampleOffice.OFFICE_EMAIL]);
    assert.match(trial?.text ?? '', /Bring a pen, Wilma\./);

    const done = await shown.confirm();
    assert.equal(done.status, 303);
    assert.match(done.led?.text ?? '', /Done: Write a letter/);
    assert.deepEqual(rows(done.led?.document ?? assert.fail()), ['Sent 0', 'Waiting 1']);
    assert.deepEqual(audited, ['Anna write: tried', 'Anna write: done']);
    const again = await shown.confirm();
    assert.deepEqual([again.status, /nobody is left/.test(again.text)], [409, true]);
    assert.deepEqual(await sendAll(), ['message']);
    const { subject, text, to } = mailServer.parsed.at(-1) ?? {};
    assert.deepEqual([subject, to?.[0]?.address], ['What to bring', 'wilma@example.org']);
    assert.equal(plain(text), plain(read));

    assert.deepEqual(rows((await seeLetters()).document), ['Sent 1', 'Waiting 0']);
    const about = await seeRegistration(office.ids[0] ?? '');
    assert.match(about.text, /What to bringTo wilma@example\.org\. Sent on/);
  });

  test('is told what is wrong with the words, which stay, and sees the list again where it has changed', async (t) => {
    const { previewAt, see, payments, register, find } = await startLetters(t);
    const wrong = await previewAt(WRITE, { ...typed, to: 'everybody', subject: '', text: 'Dear {name}' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /“\{name\}” stands for nothing/);
    assert.match(wrong.text, /Please give a subject/);
    assert.match(wrong.text, /Please choose/);
    assert.equal(wrong.document.querySelector('textarea')?.textContent, 'Dear {name}');
    const nobody = await previewAt(WRITE, { ...typed, to: 'waived' });
    assert.match(nobody.text, /There is nobody among these people/);
    const all = await previewAt(WRITE, { ...typed, to: 'all' });
    assert.match(all.text, /Who has not paid has no page: her button leads to the site/);
    assert.deepEqual(await payments.readMessages(edition), []);
    const chosen = async (query: string) =>
      (await see(`${WRITE}?${query}`)).document.querySelector('option[selected]')?.getAttribute('value');
    assert.deepEqual([await chosen('to=paid'), await chosen('to=nobody')], ['paid', 'registered']);

    const shown = await previewAt(WRITE, typed);
    await find(await register({ firstName: 'Olga', email: 'olga@example.org' }));
    const pressed = await shown.confirm();
    assert.equal(pressed.status, 409);
    assert.match(pressed.text, /Something has changed meanwhile.*Letters2/s);
    assert.deepEqual(await payments.readMessages(edition), []);
  });

  test('R5.1 sees whom it did not reach, stops it, and sends it to one once more', async (t) => {
    const office = await startLetters(t, ['Wilma', 'Olga', 'Frida', 'Greta']);
    const { previewAt, payments, mailServer, now, seeLetters, ids, preview, sendAll, find } = office;
    const [wilma = '', olga = ''] = ids;
    await (await previewAt(WRITE, typed)).confirm();
    const [{ message = '' } = {}] = await payments.readMessages(edition);
    mailServer.refuse(REFUSED_FOR_GOOD, (address) => address === 'olga@example.org');
    await sendAll();
    mailServer.refuse(undefined);
    const bounced = { type: 'bounce', permanent: true, address: 'wilma@example.org' } as const;
    await payments.recordBounce({ ...bounced, kind: 'message', at: now() }, now());
    const page = await seeLetters();
    assert.deepEqual(rows(page.document), ['Sent 3', 'Waiting 0', 'Failed 1', 'Came back 1']);
    const links = [...page.document.querySelectorAll('.letter-written p a')];
    assert.deepEqual(
      links.map((link) => [link.textContent, link.getAttribute('href')]),
      [
        ['Olga O’Hara', officePaths.registration(olga)],
        ['Wilma O’Hara', officePaths.registration(wilma)],
      ],
    );

    const stop = await previewAt(STOP, { message });
    assert.match(stop.text, /One person has not had it, and will not get it/);
    const stopped = await stop.confirm();
    assert.match(stopped.led?.text ?? '', /Stopped by Anna on/);
    assert.deepEqual(rows(stopped.led?.document ?? assert.fail()), [
      'Sent 3',
      'Waiting 0',
      'Came back 1',
      'Not sent 1',
    ]);
    assert.equal((await previewAt(STOP, { message })).status, 409);
    assert.deepEqual(await sendAll(), []);

    // Who has had it can get it again, although it was stopped.
    await payments.clearBounce(await find(wilma), 'Anna', now());
    const again = await preview(wilma, 'resend', { kind: `message-${message}` });
    assert.equal(again.button, 'Send “What to bring” again');
    await again.confirm();
    assert.deepEqual(await sendAll(), ['message']);
  });
});
