import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { letter } from '#scripts/world/letters.ts';
import { decide } from '#server/acts/decide.ts';
import { lettersAtOnce } from '#server/letters/table.ts';
import { connectProducer } from '#server/redis/connect-redis.ts';
import { HERSELF } from '#server/registration/act-kinds.ts';
import type { Decision, Withdrawal } from '#server/registration/decisions.ts';
import { findRegistration } from '#server/registration/read-registration.ts';
import { withTimeout } from '#server/service/work.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { startMailServer, startPost } from '#server/testing/test-mailing.ts';
import { hastyOutbox, openTestQueue, startTestWorker } from '#server/testing/test-queue.ts';
import { fill, testRedis } from '#server/testing/test-redis.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { submitContact } from '#server/testing/test-site.ts';
import { MAIL_JOB_OPTIONS, MAIL_QUEUE_NAME, mailBackoffMs, mailJobId } from './job.ts';
import type { Outbox } from './worker.ts';

const received = letter('registration-received');
const welcome = letter('welcome');
const HOUR_MS = 60 * 60 * 1000;

/** The real worker between a real Redis and a real mail server. */
async function startQueue(t: TestContext) {
  const redis = await testRedis(t);
  const mailServer = await startMailServer(t);
  const { queue } = await openTestQueue(t, redis);
  await queue.bullQueue.waitUntilReady();
  const log = createTestLog();
  const recorded: string[] = [];
  const outbox: Outbox = {
    ...hastyOutbox,
    markSent: async ({ kind }) => void recorded.push(kind),
  };
  const metrics = new Registry();
  const startWorker = (perSecond?: number) =>
    startTestWorker(t, { redis, mailServer, log, outbox, metrics, ...(perSecond && { perSecond }) }).worker;
  return { redis, queue, mailServer, log, outbox, recorded, metrics, startWorker };
}

