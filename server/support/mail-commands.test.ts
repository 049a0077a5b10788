import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { Worker } from 'bullmq';
import { letter } from '#scripts/world/letters.ts';
import { showPlaces } from '#server/acts/waiting-acts.ts';
import type { RegistrationRow } from '#server/database/schema.ts';
import { MAIL_QUEUE_NAME, type MailKind, mailJobId, type RegistrationMail } from '#server/mail/job.ts';
import { connectWorker, queueOn } from '#server/redis/connect-redis.ts';
import { createAdmission } from '#server/register/waiting-list.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { findAllDue, startCharges } from '#server/testing/test-charges.ts';
import { registration, testDatabase } from '#server/testing/test-database.ts';
import { limitPlaces } from '#server/testing/test-editions.ts';
import { type Support, startSupport } from '#server/testing/test-mailing.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { toldText } from './terminal-text.ts';

const ESCAPE = '\u001b[31m';
const BUSY = { responseCode: 451, message: 'Mailbox busy' };
const UNKNOWN = { responseCode: 550, message: 'No such mailbox' };

const sent = { ...letter('registration-received'), paymentIntentId: 'pi_sent' };
const failed = { ...letter('welcome'), paymentIntentId: 'pi_failed' };
const delayed = { ...letter('office-notice'), paymentIntentId: 'pi_delayed' };
const waiting = {
  ...letter('registration-received'),
  paymentIntentId: 'pi_waiting',
  email: `eve${ESCAPE}\u202e\u009b0m@example.org`,
};

/** A queue with a mail in each state. */
async function startWithMails(t: TestContext) {
  const support = await startSupport(t);
  const worker = support.startHastyWorker();
  await support.mailQueue.add(sent);
  await support.log.until('Mail sent');
  await worker.close();
  await support.failToSend(UNKNOWN, failed);
  await support.failToSend(BUSY, delayed);
  await support.mailQueue.add(waiting);
  return support;
}

