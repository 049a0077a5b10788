import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { announce, readAnnouncements } from '#server/letters/announcements.ts';
import { type Decision, HERSELF, linkDigest } from '#server/registration/registration.ts';
import { decide } from '#server/stripe/decide.ts';
import { askForAddress, confirmAddress } from '#server/stripe/her-details.ts';
import { act } from '#server/support/act-command.ts';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';

const { calendar } = edition.facts;
const { recordings: from = '' } = edition.timetable.letters;
const READY = new Date(from);
const CHANGED = daysAfter(DUE, 3);
const url = 'https://videos.example.org/retreat';

/** Three registrants who have paid everything and got all earlier letters, and functions for the office to announce something. */
async function startAnnouncing(t: TestContext) {
  const letters = await startMailing(t);
  const ids: string[] = [];
  for (const name of ['wilma', 'olga', 'frida']) {
    const id = await letters.register({ email: `${name}@example.org` });
    await letters.tell(id);
    ids.push(id);
  }
  letters.moveTo(DUE);
  for (const id of ids) assert.equal((await letters.charge(id)).type, 'charged');
  await letters.at(DUE);
  const say = (kind: 'schedule' | 'recordings', fields: readonly string[] = [], isTried = false) =>
    act(letters.context, edition.facts.id, { kind: `announce-${kind}`, fields, by: 'Anna', isTried });
  const recipients = (subject: RegExp) =>
    letters.mailServer.parsed
      .filter((mail) => subject.test(mail.subject ?? ''))
      .map(({ to }) => to?.[0]?.address ?? '')
      .toSorted();
  return { ...letters, recipients, say };
}

const ALL = ['frida@example.org', 'olga@example.org', 'wilma@example.org'];
const TO_ALL = Array.from(ALL, () => 'schedule-changed');
const SCHEDULE = /^The schedule of .* has changed$/;
const RECORDINGS = /^The recordings of .* are ready$/;