describe('the mail worker', () => {
  test('R5.1 R5.3 sends the two mails, as HTML and plain text, from the office to the registrant', async (t) => {
    const { queue, mailServer, startWorker } = await startQueue(t);
    startWorker();
    const first = mailServer.nextMail();
    await queue.add(received);
    const mail = await first;
    assert.deepEqual(mail.from, { name: 'The Retreat', address: 'office@retreat.example' });
    assert.deepEqual(
      mail.replyTo?.map(({ address }) => address),
      ['office@retreat.example'],
    );
    assert.deepEqual(
      mail.to?.map(({ address }) => address),
      ['wilma@example.org'],
    );
    assert.equal(mail.messageId, `<${mailJobId(received)}@retreat.example>`);
    assert.match(mail.text ?? '', /Dear Wilma,/);
    assert.match(mail.html ?? '', />Dear <bdi>Wilma<\/bdi>,<\/p>/);

    const second = mailServer.nextMail();
    await queue.add(welcome);
    const { text, messageId } = await second;
    assert.equal(messageId, `<${mailJobId(welcome)}@retreat.example>`);
    assert.match(text ?? '', /charged \$721 in US dollars/);
    assert.match(text ?? '', /\$726\.25/);
  });

  test('R5.1 a mail that is held back is not tried, and goes out once nothing holds it', async (t) => {
    const { redis, queue, mailServer, log } = await startQueue(t);
    let isHeld = true;
    const findDue = async (id: string) => (isHeld ? 'held' : hastyOutbox.findDue(id));
    startTestWorker(t, { redis, mailServer, log, outbox: { ...hastyOutbox, findDue } });
    await queue.add(received);
    while ((await queue.bullQueue.getDelayedCount()) === 0) await setImmediate();
    const [job] = await queue.bullQueue.getDelayed();
    assert.equal(job?.attemptsMade, 0);
    isHeld = false;
    const arrived = mailServer.nextMail();
    await job.promote();
    await arrived;
    assert.doesNotMatch(log.text(), /"level":"(?:warn|error)"/);
  });

  test('R5.1 a temporary refusal is retried, and the mail arrives once', async (t) => {
    const { queue, mailServer, startWorker, log } = await startQueue(t);
    mailServer.refuse({ responseCode: 451, message: 'Mailbox busy' });
    startWorker();
    await queue.add(received);
    await log.until('Mail failed and will be tried again');

    mailServer.refuse(undefined);
    const job = await queue.bullQueue.getJob(mailJobId(received));
    await job?.promote();
    await log.until('Mail sent');
    assert.equal(mailServer.parsed.length, 1);
  });

  test('R5.1 a permanent refusal is not retried, and keeps the server’s words', async (t) => {
    const { queue, mailServer, startWorker, log } = await startQueue(t);
    mailServer.refuse({ responseCode: 550, message: '5.1.1 <wilma@example.org>: No such mailbox' });
    startWorker();
    await queue.add(received);
    await log.until('Mail failed permanently');

    const failed = await queue.bullQueue.getJob(mailJobId(received));
    assert.equal(failed?.attemptsMade, 1);
    assert.match(failed?.failedReason ?? '', /No such mailbox/);
    const { firstName, lastName, email, phoneNumber } = received;
    for (const typed of [firstName, lastName, email, phoneNumber])
      assert.ok(!log.text().includes(typed), typed);
  });

  test('R5.1 the retries last for three days at least, however much the random jitter shortens them', () => {
    const waits = Array.from({ length: MAIL_JOB_OPTIONS.attempts - 1 }, (_, made) => mailBackoffMs(made + 1));
    const totalMs = waits.reduce((sum, waitMs) => sum + waitMs, 0);
    assert.ok(totalMs >= 3 * 24 * HOUR_MS, `${totalMs / HOUR_MS} h`);
    assert.ok(Math.max(...waits) <= HOUR_MS);
    assert.ok((waits[0] ?? 0) <= 5_000);
  });

  test('R5.1 a refused login is retried, however permanent it sounds: the operator can fix it', async (t) => {
    const { queue, mailServer, startWorker, log } = await startQueue(t);
    mailServer.refuseSession({ responseCode: 535, message: 'Authentication failed' });
    startWorker();
    await queue.add(received);
    await log.until('Mail failed and will be tried again');
  });

  test('R5.1 a job of a letter that the register does not know sends nothing and stops no other', async (t) => {
    const { queue, mailServer, startWorker, log } = await startQueue(t);
    await queue.bullQueue.add('welcome', null, { jobId: 'welcome-reg_unknown-1' });
    await queue.add(received);
    startWorker();
    await log.until('Mail sent');
    assert.match(log.text(), /"job":"welcome-reg_unknown-1".*"msg":"Mail not sent: it is no longer due"/);
    assert.equal(mailServer.parsed.length, 1);
  });

  test('R5.1 ends without delay while Redis is away', async (t) => {
    const { redis, startWorker, log } = await startQueue(t);
    const worker = startWorker();
    await log.until('Redis is connected');
    await redis.stop();
    await log.until('Redis is not available');
    await withTimeout(worker.close(), 2_000);
  });

  test('R5.1 ends without delay when Redis goes while a mail is in flight', async (t) => {
    const { redis, queue, mailServer, startWorker } = await startQueue(t);
    const held = mailServer.hold();
    cleanUp(t, async () => held.release());
    const worker = startWorker();
    await queue.add(received);
    await held.reached;
    const closing = worker.close();
    await redis.stop();
    await withTimeout(closing, 2_000);
  });

  test('R5.1 a full Redis is logged as a warning', async (t) => {
    const { redis, startWorker, log } = await startQueue(t);
    startWorker();
    await fill(redis);
    await log.until('OOM command not allowed');
    assert.match(log.text(), /"level":"warn".*OOM command not allowed.*"msg":"Mail worker error"/);
  });

  test('R5.1 a mail whose lock is lost while it is sent is given up, and sent once by whoever holds it next', async (t) => {
    const { redis, queue, mailServer, log, startWorker } = await startQueue(t);
    const held = mailServer.hold();
    startWorker();
    await queue.add(received);
    await held.reached;
    const connection = connectProducer(redis.url, log.logger);
    cleanUp(t, async () => connection.disconnect());
    await new Promise((resolve) => connection.once('ready', resolve));
    await connection.del(`bull:${MAIL_QUEUE_NAME}:${mailJobId(received)}:lock`);
    await log.until('Mails lost their lock');
    held.release();
    await log.until('Mail sent');
    assert.equal(mailServer.parsed.length, 1);
  });

  test('R5.1 a mail that Redis hands out again while it is in flight is sent once', async (t) => {
    const { redis, queue, mailServer, log, recorded, startWorker } = await startQueue(t);
    const held = mailServer.hold();
    const worker = startWorker();
    await queue.add(received);
    await held.reached;
    // As after a failover to a replica that has not seen how the job began.
    const connection = connectProducer(redis.url, log.logger);
    cleanUp(t, async () => connection.disconnect());
    await new Promise((resolve) => connection.once('ready', resolve));
    await connection.flushall();
    await queue.add(received);
    while ((await queue.bullQueue.getActiveCount()) === 0) await setImmediate();
    held.release();
    await log.until('Mail sent');
    await worker.close();
    assert.equal(mailServer.parsed.length, 1);
    assert.deepEqual(recorded, ['registration-received']);
  });

  test('R5.1 a sent mail that cannot be recorded is recorded as soon as that works, and not sent twice', async (t) => {
    const { queue, log, outbox, recorded, startWorker, mailServer } = await startQueue(t);
    let failures = 2;
    const { markSent } = outbox;
    outbox.markSent = async (...sent) => {
      failures -= 1;
      if (failures >= 0) throw new Error('The register is away');
      await markSent(...sent);
    };
    startWorker();
    await queue.add(received);
    await log.until('Mail sent');
    assert.equal(log.text().split('A mail was sent, but that is not on record yet').length - 1, 2);
    assert.deepEqual(recorded, ['registration-received']);
    assert.equal(mailServer.parsed.length, 1);
  });

  test('R5.1 a mail whose job begins once more after it was sent is not sent again', async (t) => {
    const { queue, log, outbox, startWorker, mailServer } = await startQueue(t);
    outbox.findDue = async () => 'sent';
    startWorker();
    await queue.add(received);
    await log.until('Mail sent');
    assert.equal(mailServer.parsed.length, 0);
  });

  test('R5.1 metrics count what was sent and what failed', async (t) => {
    const { queue, mailServer, log, metrics, startWorker } = await startQueue(t);
    startWorker();
    await queue.add(received);
    await log.until('Mail sent');
    mailServer.refuse({ responseCode: 550, message: 'No such mailbox' });
    await queue.add(welcome);
    await log.until('Mail failed permanently');
    const text = await metrics.metrics();
    assert.match(text, /^mail_sent_total\{kind="registration-received"\} 1$/m);
    assert.match(text, /^mail_attempts_failed_total\{kind="welcome",final="true"\} 1$/m);
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
    const corrected = { email: 'Wilma@example.org', paymentIntentClientSecret: clientSecret };
    await submitContact(post.app, corrected).expect(200);
    assert.equal(post.mailServer.parsed.length, 2);
  });

  test('R5.3 a letter to an address that was corrected meanwhile goes to the new one only', async (t) => {
    const post = await startPost(t);
    const { clientSecret } = await post.register();
    const corrected = { email: 'right@example.org', paymentIntentClientSecret: clientSecret };
    await submitContact(post.app, corrected).expect(200);
    post.startWorker();
    assert.deepEqual(await post.untilSent(2), ['office-notice', 'registration-received']);
    await post.log.until('it is no longer due');
    const addressees = post.mailServer.parsed.map(({ to }) => to?.[0]?.address);
    assert.deepEqual(addressees.sort(), ['office@retreat.example', 'right@example.org']);
    assert.match(post.mailServer.parsed.map(({ text }) => text).join('\n'), /right@example\.org/);
  });

  test('R5.3 an address that is corrected back gets the letter that was dropped', async (t) => {
    const post = await startPost(t);
    const { clientSecret } = await post.register();
    const edit = (email: string) =>
      submitContact(post.app, { email, paymentIntentClientSecret: clientSecret }).expect(200);
    await edit('wrong@example.org');
    post.startWorker();
    await post.log.until('it is no longer due');
    await edit(contactStep.email);
    while (!post.mailServer.parsed.some(({ to }) => to?.[0]?.address === contactStep.email)) {
      await post.mailServer.nextMail();
    }
  });

  test('a registrant who cancels before her welcome is sent gets it only once she has taken the cancellation back', async (t) => {
    const post = await startPost(t);
    const { id, pay } = await post.register();
    await pay();
    const at = new Date();
    const decideTo = async (decision: Decision<'cancel'> | Withdrawal) => {
      const record = await findRegistration(post.payments, id);
      assert.ok(record);
      await post.payments.ask(decide, record, 'cancel', decision);
    };
    const lettersNow = async () => {
      const record = (await findRegistration(post.payments, id)) ?? assert.fail();
      return lettersAtOnce(record).map(({ kind }) => kind);
    };
    await decideTo({ at, by: HERSELF, writtenAt: at });
    assert.deepEqual(await lettersNow(), ['office-paid']);
    await decideTo({ at, by: HERSELF, withdrawn: true });
    assert.deepEqual(await lettersNow(), ['welcome', 'office-paid']);
    post.startWorker();
    while (!post.mailServer.parsed.some(({ subject }) => subject?.startsWith('Welcome')))
      await post.mailServer.nextMail();
  });

  test('R5.3 the office gets no notice when details change, and one with the last ones when the deposit is paid', async (t) => {
    const post = await startPost(t);
    const { clientSecret, pay } = await post.register();
    post.startWorker();
    await post.untilSent(2);
    const changed = { phoneNumber: '+1 (555) 555-0199', paymentIntentClientSecret: clientSecret };
    for (let time = 0; time < 2; time += 1) await submitContact(post.app, changed).expect(200);
    await pay();
    await post.askForDueWork();
    await post.untilSent(4);
    const toOffice = post.mailServer.parsed.filter(({ to }) => to?.[0]?.address === 'office@retreat.example');
    const subjects = toOffice.map(({ subject = '' }) => subject.split(':')[0]);
    assert.deepEqual(subjects, ['Details received, not paid', 'Paid']);
    assert.match(toOffice[1]?.text ?? '', /555-0199/);
  });
});
