import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { Worker } from 'bullmq';
import { letter } from '#scripts/world/letters.ts';
import { MAIL_QUEUE_NAME, mailJobId } from '#server/mail/job.ts';
import { connectWorker, queueOn } from '#server/redis/connect-redis.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { failToSend, type Support, startSupport, stateOf } from '#server/testing/test-mailing.ts';

const received = letter('registration-received');
const welcome = letter('welcome');
const notice = letter('office-notice');
const UNKNOWN = { responseCode: 550, message: 'No such mailbox' };
const BUSY = { responseCode: 451, message: 'Mailbox busy' };
const HOUR_MS = 3_600_000;

/** A worker that takes the next mail and holds it until the test ends. */
async function holdNextMail(t: TestContext, { redis, log }: Support): Promise<void> {
  const connection = connectWorker(redis.settings, log.logger);
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
    await failToSend(support, UNKNOWN, received);
    const id = mailJobId(received);
    const out = `${id} will be tried again now.\n`;
    assert.deepEqual(await support.run('retry', id), { code: 0, out, err: '' });
    const job = await support.queue.bullQueue.getJob(id);
    assert.deepEqual([await stateOf(support, id), job?.attemptsMade], ['waiting', 0]);
    const arrival = support.mailServer.nextMail();
    support.startHastyWorker();
    assert.equal((await arrival).to?.[0]?.address, 'wilma@example.org');
  });

  test('R5.4 brings a delayed mail forward', async (t) => {
    const support = await startSupport(t);
    await failToSend(support, BUSY, received);
    const id = mailJobId(received);
    assert.equal(await stateOf(support, id), 'delayed');
    assert.equal((await support.run('retry', id)).code, 0);
    assert.equal(await stateOf(support, id), 'waiting');
  });

  test('R5.4 retries all failed and delayed mails while the worker runs', async (t) => {
    const support = await startSupport(t);
    await failToSend(support, UNKNOWN, received, welcome);
    await failToSend(support, BUSY, notice);
    // Otherwise the worker may send it before the command looks.
    await (await support.queue.bullQueue.getJob(mailJobId(notice)))?.changeDelay(HOUR_MS);
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
    await support.queue.add(received);
    await support.log.until('Mail sent');
    await worker.close();
    await support.queue.add(welcome);
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
