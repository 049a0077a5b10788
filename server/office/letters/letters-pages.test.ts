import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { mailJobId } from '#server/mail/queued-job.ts';
import { officePaths } from '#server/office/paths.ts';
import { recordSent } from '#server/testing/test-charges.ts';
import { startOffice } from '#server/testing/test-office.ts';
import { failMail } from '#server/testing/test-queue.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

const { calendar, id: EDITION } = edition.facts;
const SCHEDULE = officePaths.announce(EDITION, 'announce-schedule');
const RECORDINGS = officePaths.announce(EDITION, 'announce-recordings');
const ROOM = officePaths.announce(EDITION, 'announce-room');
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

/** The number of letters in each state, as the page shows it. */
function counts(document: Document): string[] {
  return [...document.querySelectorAll('.letters-progress tr')].map((row) =>
    [...row.children].map((cell) => cell.textContent).join(' '),
  );
}

describe('the office’s page of the letters to everyone', () => {
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
    assert.equal(document.querySelectorAll('main h2').length, 0);
  });

  test('R5.1 shows the changed schedule, who gets it and the letter, and announces it by one press', async (t) => {
    const { seeLetters, previewAt, held, payments, audited, auditedFacts, see } = await startLetters(t);
    const page = await seeLetters();
    const stands = `Revision ${calendar.revision} of the schedule stands on the site, and has not been announced. 2 people`;
    assert.match(page.text, new RegExp(stands));
    const heldBefore = await held();
    // Nothing has to be typed: the page behind the link shows the letter at once.
    const links = [...page.document.querySelectorAll('main a')];
    const link = links.find(({ textContent }) => /announce it/.test(textContent));
    const opened = await see(link?.getAttribute('href') ?? '');
    assert.match(opened.text, /replaces every earlier one/);
    const shown = await previewAt(SCHEDULE);
    assert.match(shown.text, /2 people get a letter, with the calendar file/);
    assert.match(shown.text, /Dear \[first name\],/);
    assert.match(shown.text, /HER-OWN-LINK/);
    assert.match(shown.text, /Thursday, January 22/);
    assert.equal(shown.button, 'Announce it to everyone');
    assert.deepEqual(await held(), heldBefore);
    assert.deepEqual(await payments.readAnnouncements(edition), {});

    const done = await shown.confirm();
    assert.match(done.led?.text ?? '', /Done: Announce the new schedule/);
    assert.doesNotMatch(done.led?.text ?? '', /HER-OWN-LINK/);
    assert.match(done.led?.text ?? '', /was announced on .* by Anna/);
    const progress = counts(done.led?.document ?? assert.fail());
    assert.deepEqual(progress, ['Sent 0', 'On the queue 0', 'Not on the queue yet 2']);
    assert.deepEqual(audited, ['Anna announce-schedule: done']);
    assert.deepEqual(auditedFacts, [{ edition: EDITION, outcome: 'done' }]);
    const { scheduleTold } = await payments.readAnnouncements(edition);
    assert.deepEqual([scheduleTold?.revision, scheduleTold?.by], [calendar.revision, 'Anna']);
    const again = await shown.confirm();
    assert.equal(again.status, 409);
    assert.match(again.text, /This is not possible now, and nothing was done\. Revision 2 .* was announced/);
  });

  test('R5.1 counts the letters that were sent, are queued, are not queued yet, failed, and were dismissed', async (t) => {
    const { seeLetters, previewAt, payments, letterLog, redis, queue, ids, list, now, moveTo } =
      await startLetters(t, 5);
    await (await previewAt(SCHEDULE)).confirm();
    moveTo(new Date(now().getTime() + 1000));
    const letter = async (index: number) =>
      (await payments.findMail(ids[index] ?? '', 'schedule-changed', now())) ?? assert.fail();
    await recordSent(letterLog, await letter(0), now());
    await letterLog.owe([await letter(1)], now());
    await letterLog.dismiss(mailJobId(await letter(1)), now());
    await list();
    await queue.add(await letter(3));
    await failMail(redis, mailJobId(await letter(3)));
    await queue.add(await letter(2));
    const { document } = await seeLetters();
    const wanted = ['Sent 1', 'On the queue 1', 'Not on the queue yet 1', 'Failed 1', 'Dismissed 1'];
    assert.deepEqual(counts(document), wanted);
    const failed = document.querySelector('.letters-progress a')?.getAttribute('href');
    assert.equal(failed, `${officePaths.list}?edition=${EDITION}&show=letter-failed`);
  });

  test('R5.1 asks for the address of the recordings, and sends no second letter for another one', async (t) => {
    const { seeLetters, previewAt, payments, see } = await startLetters(t);
    assert.match((await seeLetters()).text, /Nobody has given their address yet/);
    for (const wrong of ['', 'videos', 'http://videos.example.org', 'ftp://videos.example.org'])
      assert.match((await previewAt(RECORDINGS, { url: wrong })).text, /Please give an address/, wrong);
    const shown = await previewAt(RECORDINGS, { url });
    assert.match(shown.text, /Nobody gets a letter, from Jan 27, 2026, 9:00 AM PST on/);
    assert.match(shown.text, /2 people still owe the balance/);
    const letter = shown.document.querySelector('.letter-text')?.textContent ?? '';
    assert.match(letter, /Opening session \(video\)/);
    assert.doesNotMatch(letter, /videos\.example\.org|Group sessions/);
    const { led } = await shown.confirm();
    assert.match(
      led?.text ?? '',
      /They are at https:\/\/videos\.example\.org\/retreat, as Anna announced on/,
    );
    assert.equal((await payments.readAnnouncements(edition)).recordings?.url, url);
    assert.equal((await shown.confirm()).status, 409);
    const form = await see(RECORDINGS);
    assert.equal(form.document.querySelector('input[name=url]')?.getAttribute('value'), url);
    const other = await previewAt(RECORDINGS, { url: `${url}/2` });
    assert.match(other.text, /Those who have had the letter already get none again/);
    assert.equal(other.button, 'Lead everyone to this address');
  });

  test('asks for the address of the video room, shows the next letter, and leads there by one press', async (t) => {
    const { seeLetters, previewAt, payments, see, moveTo } = await startLetters(t);
    assert.match((await seeLetters()).text, /The letters about the test session and the way in wait for it/);
    const need = /Say where the video room is: letters are to lead there/;
    assert.doesNotMatch((await see(officePaths.list)).text, need);
    moveTo(new Date(edition.timetable.letters.testSession));
    assert.match((await seeLetters()).text, need);
    assert.match((await see(officePaths.list)).text, need);
    const shown = await previewAt(ROOM, { url });
    assert.match(shown.text, /For the test session everybody’s page leads there now\./);
    assert.match(shown.text, /For the retreat .* from Jan 21, 2026, 6:00 AM PST on/);
    const letter = shown.document.querySelector('.letter-text')?.textContent ?? '';
    assert.match(letter, /Come and try the room/);
    assert.doesNotMatch(letter, /videos\.example\.org/);
    const { led } = await shown.confirm();
    assert.match(led?.text ?? '', /It is at https:\/\/videos\.example\.org\/retreat, as Anna announced on/);
    assert.equal((await payments.readAnnouncements(edition)).room?.url, url);
    assert.doesNotMatch((await see(officePaths.list)).text, need);
    const other = await previewAt(ROOM, { url: `${url}/2` });
    assert.match(other.text, /Those who have had a letter already get none again/);
  });

  test('R5.1 a press does nothing when somebody else announced meanwhile', async (t) => {
    const { previewAt, payments, now } = await startLetters(t);
    const shown = await previewAt(RECORDINGS, { url });
    const theirs = { url: `${url}/theirs`, at: now(), by: 'Berta' };
    await payments.announce(edition, 'recordings', theirs, {});
    const pressed = await shown.confirm();
    assert.equal(pressed.status, 409);
    assert.match(pressed.text, /Something has changed meanwhile. Nothing was done/);
    assert.deepEqual((await payments.readAnnouncements(edition)).recordings, theirs);
  });

  test('R5.1 says that it cannot tell while Redis is away, and answers 404 for an unknown retreat', async (t) => {
    const { see, seeLetters, redis, previewAt, payments } = await startLetters(t);
    const none = officePaths.announce('june-1999', 'announce-schedule');
    assert.equal((await see(none)).status, 404);
    assert.equal((await previewAt(none)).status, 404);
    assert.equal((await see(officePaths.announce(EDITION, 'nothing'))).status, 404);
    assert.deepEqual(await payments.readAnnouncements(edition), {});
    await redis.stop();
    const away = await seeLetters();
    assert.equal(away.status, 503);
    assert.match(away.text, /Nothing is lost/);
  });
});

test('R5.1 the first published schedule cannot be announced', async (t) => {
  const { seeLetters, see, previewAt } = await startLetters(t);
  const { text } = await seeLetters();
  assert.match(text, /The schedule is the one that was first published: nothing has changed/);
  assert.equal((await see(SCHEDULE)).status, 409);
  assert.equal((await previewAt(SCHEDULE, { step: 'confirm', seen: 'x' })).status, 409);
});
