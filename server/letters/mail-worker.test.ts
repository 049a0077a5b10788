import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Metrics } from '#server/ops/metrics.ts';
import { withTimeout } from '#server/ops/work.ts';
import { HERSELF } from '#server/registration/registration.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { letter } from '#server/testing/sample-letters.ts';
import { wilma } from '#server/testing/sample-people.ts';
import { assertSaid } from '#server/testing/test-letters.ts';
import { startMailServer, startPost } from '#server/testing/test-mailing.ts';
import { hastyOutbox, openTestQueue, startTestWorker } from '#server/testing/test-queue.ts';
import { fill, testRedis } from '#server/testing/test-redis.ts';
import { BEGUN, type Changes, contactStep, recordWith } from '#server/testing/test-registrations.ts';
import { submitContact } from '#server/testing/test-site.ts';
import type { Outbox } from './mail-worker.ts';
import { MAIL_JOB_OPTIONS, MAIL_QUEUE_NAME, mailBackoffMs } from './queue.ts';
import { lettersAtOnce } from './table.ts';

const received = letter('registration-received');
const welcome = letter('welcome');
const HOUR_MS = 60 * 60 * 1000;

/** The real worker between a real Redis and a real mail server. */
async function startQueue(t: TestContext) {
  const redis = await testRedis(t);
  const mailServer = await startMailServer(t);
  const { queue, connection, log } = await openTestQueue(t, redis);
  await queue.bullQueue.waitUntilReady();
  const recorded: string[] = [];
  const outbox: Outbox = { ...hastyOutbox, markSent: async ({ kind }) => void recorded.push(kind) };
  const metrics = new Metrics();
  const startWorker = () => startTestWorker(t, { redis, mailServer, log, outbox, metrics }).worker;
  /** Queues a mail for a worker, which sends it to a mail server that does not answer yet. */
  const sendSlowly = async () => {
    const held = mailServer.hold();
    cleanUp(t, async () => held.release());
    const worker = startWorker();
    await queue.add(received);
    await held.reached;
    return { worker, release: held.release };
  };
  /** Queues a mail, and starts a worker; waits until the log says this. */
  const sendUntil = async (words: string) => {
    await queue.add(received);
    startWorker();
    await log.until(words);
  };
  const started = { startWorker, sendSlowly, sendUntil };
  return { ...started, redis, queue, connection, mailServer, log, outbox, recorded, metrics };
}

