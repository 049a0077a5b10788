import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import request from 'supertest';
import { sampleOffice } from '#scripts/product/environment.ts';
import { readAnnouncements } from '#server/letters/announcements.ts';
import { readMessages } from '#server/letters/messages.ts';
import { officePaths } from '#server/office/paths.ts';
import { clearBounce, recordBounce } from '#server/registration/registration.ts';
import { findMail } from '#server/testing/test-letters.ts';
import { REFUSED_FOR_GOOD } from '#server/testing/test-mailing.ts';
import { startOffice } from '#server/testing/test-office.ts';
import { failMail } from '#server/testing/test-queue.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';

const { calendar, id: EDITION } = edition.facts;
const SCHEDULE = officePaths.announce(EDITION, 'announce-schedule');
const RECORDINGS = officePaths.announce(EDITION, 'announce-recordings');
const url = 'https://videos.example.org/retreat';

/** The office, with a number of registrants in its list who have paid their deposits. */
async function startLetters(t: TestContext, count = 2) {
  const office = await startOffice(t);
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1)
    ids.push(await office.register({ email: `wilma-${number}@example.org` }));
  // What is found is recorded.
  const list = async () => void (await Promise.all(ids.map(office.find)));
  await list();
  return { ...office, ids, list, seeLetters: () => office.see(officePaths.letters) };
}

/** The rows of the table in a section, their cells separated by bars. */
const rowsIn = (document: Document, section: string) =>
  [...document.querySelectorAll(`section[aria-labelledby="${section}"] tbody tr`)].map((row) =>
    [...row.children].map((cell) => cell.textContent.replaceAll('\u00a0', ' ')).join(' | '),
  );
/** What the table of announcements says of one. */
const announced = (document: Document, name: string) =>
  [...document.querySelectorAll(`section[aria-labelledby="${EDITION}"] dl > div`)]
    .map(({ textContent }) => textContent.replaceAll('\u00a0', ' '))
    .find((row) => row.startsWith(name)) ?? '';
const written = (document: Document) =>
  [...document.querySelectorAll('.letter-written > p')].map((one) => one.textContent).join(' ');

describe('the office’s page of messages', () => {
  const { revision } = calendar;
  before(() => {
    calendar.revision = revision + 1;
  });
  after(() => {
    calendar.revision = revision;
  });

  test('R5.1 shows no retreat that nobody has registered for', async (t) => {
    const { seeLetters } = await startLetters(t, 0);
    const { status, text, document } = await seeLetters();
    assert.equal(status, 200);
    assert.match(text, /Nobody has registered for a retreat yet/);
    assert.match(text, /Nothing yet\. Messages go out automatically/);
    assert.equal(document.querySelectorAll('main tr').length, 0);
  });

  test('R5.1 shows the changed schedule, who gets it and the letter, and announces it by one press', async (t) => {
    const { seeLetters, previewAt, payments } = await startLetters(t);
    const schedule = ({ document }: { document: Document }) =>
      announced(document, 'A change of the schedule');
    assert.match(schedule(await seeLetters()), /See the message and announce it/);
    const shown = await previewAt(SCHEDULE);
    assert.match(shown.text, /2 people get a message, with the calendar file.*replaces any earlier one/s);
    assert.match(shown.text, /Dear \[first name\],.*Thursday, January 22.*HER-OWN-LINK/s);
    const done = await shown.confirm();
    assert.doesNotMatch(done.text, /HER-OWN-LINK/);
    assert.match(schedule(done.led ?? assert.fail()), /Revision 2, as Anna announced on/);
    const { scheduleTold } = await readAnnouncements(payments, edition);
    assert.deepEqual([scheduleTold?.revision, scheduleTold?.by], [calendar.revision, 'Anna']);
    const again = await shown.confirm();
    assert.match(again.text, /nothing was done\. Revision 2 of the schedule was announced/);
  });

  test('R5.1 asks for the address of the recordings, and sends no second letter for another one', async (t) => {
    const { previewAt, payments } = await startLetters(t);
    for (const wrong of ['', 'videos', 'http://videos.example.org', 'ftp://videos.example.org'])
      assert.match((await previewAt(RECORDINGS, { url: wrong })).text, /Please give an address/, wrong);
    const shown = await previewAt(RECORDINGS, { url });
    assert.match(shown.text, /Nobody gets a message, from Jan 27, 2026, 9:00 AM PST on/);
    const letter = shown.document.querySelector('.letter-reading .as-written')?.textContent ?? '';
    assert.match(letter, /Opening session \(video\)/);
    assert.doesNotMatch(letter, /videos\.example\.org|Group sessions/);
    await shown.confirm();
    assert.equal((await readAnnouncements(payments, edition)).recordings?.url, url);
    const other = await previewAt(RECORDINGS, { url: `${url}/2` });
    assert.match(other.text, /Those who have had the message already get none again/);
  });
});