describe('support’s command line, reading', () => {
  test('prints how many places of each retreat with limited places are taken', async (t) => {
    const { run } = await startSupport(t);
    assert.deepEqual(await run('places'), { code: 0, out: 'No retreat has a number of places.\n', err: '' });
    limitPlaces(t, 3);
    const { database } = await testDatabase(t);
    const { payments, now } = await startCharges(t);
    const admission = createAdmission({ database, payments, now });
    const told = async () => toldText(await showPlaces({ openAdmission: async () => admission }));
    const registered = (id: string, standing: RegistrationRow['standing']): RegistrationRow => ({
      ...registration(id),
      edition: facts.id,
      standing,
    });
    await database.write((transaction) =>
      transaction
        .insertInto('registrations')
        .values([registered('anna', 'taken'), registered('berta', 'open')])
        .execute(),
    );
    await admission.places.hold(facts, { registration: 'berta' });
    assert.match(
      await told(),
      / 3 +places in all\n +1 +paid\n +1 +held while somebody pays, for 30 minutes each\n +0 +offered .*\n +0 +waiting .*\n +1 +left/,
    );
  });

  test('R5.4 lists mails in a table: failed, waiting and sent ones, with attempts and reasons', async (t) => {
    const { run } = await startWithMails(t);
    const { code, out, err } = await run('list');
    assert.deepEqual([code, err], [0, '']);
    const [headings = '', ...rows] = out.trimEnd().split('\n');
    assert.deepEqual(headings.split(/ {2,}/), ['ID', 'KIND', 'TO', 'STATE', 'ATTEMPTS', 'WHEN', 'REASON']);
    const [first, second, third, fourth, , summary] = rows.map((row) => row.split(/ {2,}/));
    const moment = /^(next try )?\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/;
    assert.deepEqual(first?.slice(0, 5), [
      mailJobId(failed),
      'welcome',
      'wilma@example.org',
      'failed',
      '1/108',
    ]);
    assert.match(first?.[5] ?? '', moment);
    assert.match(first?.[6] ?? '', /550 No such mailbox/);
    assert.equal(second?.[0], mailJobId(waiting));
    assert.equal(second?.[4], '0/108');
    assert.deepEqual(third?.slice(0, 5), [
      mailJobId(delayed),
      'office-notice',
      'the office',
      'delayed',
      '1/108',
    ]);
    assert.match(third?.[5] ?? '', /^next try \d{4}/);
    assert.match(third?.[6] ?? '', /451 Mailbox busy/);
    assert.deepEqual(fourth?.slice(3, 5), ['sent', '1/108']);
    assert.deepEqual(summary, ['1 failed, 2 waiting, 1 sent']);
    assert.ok(!out.includes('\u001b'));
  });

  test('R5.4 lists mails in one state, up to a maximum, and says how many are not shown', async (t) => {
    const { run, mailQueue } = await startWithMails(t);
    await mailQueue.add({ ...waiting, paymentIntentId: 'pi_newer' });
    const asked = [['--failed'], ['--sent'], ['--waiting', '--limit', '1'], ['--failed', '--json']];
    const [onlyFailed, onlySent, oneWaiting, json] = await Promise.all(
      asked.map((words) => run('list', ...words)),
    );
    assert.match(onlyFailed?.out ?? '', /pi_failed[\s\S]*\n\n1 failed\n$/);
    assert.doesNotMatch(onlyFailed?.out ?? '', /pi_sent|pi_waiting|pi_delayed/);
    assert.match(onlySent?.out ?? '', /pi_sent[\s\S]*\n\n1 sent\n$/);
    assert.match(oneWaiting?.out ?? '', /pi_newer[\s\S]*\n\n3 waiting; 1 are shown, --limit shows more\n$/);
    assert.doesNotMatch(oneWaiting?.out ?? '', /pi_waiting|pi_delayed/);

    const job = await mailQueue.bullQueue.getJob(mailJobId(failed));
    assert.deepEqual(JSON.parse(json?.out ?? ''), {
      counts: { failed: 1, waiting: 3, sent: 1 },
      mails: [
        {
          id: mailJobId(failed),
          kind: 'welcome',
          paymentIntentId: 'pi_failed',
          to: 'wilma@example.org',
          state: 'failed',
          attemptsMade: 1,
          attemptsAllowed: 108,
          queuedAt: new Date(job?.timestamp ?? 0).toISOString(),
          nextTryAt: null,
          finishedAt: new Date(job?.finishedOn ?? 0).toISOString(),
          reason: job?.failedReason,
        },
      ],
    });
  });

  test('R5.4 shows all of one mail: to whom, about what, and what the server said at each attempt', async (t) => {
    const { run } = await startWithMails(t);
    const [text, json] = await Promise.all([
      run('show', mailJobId(failed)),
      run('show', mailJobId(failed), '--json'),
    ]);
    assert.equal(text.code, 0);
    for (const fact of [
      /^To +wilma@example\.org$/m,
      /^Payment +pi_failed$/m,
      /^State +failed$/m,
      /^Attempts +1 of 108$/m,
      /^Failed +\d{4}-/m,
      /^Errors of its attempts\n +1 {2}.*No such mailbox/m,
    ]) {
      assert.match(text.out, fact);
    }
    const shown = JSON.parse(json.out);
    assert.equal(shown.paymentIntentId, 'pi_failed');
    assert.equal(shown.errors.length, 1);
  });

  test('R5.4 prints no control characters that a visitor or a server wrote', async (t) => {
    const { run } = await startWithMails(t);
    const [name, reason, json] = await Promise.all([
      run('show', mailJobId(waiting)),
      run('show', mailJobId(failed)),
      run('show', mailJobId(waiting), '--json'),
    ]);
    assert.match(name.out, /^To +eve.*@example\.org$/m);
    assert.match(reason.out, /No such mailbox/);
    for (const { out } of [name, reason, json]) assert.doesNotMatch(out, /[^\P{C}\n]/u);
    assert.equal(JSON.parse(json.out).to, waiting.email);
  });
});

const received = letter('registration-received');
const welcome = letter('welcome');
const notice = letter('office-notice');
const HOUR_MS = 3_600_000;

/** A worker that takes the next mail and holds it until the test ends. */
async function holdNextMail(t: TestContext, { redis, log }: Support): Promise<void> {
  const connection = connectWorker(redis.url, log.logger);
  cleanUp(t, async () => connection.disconnect());
  const events = new EventEmitter();
  const taken = once(events, 'taken');
  const hold = () => {
    events.emit('taken');
    return once(events, 'released');
  };
  const worker = new Worker(MAIL_QUEUE_NAME, hold, queueOn(connection));
  cleanUp(t, async () => {
    events.emit('released');
    await worker.close();
  });
  await taken;
}