describe('the mail worker', () => {
  test('R5.1 R5.3 sends mails as HTML and plain text, from the office to the registrant', async (t) => {
    const { queue, mailServer, startWorker, log, metrics } = await startQueue(t);
    startWorker();
    for (const letter of [received, welcome]) {
      const arrived = mailServer.nextMail();
      await queue.add(letter);
      const { messageId, from, to, replyTo, text, html } = await arrived;
      assert.equal(messageId, `<${letter.id}@retreat.example>`);
      assert.deepEqual(from, { name: 'The Retreat', address: 'office@retreat.example' });
      const addresses = [to, replyTo].map((all) => all?.map(({ address }) => address));
      assert.deepEqual(addresses, [['wilma@example.org'], ['office@retreat.example']]);
      assert.match(text ?? '', /Dear Wilma,/);
      assert.match(html ?? '', />Dear <bdi>Wilma<\/bdi>,<\/p>/);
    }
    await log.until('Mail sent', 2);
    assert.match(await metrics.metrics(), /^mail_sent_total\{kind="welcome"\} 1$/m);
  });

  test('R5.1 a mail that is held back is not tried, and goes out once nothing holds it', async (t) => {
    const { queue, log, outbox, startWorker } = await startQueue(t);
    outbox.findDue = async () => 'held';
    startWorker();
    await queue.add(received);
    while ((await queue.bullQueue.getDelayedCount()) === 0) await setImmediate();
    const [job] = await queue.bullQueue.getDelayed();
    assert.equal(job?.attemptsMade, 0);
    outbox.findDue = hastyOutbox.findDue;
    await job.promote();
    await log.until('Mail sent');
    assert.doesNotMatch(log.text(), /"level":"(?:warn|error)"/);
  });

  test('R5.1 a refused login, which the operator can fix, and a temporary refusal are retried, and the mail arrives once', async (t) => {
    const { queue, mailServer, sendUntil, log } = await startQueue(t);
    const tryAgain = async () => (await queue.bullQueue.getJob(received.id))?.promote();
    mailServer.refuseSession({ responseCode: 535, message: 'Authentication failed' });
    await sendUntil('Mail failed and will be tried again');
    mailServer.refuseSession(undefined);
    mailServer.refuse({ responseCode: 451, message: 'Mailbox busy' });
    await tryAgain();
    await log.until('Mail failed and will be tried again', 2);
    mailServer.refuse(undefined);
    await tryAgain();
    await log.until('Mail sent');
    assert.equal(mailServer.parsed.length, 1);
  });

  test('R5.1 a permanent refusal is not retried, and keeps the server’s words', async (t) => {
    const { queue, mailServer, sendUntil, log, metrics } = await startQueue(t);
    mailServer.refuse({ responseCode: 550, message: '5.1.1 <wilma@example.org>: No such mailbox' });
    await sendUntil('Mail failed permanently');
    const failed = await queue.bullQueue.getJob(received.id);
    assert.equal(failed?.attemptsMade, 1);
    assert.match(failed?.failedReason ?? '', /No such mailbox/);
    for (const typed of [wilma.firstName, wilma.lastName, wilma.email, wilma.phoneNumber])
      assert.ok(!log.text().includes(typed), typed);
    const counted = /^mail_attempts_failed_total\{kind="registration-received",final="true"\} 1$/m;
    assert.match(await metrics.metrics(), counted);
  });

  test('R5.1 the retries last for three days at least, however much the random jitter shortens them', () => {
    const waits = Array.from({ length: MAIL_JOB_OPTIONS.attempts - 1 }, (_, made) => mailBackoffMs(made + 1));
    const totalMs = waits.reduce((sum, waitMs) => sum + waitMs, 0);
    assert.ok(totalMs >= 3 * 24 * HOUR_MS, `${totalMs / HOUR_MS} h`);
    assert.ok(Math.max(...waits) <= HOUR_MS && (waits[0] ?? 0) <= 5_000);
  });

  test('R5.1 a job of a letter that is not on record, or was sent already, sends nothing and stops no other', async (t) => {
    const { queue, mailServer, outbox, sendUntil, log } = await startQueue(t);
    outbox.findDue = async (id) => (id === welcome.id ? 'sent' : hastyOutbox.findDue(id));
    const names = ['welcome-reg_unknown-1', welcome.id];
    for (const jobId of names) await queue.bullQueue.add('welcome', null, { jobId });
    await sendUntil('Mail sent');
    await log.until('Mail sent', 2);
    assert.match(log.text(), /"job":"welcome-reg_unknown-1".*"msg":"Mail not sent: it is no longer due"/);
    assert.equal(mailServer.parsed.length, 1);
  });

  test('R5.1 ends without delay while Redis is away, also when it goes while a mail is in flight', async (t) => {
    const { redis, mailServer, sendSlowly, log } = await startQueue(t);
    const { worker: idle } = startTestWorker(t, { redis, mailServer, log });
    const { worker } = await sendSlowly();
    const closing = worker.close();
    await redis.stop();
    await withTimeout(closing, 2_000);
    await log.until('Redis is not available');
    await withTimeout(idle.close(), 2_000);
  });

  test('R5.1 a full Redis is logged as a warning', async (t) => {
    const { redis, startWorker, log } = await startQueue(t);
    startWorker();
    await fill(redis);
    await log.until('OOM command not allowed');
    assert.match(log.text(), /"level":"warn".*OOM command not allowed.*"msg":"Mail worker error"/);
  });

  test('R5.1 a mail whose lock is lost while it is sent is given up, and sent once by whoever holds it next', async (t) => {
    const { connection, mailServer, log, sendSlowly } = await startQueue(t);
    const { release } = await sendSlowly();
    await connection.del(`bull:${MAIL_QUEUE_NAME}:${received.id}:lock`);
    await log.until('Mails lost their lock');
    release();
    await log.until('Mail sent');
    assert.equal(mailServer.parsed.length, 1);
  });

  test('R5.1 a mail that Redis hands out again while it is in flight is sent once', async (t) => {
    const { queue, connection, mailServer, log, recorded, sendSlowly } = await startQueue(t);
    const { worker, release } = await sendSlowly();
    // As after a failover to a replica that has not seen how the job began.
    await connection.flushall();
    await queue.add(received);
    while ((await queue.bullQueue.getActiveCount()) === 0) await setImmediate();
    release();
    await log.until('Mail sent');
    await worker.close();
    assert.equal(mailServer.parsed.length, 1);
    assert.deepEqual(recorded, ['registration-received']);
  });

  test('R5.1 a sent mail that cannot be recorded is recorded as soon as that works, and not sent twice', async (t) => {
    const { log, outbox, recorded, sendUntil, mailServer } = await startQueue(t);
    let failures = 2;
    const { markSent } = outbox;
    outbox.markSent = async (...sent) => {
      failures -= 1;
      if (failures >= 0) throw new Error('The register is away');
      await markSent(...sent);
    };
    await sendUntil('Mail sent');
    assert.equal(log.text().split('A mail was sent, but that is not on record yet').length - 1, 2);
    assert.deepEqual(recorded, ['registration-received']);
    assert.equal(mailServer.parsed.length, 1);
  });
});