test('R5.4 lists the letters that failed, with attempts and answer, and one press tries all of them again', async (t) => {
  const { seeLetters, app, ids, payments, mailQueue, redis, now, audited, previewAt } = await startLetters(t);
  assert.doesNotMatch((await seeLetters()).text, /failed/);
  const letters = await Promise.all(ids.map((id) => findMail(payments, id, 'welcome', now())));
  const found = letters.map((letter) => letter ?? assert.fail());
  for (const letter of found) {
    await mailQueue.add(letter);
    await failMail(redis, letter.id);
  }
  const { text, document } = await seeLetters();
  assert.match(text, /2 messages failed/);
  for (const row of rowsIn(document, 'failed'))
    assert.match(
      row,
      /^Wilma O’Hara \| Welcome \| The mail server of the address refused it for good.* 550 no such mailbox.*, after one try \| Try again now.*Dismiss/,
    );
  const section = document.querySelector('section[aria-labelledby=failed]');
  const hrefs = [...(section?.querySelectorAll('a') ?? [])].map((link) => link.getAttribute('href'));
  const retry = officePaths.letterAct(found[0]?.id ?? '', 'retry');
  for (const href of [retry, ...ids.map((id) => officePaths.registration(id))])
    assert.ok(hrefs.includes(href));
  assert.match((await previewAt(retry)).text, /“Welcome” will be tried again now/);
  const done = await request(app).post(officePaths.letters).expect(200);
  assert.match(
    done.text,
    /Done: Try all failed messages again.*2 failed and 0 delayed messages will be tried/,
  );
  assert.doesNotMatch((await seeLetters()).text, /messages failed/);
  assert.equal(await mailQueue.bullQueue.getFailedCount(), 0);
  assert.deepEqual(audited, ['Anna retry-all: done']);
  await redis.stop();
  assert.equal((await request(app).post(officePaths.letters)).status, 503);
});

test('shows what was sent last, and to whom, the newest first', async (t) => {
  const { seeLetters, ids, letterLog, payments, now } = await startLetters(t, 1);
  const [id = ''] = ids;
  const welcome = (await findMail(payments, id, 'welcome', now())) ?? assert.fail();
  for (let number = 1; number <= 51; number += 1) {
    const at = new Date(+now() + Math.floor(number / 2) * 60_000);
    const copy = await letterLog.oweAgain(welcome, { name: String(number) }, at);
    if (number === 51) await letterLog.dismiss(copy, at);
    else await letterLog.markSent(welcome, at, copy);
  }
  const newest = await seeLetters();
  const rows = rowsIn(newest.document, 'sent');
  assert.equal(rows.length, 50);
  assert.match(rows[0] ?? '', /^Wilma O’Hara \| Welcome \| Was dismissed, Dec 1, 2025/);
  assert.match(rows[1] ?? '', /^Wilma O’Hara \| Welcome \| Was sent, Dec 1, 2025/);
  assert.ok(newest.html.includes(officePaths.registration(id)));
});

const WRITE = officePaths.announce(EDITION, 'write');
const STOP = officePaths.announce(EDITION, 'stop-message');
const typed = {
  to: 'registered',
  subject: 'What to bring',
  text: 'Bring a pen, {first name}.\r\n\r\n{link}\r\n\r\nMore: https://example.org/pens.',
};

/** The office, with registrants who have paid their deposits and had their letters. */
async function startWritten(t: TestContext, names: readonly string[] = ['Wilma']) {
  const office = await startOffice(t);
  const ids: string[] = [];
  for (const firstName of names)
    ids.push(await office.register({ firstName, email: `${firstName.toLowerCase()}@example.org` }));
  await office.at(office.now());
  const post = (body: object) => request(office.app).post(WRITE).type('form').send(body);
  return { ...office, ids, post, seeLetters: () => office.see(officePaths.letters) };
}

/** The text of a letter without the links to the site and to her page, which differ. */
const plain = (text = '') =>
  text
    .replaceAll(/https?:\/\/(?:127|retreat)\S*/g, 'LINK')
    .replaceAll(/\s+/g, ' ')
    .trim();

