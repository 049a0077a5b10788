import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { ApiError } from '#scripts/stripe-sandbox/sandbox.ts';
import { letter } from '#scripts/world/letters.ts';
import { addFoundMetrics } from '#server/ops/walk-metrics.ts';
import { intentDetailsOf } from '#server/payments/deposit.ts';
import { personColumns } from '#server/payments/registrations.ts';
import { queueOn } from '#server/redis/queue-on.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { registration } from '#server/testing/test-database.ts';
import { recordSent } from '#server/testing/test-letters.ts';
import {
  askForWalk,
  lastWalk,
  RECORDED,
  register,
  registerOf,
  startPost,
  untilReceived,
} from '#server/testing/test-post.ts';
import { contactStep, submitContact } from '#server/testing/test-visitor.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { WALK_NOW, WALK_QUEUE_NAME } from './walk.ts';

describe('the walk at Stripe', () => {
  test('a page that fails is requested again, and nothing of it is lost', async (t) => {
    let failures = 2;
    const post = await startPost(t, {
      redisRunning: false,
      intercept: ({ method, path }) => {
        if (method !== 'GET' || path !== '/v1/payment_intents' || failures === 0) return undefined;
        failures -= 1;
        return { kind: 'rate-limit' };
      },
    });
    for (let count = 0; count < 101; count += 1) {
      const { id } = await post.stripe.paymentIntents.create({
        ...intentDetailsOf({ contact: contactStep, facts: edition.facts }, `registration ${count}`),
        currency: 'usd',
      });
      const row = {
        ...registration(`registration ${count}`),
        ...personColumns({ ...contactStep, timeZone: '' }),
      };
      await post.database.write((transaction) =>
        transaction
          .insertInto('registrations')
          .values({ ...row, deposit: id })
          .execute(),
      );
    }
    let letters = 0;
    for await (const { due } of post.payments.findAllDue(new Date(0), new Date(), () => false)) {
      letters += due.length;
    }
    // Each owes one to her and one to the office.
    assert.deepEqual([letters, failures], [2 * 101, 0]);
  });

  test('however often Redis comes back, only one requested walk waits', async (t) => {
    const post = await startPost(t);
    const register = registerOf(async function* () {
      await new Promise(() => {});
      yield* [];
    });
    const { connection } = post.startWorker({ register });
    for (let time = 0; time < 6; time += 1) {
      await post.redis.stop();
      // Not by `once` of node:events: it fails at the first `error`, which is expected while Redis is away.
      const ready = new Promise((resolve) => connection.once('ready', resolve));
      await post.redis.start();
      await ready;
    }
    const observer = new Redis(post.redis.url);
    cleanUp(t, async () => observer.disconnect());
    const walks = new Queue(WALK_QUEUE_NAME, queueOn(observer));
    while ((await walks.getJobSchedulersCount()) === 0) await setImmediate();
    const waiting = (await walks.getWaiting()).filter(({ name }) => name === WALK_NOW);
    assert.ok(waiting.length <= 1, `${waiting.length} requested walks wait`);
    // The scheduled walk, the next scheduled one, and the requested one.
    assert.ok((await walks.getJobCountByTypes('waiting', 'active', 'delayed')) <= 3);
  });

  test('jobs of mails sent more than thirty days ago are deleted, as the privacy text says', async (t) => {
    const post = await startPost(t);
    await register(post);
    post.startWorker();
    await untilReceived(post, 2);
    await post.log.until(RECORDED, 2);
    const { bullQueue } = post.mailQueue;
    const [old, young] = await bullQueue.getCompleted();
    assert.ok(old?.id && young?.id);
    const longAgo = Date.now() - 31 * 24 * 60 * 60 * 1000;
    await post.connection.zadd(bullQueue.toKey('completed'), longAgo, old.id);
    await askForWalk(post);
    while ((await bullQueue.getJobState(old.id)) !== 'unknown') await setImmediate();
    assert.equal(await bullQueue.getJobState(young.id), 'completed');
  });

  test('a payment for which nobody can be welcomed is reported until somebody has looked at it', async (t) => {
    const post = await startPost(t);
    const { id } = await register(post);
    await post.stripe.paymentIntents.update(id, { amount: 100 });
    await post.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    const { walker } = post.startWorker();
    addFoundMetrics(post.metrics, walker);
    await post.log.until('"attention":1');
    while ((await lastWalk(post)) === 0) await setImmediate();
    assert.match(post.log.text(), new RegExp(`"level":"error".*${id}.*needs a person to look at it`));
    assert.match(await post.metrics.metrics(), /^payments_needing_attention 1$/m);

    await post.payments.markLookedAt(id, 'Anna', new Date());
    await askForWalk(post);
    while (!/^payments_needing_attention 0$/m.test(await post.metrics.metrics())) await setImmediate();
  });

  test('payments of an unknown edition need no person once their registrants were welcomed', async (t) => {
    const post = await startPost(t, { redisRunning: false });
    const { payments } = post;
    const pay = async (metadata: Record<string, string>) => {
      const intent = await post.stripe.paymentIntents.create({
        amount: 72_100,
        currency: 'usd',
        metadata: { site: 'online-retreat', kind: 'deposit', amount: '72100', ...metadata },
      });
      return post.stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
    };
    const before = { edition: 'january-2025', package: 'january_2025_retreat' };
    const welcomed = await pay(before);
    await recordSent(post.letterLog, { ...letter('welcome'), paymentIntentId: welcomed.id }, new Date());
    const orphan = await pay(before);
    const due = [];
    for await (const { paymentIntentId, ...found } of payments.findAllDue(
      new Date(0),
      new Date(),
      () => false,
    )) {
      due.push(...found.due.map(({ type }) => [type, paymentIntentId]));
    }
    assert.deepEqual(due, [['attention', orphan.id]]);
    await assert.rejects(
      payments.findDue({ kind: 'welcome', subject: orphan.id, version: '', again: false }, new Date()),
      (error: Error) =>
        /is a payment of this site for .*january-2025.*unknown here/.test(String(error.cause)),
    );
  });

  test('a failure for one registration does not affect the others', async (t) => {
    let frozen = '';
    const post = await startPost(t, {
      intercept: ({ method, path }) => {
        if (method !== 'POST' || path !== `/v1/payment_intents/${frozen}`) return undefined;
        throw new ApiError(400, { type: 'invalid_request_error', message: 'No' });
      },
    });
    const older = await register(post);
    const { body } = await submitContact(post.app, { email: 'newer@example.org' }, 'c'.repeat(32)).expect(
      200,
    );
    frozen = body.paymentIntentClientSecret.split('_secret_')[0];
    post.startWorker({
      now: () => new Date(Date.parse(facts.registration.closes) + 2 * 60 * 60 * 1000),
      registration: 'auto',
    });
    await post.log.until('Something that is due for a registration could not be done');
    await post.log.until('"failed":1');
    assert.equal((await post.stripe.paymentIntents.retrieve(older.id)).status, 'canceled');
    assert.equal((await post.stripe.paymentIntents.retrieve(frozen)).status, 'requires_payment_method');
  });
});