describe('letters are sent only while they are true', () => {
  test('R5.3 a registrant who has paid is not asked to pay, and the office is not told that she has not', async (t) => {
    const post = await startPost(t);
    const { clientSecret, pay } = await post.register();
    await pay();
    post.startWorker();
    assert.deepEqual(await post.untilSent(2), ['office-paid', 'welcome']);
    await post.log.until('it is no longer due', 2);
    const email = 'Wilma@example.org';
    await submitContact(post.app, { email, paymentIntentClientSecret: clientSecret }).expect(200);
    assert.equal(post.mailServer.parsed.length, 2);
  });

  test('R5.3 a letter to an address that was corrected goes to the new one only, and to the old one once it is corrected back', async (t) => {
    const post = await startPost(t);
    const { clientSecret } = await post.register();
    const correct = (email: string) =>
      submitContact(post.app, { email, paymentIntentClientSecret: clientSecret }).expect(200);
    const addressees = () => post.mailServer.parsed.map(({ to }) => to?.[0]?.address);
    await correct('right@example.org');
    post.startWorker();
    assert.deepEqual(await post.untilSent(2), ['office-notice', 'registration-received']);
    await post.log.until('it is no longer due');
    assert.deepEqual(addressees().sort(), ['office@retreat.example', 'right@example.org']);
    await correct(contactStep.email);
    while (!addressees().includes(contactStep.email)) await post.mailServer.nextMail();
  });

  test('a registrant who cancels before her welcome is sent gets it only once she has taken the cancellation back', () => {
    const cancel = { at: BEGUN, by: HERSELF, writtenAt: BEGUN };
    const kinds = (decisions: Changes['decisions'] = {}) =>
      lettersAtOnce(recordWith({ isUnwelcomed: true, decisions })).map(({ kind }) => kind);
    assert.deepEqual(kinds({ cancel }), ['office-paid']);
    const withdrawn = [{ kind: 'cancel', at: BEGUN, by: HERSELF }] as const;
    assert.deepEqual(kinds({ withdrawn: [...withdrawn] }).sort(), ['office-paid', 'welcome']);
  });

  test('R5.3 the office gets no notice when details change, and one with the last ones when the deposit is paid', () => {
    const changed = { ...wilma, phoneNumber: '+1 (555) 555-0199' };
    const [notice, paid] = [
      letter('office-notice', undefined, changed),
      letter('office-paid', undefined, changed),
    ];
    assert.deepEqual([notice.id, paid.id], [letter('office-notice').id, letter('office-paid').id]);
    assertSaid(paid, [changed.phoneNumber]);
  });
});