describe('the office writes to many, on its pages', () => {
  test('R5.1 sees the letter that is sent, tries it out, and sends it by one press', async (t) => {
    const office = await startWritten(t);
    const { previewAt, post, mailServer, sendAll, payments, audited, seeLetters } = office;
    const shown = await previewAt(WRITE, typed);
    assert.match(shown.text, /One person gets this message, one each, within about a minute/);
    const read = shown.document.querySelector('.letter-reading .as-written')?.textContent ?? '';

    const tried = await post({ ...typed, step: 'try' }).expect(200);
    assert.match(tried.text, /A test is on its way to the office’s own address/);
    assert.deepEqual([await readMessages(payments, edition), await sendAll()], [[], ['message-test']]);
    const trial = mailServer.parsed.at(-1);
    const sentTo = [trial?.subject, trial?.to?.[0]?.address];
    assert.deepEqual(sentTo, ['Test: What to bring', sampleOffice.OFFICE_EMAIL]);
    assert.match(trial?.text ?? '', /Bring a pen, Wilma\./);

    const done = await shown.confirm();
    assert.match(done.text, /^Done: Write a message/);
    assert.match(written(done.led?.document ?? assert.fail()), /0 sent, 1 waiting\./);
    assert.deepEqual(audited, ['Anna write: tried', 'Anna write: done']);
    assert.deepEqual(await sendAll(), ['message']);
    const { subject, text, to } = mailServer.parsed.at(-1) ?? {};
    assert.deepEqual([subject, to?.[0]?.address], ['What to bring', 'wilma@example.org']);
    assert.equal(plain(text), plain(read));

    assert.match(written((await seeLetters()).document), /1 sent, 0 waiting\./);
  });

  test('is told what is wrong with the words, which stay', async (t) => {
    const { previewAt, payments } = await startWritten(t);
    const wrong = await previewAt(WRITE, { ...typed, to: 'everybody', subject: '', text: 'Dear {name}' });
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /“\{name\}” stands for nothing/);
    assert.match(wrong.text, /Please give a subject/);
    assert.match(wrong.text, /Please choose/);
    assert.equal(wrong.document.querySelector('textarea')?.textContent, 'Dear {name}');
    const nobody = await previewAt(WRITE, { ...typed, to: 'waived' });
    assert.match(nobody.text, /There is nobody among these people/);
    assert.deepEqual(await readMessages(payments, edition), []);
  });

  test('R5.1 sees whom it did not reach, stops it, and sends it to one once more', async (t) => {
    const office = await startWritten(t, ['Wilma', 'Olga', 'Frida', 'Greta']);
    const { previewAt, payments, mailServer, now, seeLetters, ids, letterLog, sendAll, find } = office;
    const [wilma = '', olga = ''] = ids;
    await (await previewAt(WRITE, typed)).confirm();
    const [{ message = '' } = {}] = await readMessages(payments, edition);
    mailServer.refuse(REFUSED_FOR_GOOD, (address) => address === 'olga@example.org');
    await sendAll();
    mailServer.refuse(undefined);
    await recordBounce(payments, { address: 'wilma@example.org', at: now() }, now());
    const page = await seeLetters();
    assert.match(written(page.document), /3 sent, 0 waiting\. Failed, 1: .* Came back, 1: /);
    const links = [...page.document.querySelectorAll('.letter-written p a')];
    const hrefs = links.map((link) => link.getAttribute('href'));
    assert.deepEqual(hrefs, [officePaths.registration(olga), officePaths.registration(wilma)]);

    const stop = await previewAt(STOP, { message });
    assert.match(stop.text, /One person has not had it, and will not get it/);
    const stopped = await stop.confirm();
    assert.match(stopped.led?.text ?? '', /Stopped by Anna on/);
    const { document } = stopped.led ?? assert.fail();
    assert.match(written(document), /3 sent, 0 waiting, 1 not sent\. Came back, 1/);
    assert.equal((await previewAt(STOP, { message })).status, 409);
    assert.deepEqual(await sendAll(), []);

    // Who has had it can get it again, although it was stopped.
    await clearBounce(payments, await find(wilma), 'Anna', now());
    const { id = '' } = (await letterLog.about(wilma)).find(({ kind }) => kind === 'message') ?? {};
    const again = await previewAt(officePaths.letterAct(id, 'resend'));
    assert.equal(again.button, 'Send “What to bring” again');
    await again.confirm();
    assert.deepEqual(await sendAll(), ['message']);
  });
});
