import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { capacityInRedis } from '#server/capacity/capacity-in-redis.ts';
import { readAgreement } from '#server/payments/terms-mark.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import { limitPlaces, startSiteWithPlaces, tellOf, walkThroughAll } from '#server/testing/test-places.ts';
import { startTestSite } from '#server/testing/test-site.ts';
import { submitContact } from '#server/testing/test-visitor.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';

const KEY = `capacity:{${facts.id}}`;

/** Ends all holds, as when half an hour has passed: Redis uses its own clock, which the test cannot move. */
async function expireHolds(redis: RedisClient): Promise<void> {
  const held = await redis.zrangebyscore(KEY, Date.now(), 1e14);
  for (const member of held) await redis.zadd(KEY, Date.now() - 1, member);
}

describe('a place is held while somebody pays', () => {
  test('a visitor who finds none left is refused before anything is created at Stripe', async (t) => {
    const { visit, stripe } = await startSiteWithPlaces(t, 1);
    assert.equal((await visit('anna').submit()).status, 200);
    const { status, body } = await visit('berta').submit();
    assert.equal(status, 409);
    assert.equal(body.error.code, 'retreat_full');
    assert.equal((await stripe.customers.list()).data.length, 1);
  });

  test('a visitor who holds the last one can submit, edit, pay and come back as often as she wants', async (t) => {
    const { visit } = await startSiteWithPlaces(t, 1);
    const anna = visit('anna');
    const statuses = [];
    for (const answer of [
      await anna.submit(),
      await anna.submit(),
      await anna.edit({ lastName: 'Edited' }),
      await anna.consent(),
      await anna.consent(),
    ])
      statuses.push(answer.status);
    await anna.pay();
    statuses.push((await anna.tell()).status, (await anna.edit({ lastName: 'Edited' })).status);
    assert.deepEqual(statuses, [200, 200, 200, 204, 204, 200, 200]);
    assert.equal((await visit('berta').submit()).status, 409);
  });

  test('her consent renews it; if others took it meanwhile she learns that before her card is charged', async (t) => {
    const { visit, connection, stripe } = await startSiteWithPlaces(t, 1);
    const [anna, berta] = [visit('anna'), visit('berta')];
    await anna.submit();
    const [held = ''] = await connection.zrange(KEY, '-1', '-1');
    await connection.zadd(KEY, Date.now() + 1_000, held);
    await anna.consent().expect(204);
    const [, until] = await connection.zrange(KEY, '-1', '-1', 'WITHSCORES');
    assert.ok(Number(until) > Date.now() + 29 * 60_000);
    await expireHolds(connection);
    assert.equal((await berta.submit()).status, 200);
    const { body } = await anna.consent().expect(409);
    assert.equal(body.error.code, 'retreat_full');
    assert.match(body.error.message, /[Nn]othing was charged/);
    assert.equal((await stripe.paymentIntents.retrieve(anna.id())).status, 'requires_payment_method');
    assert.equal((await anna.edit()).status, 409);
    assert.equal(readAgreement((await stripe.paymentIntents.retrieve(berta.id())).metadata), undefined);
  });

  test('a paid place stays hers; once the deposit is refunded it is free', async (t) => {
    const site = await startSiteWithPlaces(t, 1);
    const [anna, berta] = [site.visit('anna'), site.visit('berta')];
    await anna.submit();
    await anna.pay();
    await anna.tell();
    await expireHolds(site.connection);
    assert.equal((await berta.submit()).status, 409);
    const { latest_charge: charge } = await site.stripe.paymentIntents.retrieve(anna.id());
    await site.stripe.refunds.create({ charge: String(charge) });
    await tellOf(site, anna.id(), 'payment_intent.succeeded');
    assert.equal((await berta.submit()).status, 200);
  });

  test('an offered place is stored with the payment, and is hers once that is paid', async (t) => {
    const site = await startSiteWithPlaces(t, 1);
    const { payments, connection, now } = site;
    const inRedis = capacityInRedis(connection, now);
    await inRedis.offer(facts, 'cus_1', new Date(now().getTime() + 60_000));
    const contact = { firstName: 'A', lastName: 'B', email: 'a@visitors.example', phoneNumber: '5555550142' };
    const deposit = { contact, facts, timeZone: '', somebodyElse: false, offer: 'cus_1' };
    const { id } = await payments.createDeposit(deposit, { value: 'k'.repeat(32) });
    await site.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    await tellOf(site, id, 'payment_intent.succeeded');
    const { offered, paid } = await inRedis.look(facts);
    assert.deepEqual({ offered, paid }, { offered: 0, paid: 1 });
  });
});

describe('counting never loses a registration', () => {
  test('without Redis everybody is admitted, and that is counted and logged', async (t) => {
    const { visit, metrics, log } = await startSiteWithPlaces(t, 1, { redisRunning: false });
    assert.deepEqual(
      [(await visit('anna').submit()).status, (await visit('berta').submit()).status],
      [200, 200],
    );
    assert.match(await metrics.metrics(), /^places_uncounted_total 2$/m);
    assert.match(log.text(), /A visitor is admitted although it is not known whether a place is left/);
    assert.doesNotMatch(log.text(), /visitors\.example/);
  });

  test('R5.1 while Redis hangs, counting places adds nothing to the 250 ms of limits and mail', async (t) => {
    limitPlaces(t, 1);
    const { app, redis, log, metrics } = await startTestSite(t, { redisHangs: true });
    await submitContact(app).expect(200);
    process.kill(redis.pid(), 'SIGSTOP');
    try {
      const start = performance.now();
      await submitContact(app, { email: 'anna@visitors.example' }, 'b'.repeat(32)).expect(200);
      const elapsedMs = performance.now() - start;
      assert.match(log.text(), /No answer within 100 ms/);
      assert.doesNotMatch(log.text(), /Redis did not hold a place in time/);
      assert.ok(elapsedMs < 5_000, `took ${elapsedMs} ms`);
    } finally {
      process.kill(redis.pid(), 'SIGCONT');
    }
    assert.match(await metrics.metrics(), /^places_uncounted_total 2$/m);
  });

  test('a Redis that lost everything admits everybody until a full walk; then the places are known again', async (t) => {
    const site = await startSiteWithPlaces(t, 2);
    const anna = site.visit('anna');
    await anna.submit();
    await anna.pay();
    await anna.tell();
    await site.connection.flushall();
    assert.equal((await site.visit('berta').submit()).status, 200);
    await walkThroughAll(site);
    assert.equal((await site.visit('clara').submit()).status, 409);
    assert.deepEqual(await capacityInRedis(site.connection, site.now).look(facts), {
      ...{ places: 2, paid: 1, held: 1, offered: 0, waiting: 0, isCounted: true },
    });
  });

  test('an edition without a number of places makes no call to Redis for it', async (t) => {
    const { app, connection, readModel } = await startTestSite(t);
    const calls = t.mock.method(connection, 'eval');
    await submitContact(app).expect(200);
    await readModel.rebuild(await readModel.takeTurn(), []);
    const keys = calls.mock.calls.flatMap((call) => call.arguments.map(String));
    assert.deepEqual(
      keys.filter((key) => key.includes('capacity:')),
      [],
    );
    assert.deepEqual(await connection.keys('capacity:*'), []);
  });
});