describe('support’s command line, retrying', () => {
  test('R5.4 retries a failed mail with all its attempts, and it arrives', async (t) => {
    const support = await startSupport(t);
    await support.failToSend(UNKNOWN, received);
    const id = mailJobId(received);
    const out = `${id} will be tried again now.\n`;
    assert.deepEqual(await support.run('retry', id), { code: 0, out, err: '' });
    const job = await support.mailQueue.bullQueue.getJob(id);
    assert.deepEqual([await support.jobState(id), job?.attemptsMade], ['waiting', 0]);
    const arrival = support.mailServer.nextMail();
    support.startHastyWorker();
    assert.equal((await arrival).to?.[0]?.address, 'wilma@example.org');
  });

  test('R5.4 brings a delayed mail forward', async (t) => {
    const support = await startSupport(t);
    await support.failToSend(BUSY, received);
    const id = mailJobId(received);
    assert.equal(await support.jobState(id), 'delayed');
    assert.equal((await support.run('retry', id)).code, 0);
    assert.equal(await support.jobState(id), 'waiting');
  });

  test('R5.4 retries all failed and delayed mails while the worker runs', async (t) => {
    const support = await startSupport(t);
    await support.failToSend(UNKNOWN, received, welcome);
    await support.failToSend(BUSY, notice);
    // Otherwise the worker may send it before the command looks.
    await (await support.mailQueue.bullQueue.getJob(mailJobId(notice)))?.changeDelay(HOUR_MS);
    support.startHastyWorker();
    const { code, out } = await support.run('retry', '--all');
    assert.deepEqual([code, out], [0, '2 failed and 1 delayed mails will be tried again now.\n']);
    await support.log.until('Mail sent', 3);
    assert.equal(support.mailServer.parsed.length, 3);
    assert.equal((await support.run('retry', '--all')).out.slice(0, 22), '0 failed and 0 delayed');
  });

  test('R5.4 does not retry a mail that was sent, is waiting, or is being sent', async (t) => {
    const support = await startSupport(t);
    const worker = support.startHastyWorker();
    await support.mailQueue.add(received);
    await support.log.until('Mail sent');
    await worker.close();
    await support.mailQueue.add(welcome);
    const [sent, waiting] = await Promise.all(
      [received, welcome].map((mail) => support.run('retry', mailJobId(mail))),
    );
    await holdNextMail(t, support);
    const [sending, dismissed] = await Promise.all([
      support.run('retry', mailJobId(welcome)),
      support.run('dismiss', mailJobId(welcome)),
    ]);
    assert.match(sent?.err ?? '', /was sent already; it can be sent once more\.$/m);
    assert.match(waiting?.err ?? '', /is waiting for its turn already\.$/m);
    assert.match(sending.err, /is being sent right now\.$/m);
    assert.match(dismissed.err, /is being sent right now\.$/m);
    for (const ended of [sent, waiting, sending, dismissed])
      assert.deepEqual([ended?.code, ended?.out], [4, '']);
  });
});

const RIGHT = 'wilma@correct.example';

/** Support, and somebody who has registered; none of her mails is queued yet. */
async function startWithRegistration(t: TestContext) {
  const support = await startSupport(t);
  const { id, letters } = await support.begin();
  const mail = (kind: MailKind): RegistrationMail => {
    const found = letters.find((letter) => letter.kind === kind);
    assert.ok(found);
    return found;
  };
  const pay = () => support.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
  return { ...support, id, received: mail('registration-received'), notice: mail('office-notice'), pay };
}

const addressees = ({ mailServer }: Support) => mailServer.parsed.map(({ to }) => to?.[0]?.address);

