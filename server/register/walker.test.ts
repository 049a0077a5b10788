import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { queueOn } from '#server/redis/queue-on.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import {
  lastWalk,
  type Post,
  RECORDED,
  register,
  startPost,
  untilReceived,
} from '#server/testing/test-post.ts';
import { fill, makeRoom } from '#server/testing/test-redis.ts';
import { contactStep, submitContact } from '#server/testing/test-visitor.ts';
import { readLastWholeWalk } from './last-whole-walk.ts';
import { WALK_QUEUE_NAME } from './walk.ts';

const BEGUN = ['office-notice', 'registration-received'];
const PAID = ['office-paid', 'welcome'];

async function assertSent({ letterLog }: Post, id: string, kinds: readonly string[]): Promise<void> {
  const letters = (await letterLog.about(id)).filter(({ state }) => state !== 'dropped');
  assert.deepEqual(
    letters.map(({ kind, state }) => `${kind} ${state}`).sort(),
    kinds.map((kind) => `${kind} sent`),
  );
}

describe('the walk through the registrations', () => {
  test('R5.1 mails of a registration made while Redis was away are sent once it is back, and recorded', async (t) => {
    const post = await startPost(t, { redisRunning: false });
    const { id } = await register(post);
    post.startWorker();
    await post.redis.start();
    assert.deepEqual(await untilReceived(post, 2), ['<office-notice', '<registration-received']);
    await post.log.until(RECORDED, 2);
    await assertSent(post, id, BEGUN);
    assert.equal(post.mailServer.parsed.length, 2);
  });

  test('R5.1 a welcome whose webhook never came is sent nevertheless', async (t) => {
    const post = await startPost(t);
    const { id } = await register(post);
    await post.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    post.startWorker();
    assert.deepEqual(await untilReceived(post, 2), ['<office-paid', '<welcome']);
    await post.log.until(RECORDED, 2);
    await assertSent(post, id, PAID);
    assert.equal(post.mailServer.parsed.length, 2);
  });

  test('R5.1 Redis loses everything: what was sent is not sent again, what was not is sent', async (t) => {
    const post = await startPost(t);
    const { id } = await register(post);
    post.startWorker();
    await untilReceived(post, 2);
    await post.log.until(RECORDED, 2);
    await post.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    await post.connection.flushall();
    await post.redis.stop();
    await post.redis.start();
    assert.equal((await untilReceived(post, 4)).at(-1), '<welcome');
    await post.log.until(RECORDED, 4);
    await assertSent(post, id, [...BEGUN, ...PAID].sort());
    assert.equal(post.mailServer.parsed.length, 4);
  });

  test('R5.1 no letter is owed for a closed payment, another shop’s, or one made by hand', async (t) => {
    const post = await startPost(t, { redisRunning: false });
    const { id } = await register(post);
    await post.stripe.paymentIntents.cancel(id);
    const base = { amount: 72_100, currency: 'usd' };
    const { package: _, ...contact } = contactStep;
    await post.stripe.paymentIntents.create({ ...base, metadata: { ...contact, package: 'other' } });
    await post.stripe.paymentIntents.create({ ...base, metadata: contactStep });
    const due = [];
    for await (const found of post.payments.findAllDue(new Date(0), new Date(), () => false))
      due.push(...found.due);
    assert.deepEqual(due, []);
  });

  test('R5.1 a corrected address is owed its mail again', async (t) => {
    const post = await startPost(t);
    const { client_secret } = await register(post);
    post.startWorker();
    await untilReceived(post, 2);
    await post.log.until(RECORDED, 2);
    await post.redis.stop();
    const corrected = { email: 'right@example.org', paymentIntentClientSecret: client_secret };
    await submitContact(post.app, corrected).expect(200);
    await post.redis.start();
    await untilReceived(post, 4);
    const addressees = post.mailServer.parsed.flatMap(({ to }) => to?.map(({ address }) => address));
    assert.ok(addressees.includes('right@example.org'));
  });

  test('R5.1 Stripe away: the walk logs that and runs again', async (t) => {
    const post = await startPost(t);
    await post.sandbox.close();
    post.startWorker();
    await post.log.until('Registrations could not be looked through');
  });

  test('R5.1 Redis full: the walk logs that, and the time of its last success stays the same', async (t) => {
    const post = await startPost(t);
    assert.equal(await lastWalk(post), 0);
    post.startWorker();
    while ((await lastWalk(post)) === 0) await setImmediate();
    assert.ok(Math.abs(Date.now() / 1000 - (await lastWalk(post))) < 10);
    await fill(post.redis);
    await post.log.until('"msg":"Walker error"');
    assert.match(post.log.text(), /"level":"warn".*OOM command not allowed.*"msg":"Walker error"/);
  });

  test('R5.1 a worker that finds Redis full tries to schedule its walks until it can', async (t) => {
    const post = await startPost(t);
    await fill(post.redis);
    post.startWorker({ retryMs: 20 });
    await post.log.until('Walks could not be scheduled', 2);
    assert.equal(await lastWalk(post), 0);
    await makeRoom(post.redis);
    while ((await lastWalk(post)) === 0) await setImmediate();
  });

  test('R5.1 Redis loses everything without a disconnect: walks are scheduled again, starting with a full one', async (t) => {
    const post = await startPost(t);
    const { connection } = post.startWorker({ lookMs: 20 });
    while ((await lastWalk(post)) === 0) await setImmediate();
    await connection.flushall();
    const walks = new Queue(WALK_QUEUE_NAME, queueOn(connection));
    cleanUp(t, () => walks.close());
    while ((await walks.getJobSchedulersCount()) === 0) await setImmediate();
    while (!(await readLastWholeWalk(connection))) await setImmediate();
  });
});