describe('the letters about what the office announced, sent', () => {
  const { revision } = calendar;
  before(() => {
    calendar.revision = revision + 1;
  });
  after(() => {
    calendar.revision = revision;
  });

  test('R5.1 a change of the schedule reaches everybody who has paid by then, once, with the calendar file', async (t) => {
    const { at, say, moveTo, recipients, mailServer, register, payments, work, bullQueue } =
      await startAnnouncing(t);
    moveTo(CHANGED);
    assert.match(JSON.stringify(await say('schedule', [], true)), /3 people get a message/);
    assert.deepEqual(await readAnnouncements(payments, edition), {});
    await say('schedule');
    assert.deepEqual(await at(CHANGED), TO_ALL);
    assert.deepEqual(recipients(SCHEDULE), ALL);
    const mail = mailServer.parsed.find(({ subject = '' }) => SCHEDULE.test(subject));
    const files = mail?.attachments.map(({ filename }) => filename);
    assert.ok(files?.includes(calendar.fileName));
    assert.match(String(mail?.text).replaceAll('\u00a0', ' '), /replaces any earlier one/);
    await assert.rejects(say('schedule'), /was announced: nothing has changed since/);
    moveTo(daysAfter(CHANGED, 1));
    await register({ email: 'late@example.org', consents: false });
    await at(daysAfter(CHANGED, 1));
    await work();
    assert.equal(await bullQueue.getJobCountByTypes('waiting', 'prioritized'), 0);
    assert.deepEqual(recipients(SCHEDULE), ALL);
  });

  test('R5.1 the letter about the recordings reaches everybody who has paid everything, from its moment on, and only once', async (t) => {
    const { at, say, moveTo, recipients, register, mailServer, connection } = await startAnnouncing(t);
    moveTo(CHANGED);
    await register({ email: 'owing@example.org', consents: false });
    await say('recordings', [`url=${url}`]);
    await at(CHANGED);
    assert.deepEqual(recipients(RECORDINGS), []);
    await at(READY);
    assert.deepEqual(recipients(RECORDINGS), ALL);
    const mail = mailServer.parsed.find(({ subject = '' }) => RECORDINGS.test(subject));
    assert.doesNotMatch(`${mail?.text}${mail?.html}`, /videos\.example\.org/);
    assert.match(`${mail?.text}`, /\/place\//);
    await assert.rejects(say('recordings', [`url=${url}`]), /announced already/);
    moveTo(daysAfter(READY, 1));
    const again = await say('recordings', [`url=${url}/2`]);
    assert.match(JSON.stringify(again), /Nobody gets a message.*One person still owes/);
    await connection.flushall();
    await at(daysAfter(READY, 1));
    assert.deepEqual(recipients(RECORDINGS), ALL);
  });

  test('R5.1 letters about a schedule that this release does not know yet wait for the later release', async (t) => {
    const { at, payments, moveTo, bullQueue, work, recipients } = await startAnnouncing(t);
    moveTo(CHANGED);
    const told = { revision: calendar.revision, at: CHANGED, by: 'Anna' };
    await announce(payments, edition, 'scheduleTold', told, {});
    await work();
    assert.equal(await bullQueue.getPrioritizedCount(), 3);
    calendar.revision -= 1;
    try {
      assert.deepEqual(await at(CHANGED), []);
      assert.equal(await bullQueue.getDelayedCount(), 3);
    } finally {
      calendar.revision += 1;
    }
    await at(CHANGED);
    assert.deepEqual(recipients(SCHEDULE), ALL);
  });
});

const HOUR = 1 / 24;

/** A registrant who has paid both, and functions for what she does on her page. */
async function startSettled(t: TestContext) {
  const letters = await startMailing(t);
  const { payments, find, now } = letters;
  const id = await letters.register();
  await letters.tell(id);
  assert.deepEqual(await letters.at(DUE), ['balance-paid', 'office-paid', 'welcome']);
  const cancel = async () => {
    const decision: Decision<'cancel'> = { at: now(), by: HERSELF, writtenAt: now(), onPage: true };
    await payments.ask(decide, await find(id), 'cancel', decision);
  };
  const undo = async () =>
    payments.ask(decide, await find(id), 'cancel', { at: now(), by: HERSELF, withdrawn: true });
  return { ...letters, id, cancel, undo };
}

describe('the letters about cancelling, sent', () => {
  test('that her place is kept, instead of letters about the cancellation that were not sent yet', async (t) => {
    const { at, cancel, undo, work, moveTo } = await startSettled(t);
    await cancel();
    await work();
    moveTo(daysAfter(DUE, HOUR));
    await undo();
    assert.deepEqual(await at(daysAfter(DUE, HOUR)), ['cancel-undone', 'office-cancel']);
    moveTo(daysAfter(DUE, 2 * HOUR));
    await cancel();
    assert.deepEqual(await at(daysAfter(DUE, 2 * HOUR)), ['cancel-received', 'office-cancel']);
  });
});

describe('the letters about an address, sent', () => {
  test('to the address that she asked for last, with a link for that address only, and not once it is hers', async (t) => {
    const { at, payments, find, id, now, work, moveTo, sendAll, mailServer } = await startSettled(t);
    await askForAddress(payments, await find(id), 'first@example.org', now());
    await work();
    moveTo(daysAfter(DUE, HOUR));
    const asked = { to: 'second@example.org', at: now() };
    await askForAddress(payments, await find(id), asked.to, asked.at);
    assert.deepEqual(await sendAll(), []);
    assert.deepEqual(await at(now()), ['confirm-address']);
    const mail = mailServer.parsed.at(-1);
    assert.equal(mail?.to?.[0]?.address, asked.to);
    assert.match(mail?.text ?? '', new RegExp(`\\.confirm-${linkDigest(asked.to, asked.at)}\\.`));
    await payments.ask(confirmAddress, await find(id), asked.to, now());
    const sent = await at(now());
    assert.ok(!sent.includes('confirm-address') && sent.includes('address-changed'), sent.join());
    const told = mailServer.parsed.find(({ subject }) => subject?.startsWith('Your e-mails go'));
    assert.equal(told?.to?.[0]?.address, 'wilma@example.org');
    assert.doesNotMatch(told?.text ?? '', /second@example/);
  });
});

const { facts, timetable } = edition;
const { testSession, wayIn } = timetable.letters;
const NOTICE = new Date(facts.balance.noticeAt);
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ROOM = 'https://video.example/room';

describe('the letters during the retreat, sent', () => {
  test('once the office has said where the room is; without it the office is told, and an hour before letters go out', async (t) => {
    const { register, at, payments, mailServer, now } = await startMailing(t);
    await register();
    for (const moment of [NOTICE, DUE]) await at(moment);
    const weekBefore = new Date(Date.parse(testSession) - 7 * DAY_MS);
    assert.deepEqual(await at(new Date(weekBefore.getTime() - 2 * DAY_MS)), []);
    assert.deepEqual(await at(new Date(weekBefore.getTime() + DAY_MS / 4)), ['office-digest']);
    const digest = mailServer.parsed.at(-1)?.text ?? '';
    assert.match(digest, /The address of the video room is missing/);
    assert.match(digest, /support act january-2026 announce-room url=URL --by NAME/);
    assert.deepEqual(await at(new Date(testSession)), []);
    const hourBefore = new Date(Date.parse(timetable.testSession.startsAt) - 60 * MINUTE_MS);
    assert.ok(!(await at(new Date(hourBefore.getTime() - MINUTE_MS))).includes('test-session'));
    assert.deepEqual(await at(hourBefore), ['test-session']);
    assert.match(mailServer.parsed.at(-1)?.text ?? '', /It is not there yet/);
    const [eve] = wayIn;
    await at(new Date(eve?.at ?? ''));
    await announce(payments, edition, 'room', { url: ROOM, at: now(), by: 'Anna' }, {});
    assert.deepEqual(await at(now()), ['way-in'], 'it has waited for the room');
    assert.match(mailServer.parsed.at(-1)?.text ?? '', /leads to the room/);
  });
});