describe('support’s command line, sending again', () => {
  test('R5.4 sends a sent mail again as often as asked, to the same address', async (t) => {
    const support = await startWithRegistration(t);
    const { id, received } = support;
    await support.mailQueue.add(received);
    await support.sendAll();
    for (const number of [1, 2]) {
      const { code, out } = await support.run('resend', id, 'registration-received', '--by', 'Anna');
      const again = `${mailJobId(received)}-again-${number}`;
      assert.deepEqual([code, out], [0, `${again} will be sent to wilma@example.org once more.\n`]);
      await support.sendAll();
      assert.match((await support.run('show', again)).out, /^Sent again by {2,}Anna$/m);
    }
    await support.run('resend', id, 'registration-received', '--by', 'Anna');
    const third = `${mailJobId(received)}-again-3`;
    assert.equal((await support.run('dismiss', third)).code, 0);
    const { out: fourth } = await support.run('resend', id, 'registration-received', '--by', 'Anna');
    assert.match(fourth, /-again-4 will be sent/, 'after a dismissed copy');
    await support.sendAll();
    const unnamed = await support.run('resend', id, 'registration-received');
    assert.equal(unnamed.code, 2);
    assert.match(unnamed.err, /--by NAME must say who/);
    assert.deepEqual(
      addressees(support),
      Array.from({ length: 4 }, () => 'wilma@example.org'),
    );
  });

  test('R5.4 does not resend a mail that does not exist, was not sent, or is outdated', async (t) => {
    const support = await startWithRegistration(t);
    const { id } = support;
    await support.failToSend(UNKNOWN, support.received);
    const [failed, otherKind, otherIntent] = await Promise.all([
      support.run('resend', id, 'registration-received', '--by', 'Anna'),
      support.run('resend', id, 'welcome', '--by', 'Anna'),
      support.run('resend', 'pi', 'registration-received', '--by', 'Anna'),
    ]);
    assert.equal(failed.code, 4);
    assert.match(failed.err, /has not been sent yet \(it is failed\)\.$/m);
    assert.deepEqual(otherKind, {
      code: 3,
      out: '',
      err: `There is no welcome mail to send for ${id}: it no longer applies, messages to her come back, or there is no such payment.\n`,
    });
    assert.equal(otherIntent.code, 2);
    await support.pay();
    assert.equal((await support.run('resend', id, 'office-notice', '--by', 'Anna')).code, 3);
    assert.equal((await support.run('resend', id, 'welcome', '--by', 'Anna')).code, 0);
  });

  test('R5.4 sends a failed mail to a corrected address, and removes the mail to the old one', async (t) => {
    const support = await startWithRegistration(t);
    const { received } = support;
    await support.failToSend(UNKNOWN, received);
    const old = mailJobId(received);
    const next = mailJobId({ ...received, email: RIGHT });
    const { code, out, err } = await support.run('edit', old, '--email', ` ${RIGHT} `, '--by', 'Anna');
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, new RegExp(`^E-mail {2}wilma@example\\.org {2}→ {2}${RIGHT}$`, 'm'));
    assert.match(out, /^These mails are queued: .*\nRecorded for Anna\.$/m);
    assert.ok(out.includes(next), out);
    assert.equal(await support.jobState(old), 'unknown');
    await support.sendAll();
    assert.deepEqual(addressees(support).sort(), ['office@retreat.example', RIGHT]);
  });

  test('R5.4 corrects an address to which the mail was accepted and bounced later, paid or not', async (t) => {
    const support = await startWithRegistration(t);
    const { id, received, notice } = support;
    await support.mailQueue.add(received, notice);
    await support.sendAll();
    const { code } = await support.run('edit', mailJobId(received), '--email', RIGHT, '--by', 'Anna');
    assert.equal(code, 0);
    assert.equal((await support.stripe.paymentIntents.retrieve(id)).receipt_email, RIGHT);
    await support.sendAll();
    assert.deepEqual(addressees(support).slice(2).sort(), ['office@retreat.example', RIGHT]);
    assert.match(support.mailServer.parsed.map(({ subject }) => subject).join('\n'), /Changed details/);

    await support.pay();
    const paid = await support.run('edit', id, '--email', 'wilma@third.example', '--by', 'Anna');
    assert.match(paid.out, new RegExp(`welcome-${id}`));
    assert.doesNotMatch(paid.out, /registration-received|office-notice/);
    await support.sendAll();
    const letters = support.mailServer.parsed.slice(4);
    const subjects = letters.map(({ subject = '' }) => subject.split(' ')[0]);
    assert.deepEqual(subjects.sort(), ['Changed', 'Paid:', 'Welcome', 'Your']);
    const toOld = letters.filter(({ to }) => to?.[0]?.address === RIGHT);
    assert.deepEqual(
      toOld.map(({ subject = '' }) => subject.split(' ')[0]),
      ['Your'],
    );
  });

  test('R5.4 a correction is refused where there is nothing to correct', async (t) => {
    const support = await startWithRegistration(t);
    await support.mailQueue.add(support.received);
    const id = mailJobId(support.received);
    const [same, invalid, unknownMail, unknownPayment] = await Promise.all([
      support.run('edit', id, '--email', 'WILMA@example.org', '--by', 'Anna'),
      support.run('edit', id, '--email', 'wilma@', '--by', 'Anna'),
      support.run('edit', 'welcome-pi_9', '--email', 'new@example.org', '--by', 'Anna'),
      support.run('edit', 'pi_9', '--email', 'new@example.org', '--by', 'Anna'),
    ]);
    assert.equal(same.code, 0);
    assert.match(invalid.err, /^A valid email is required\.$/m);
    assert.match(unknownPayment.err, /^There is no registration pi_9\.$/m);
    assert.deepEqual(
      [invalid, unknownMail, unknownPayment].map(({ code }) => code),
      [2, 3, 3],
    );
    assert.equal(await support.jobState(id), 'waiting');
  });

  test('R5.4 a dismissed failed mail stays dismissed, but a corrected address gets it nevertheless', async (t) => {
    const support = await startWithRegistration(t);
    const { id, received, payments } = support;
    await support.failToSend(UNKNOWN, received);
    const { code, out } = await support.run('dismiss', mailJobId(received));
    assert.deepEqual([code, out], [0, `${mailJobId(received)} is dismissed: it will not be sent.\n`]);
    assert.equal(await support.jobState(mailJobId(received)), 'unknown');
    const due = async () =>
      (await findAllDue(support, new Date())).flatMap(({ letters }) => letters.map(({ kind }) => kind));
    assert.deepEqual(await due(), ['office-notice']);
    await payments.correctDetails({ id }, { email: RIGHT }, 'Anna', new Date());
    assert.deepEqual(await due(), ['registration-received', 'office-notice']);
  });
});
