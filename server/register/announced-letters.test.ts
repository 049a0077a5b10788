import assert from 'node:assert/strict';
import { after, before, describe, type TestContext, test } from 'node:test';
import { announceRecordings, announceSchedule } from '#server/acts/announce.ts';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

const { calendar } = edition.facts;
const { recordings: from = '' } = edition.timetable.letters;
const READY = new Date(from);
const CHANGED = daysAfter(DUE, 3);
const url = 'https://videos.example.org/retreat';
const by = { by: 'Anna', 'dry-run': false };

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
  const recipients = (subject: RegExp) =>
    letters.mailServer.parsed
      .filter((mail) => subject.test(mail.subject ?? ''))
      .map(({ to }) => to?.[0]?.address ?? '')
      .toSorted();
  return { ...letters, recipients };
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
    const { at, context, moveTo, recipients, mailServer, register, payments, work, bullQueue } =
      await startAnnouncing(t);
    moveTo(CHANGED);
    const tried = await announceSchedule.run(context, edition, {}, { ...by, 'dry-run': true });
    assert.match(String(tried.says[0]), /3 people get a letter/);
    assert.deepEqual(await payments.readAnnouncements(edition), {});
    await announceSchedule.run(context, edition, {}, { ...by, seen: tried.seen });
    assert.deepEqual(await at(CHANGED), TO_ALL);
    assert.deepEqual(recipients(SCHEDULE), ALL);
    const mail = mailServer.parsed.find(({ subject = '' }) => SCHEDULE.test(subject));
    const [file] = mail?.attachments ?? [];
    assert.equal(file?.filename, calendar.fileName);
    assert.match(String(mail?.text).replaceAll('\u00a0', ' '), /replaces every earlier one/);
    await assert.rejects(announceSchedule.run(context, edition, {}, by), /was announced on .* by Anna/);
    moveTo(daysAfter(CHANGED, 1));
    await register({ email: 'late@example.org', consents: false });
    await at(daysAfter(CHANGED, 1));
    await work();
    assert.equal(await bullQueue.getJobCountByTypes('waiting', 'prioritized'), 0);
    assert.deepEqual(recipients(SCHEDULE), ALL);
  });

  test('R5.1 once each, even if all processes are killed after the press, or Redis loses everything', async (t) => {
    const { at, payments, moveTo, connection, recipients, work, sendAll } = await startAnnouncing(t);
    moveTo(CHANGED);
    const told = { revision: calendar.revision, at: CHANGED, by: 'Anna' };
    await payments.announce(edition, 'scheduleTold', told, {});
    await connection.flushall();
    await work();
    await connection.flushall();
    assert.deepEqual(await at(daysAfter(CHANGED, 1)), TO_ALL);
    await connection.flushall();
    await work();
    assert.deepEqual(await sendAll(), []);
    assert.deepEqual(recipients(SCHEDULE), ALL);
  });

  test('R5.1 the letter about the recordings reaches everybody who has paid everything, from its moment on, and only once', async (t) => {
    const { at, context, moveTo, recipients, register, mailServer, connection } = await startAnnouncing(t);
    moveTo(CHANGED);
    await register({ email: 'owing@example.org', consents: false });
    await announceRecordings.run(context, edition, { url }, by);
    await at(CHANGED);
    assert.deepEqual(recipients(RECORDINGS), []);
    await at(READY);
    assert.deepEqual(recipients(RECORDINGS), ALL);
    const mail = mailServer.parsed.find(({ subject = '' }) => RECORDINGS.test(subject));
    assert.doesNotMatch(`${mail?.text}${mail?.html}`, /videos\.example\.org/);
    assert.match(`${mail?.text}`, /\/place\//);
    await assert.rejects(announceRecordings.run(context, edition, { url }, by), /announced already/);
    moveTo(daysAfter(READY, 1));
    const again = await announceRecordings.run(context, edition, { url: `${url}/2` }, by);
    assert.match(JSON.stringify(again.says), /Nobody gets a letter.*One person still owes/);
    await connection.flushall();
    await at(daysAfter(READY, 1));
    assert.deepEqual(recipients(RECORDINGS), ALL);
  });

  test('R5.1 letters about a schedule that this release does not know yet wait for the later release', async (t) => {
    const { at, payments, moveTo, bullQueue, work, recipients } = await startAnnouncing(t);
    moveTo(CHANGED);
    const told = { revision: calendar.revision, at: CHANGED, by: 'Anna' };
    await payments.announce(edition, 'scheduleTold', told, {});
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
