import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { Redis } from 'ioredis';
import { cleanUp } from '#server/testing/clean-up.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { type CountedRegistration, capacityInRedis, waitingKeyOf } from './capacity-in-redis.ts';

const now = () => new Date(edition.tryOutFrom);
const KEY = `capacity:{${edition.facts.id}}`;
const MINUTE_MS = 60_000;
/** The turn of a past reading, and of the next one. */
const [EARLIER, LATER] = [1e15 + 1, 1e15 + 2];

/** The places of an edition whose paid registrations are known: by default none. */
async function open(t: TestContext, places: number, paid: readonly string[] = []) {
  const redis = new Redis((await testRedis(t)).url);
  cleanUp(t, async () => redis.disconnect());
  const facts = { ...edition.facts, places };
  const inRedis = capacityInRedis(redis, now);
  await inRedis.note(facts, 1e15, paid.map(taken), true);
  const look = async () => {
    const { paid, held, offered, waiting } = await inRedis.look(facts);
    return { paid, held, offered, waiting };
  };
  return {
    redis,
    look,
    hold: async (registration: string, more: { before?: string; offer?: string; begunAt?: Date } = {}) =>
      (await inRedis.hold(facts, { registration, ...more })).outcome,
    offer: (id: string, forMs = 48 * 60 * MINUTE_MS) =>
      inRedis.offer(facts, id, new Date(now().getTime() + forMs)),
    endOffer: (id: string) => inRedis.endOffer(facts, id),
    wait: (id: string) => redis.hset(waitingKeyOf(facts), id, '{}'),
    note: (turn: number, registrations: readonly CountedRegistration[], isAll = false) =>
      inRedis.note(facts, turn, registrations, isAll),
    inRedis,
    facts,
  };
}

const taken = (registration: string): CountedRegistration => ({ registration, place: 'taken' });
const free = (registration: string): CountedRegistration => ({ registration, place: 'free' });

/** Ends a hold, as when half an hour has passed: Redis uses its own clock, which the test cannot move. */
const expire = (redis: Redis, member: string) => redis.zadd(KEY, Date.now() - 1, member);

describe('a place is held while somebody pays', () => {
  test('the last one is held for one person, however often she submits', async (t) => {
    const { hold, look } = await open(t, 2, ['paid']);
    assert.deepEqual(
      [await hold('anna'), await hold('anna'), await hold('berta'), await hold('anna')],
      ['held', 'held', 'full', 'held'],
    );
    assert.deepEqual(await look(), { paid: 1, held: 1, offered: 0, waiting: 0 });
  });

  test('a hundred visitors at once get exactly as many places as there are', async (t) => {
    const { hold } = await open(t, 10);
    const outcomes = await Promise.all(Array.from({ length: 100 }, (_, at) => hold(`visitor ${at}`)));
    assert.equal(outcomes.filter((outcome) => outcome === 'held').length, 10);
  });

  test('for at most an hour after its payment was created, however often she agrees to the terms again', async (t) => {
    const { redis, hold } = await open(t, 1);
    const minutesAgo = (minutes: number) => new Date(now().getTime() - minutes * MINUTE_MS);
    await hold('anna');
    const until = async () => Number(await redis.zscore(KEY, 'registration:anna'));
    const first = await until();
    await redis.zadd(KEY, Date.now() + MINUTE_MS, 'registration:anna');
    assert.equal(await hold('anna', { begunAt: minutesAgo(50) }), 'held');
    assert.ok(Math.abs((await until()) - Date.now() - 10 * MINUTE_MS) < 5_000);
    assert.ok((await until()) < first);
    await expire(redis, 'registration:anna');
    assert.equal(await hold('anna', { begunAt: minutesAgo(61) }), 'held');
    assert.deepEqual(
      [await hold('berta'), await hold('anna', { begunAt: minutesAgo(62) })],
      ['held', 'full'],
    );
  });

  test('until half an hour after her last submit; then another visitor gets it', async (t) => {
    const { redis, hold } = await open(t, 1);
    await hold('anna');
    const until = async () => Number(await redis.zscore(KEY, 'registration:anna'));
    const first = await until();
    assert.ok(Math.abs(first - Date.now() - 30 * MINUTE_MS) < 5_000, `${first}`);
    await redis.zadd(KEY, first - MINUTE_MS, 'registration:anna');
    await hold('anna');
    assert.ok((await until()) >= first);
    await expire(redis, 'registration:anna');
    assert.deepEqual([await hold('berta'), await hold('anna')], ['held', 'full']);
  });

  test('even if the registration’s name in the count has just changed', async (t) => {
    const { hold, look } = await open(t, 1);
    await hold('anna');
    assert.equal(await hold('anna ten minutes later', { before: 'anna' }), 'held');
    assert.equal((await look()).held, 1);
  });

  test('once paid it is hers: her repeated submit is not refused', async (t) => {
    const { hold, note, look } = await open(t, 1);
    await hold('anna');
    await note(LATER, [taken('anna')]);
    assert.deepEqual([await hold('anna'), await hold('berta')], ['held', 'full']);
    assert.deepEqual(await look(), { paid: 1, held: 0, offered: 0, waiting: 0 });
  });
});

describe('people on the waiting list come before visitors', () => {
  test('a free place is not given to a visitor while somebody waits for it', async (t) => {
    const { hold, wait } = await open(t, 2, ['paid']);
    await wait('cus_1');
    assert.equal(await hold('anna'), 'full');
  });

  test('an offered place is hers alone and counts once, from however many devices she uses it', async (t) => {
    const { hold, wait, offer, look } = await open(t, 2, ['paid']);
    await wait('cus_1');
    await wait('cus_2');
    assert.equal(await offer('cus_1'), 'held');
    assert.deepEqual(await look(), { paid: 1, held: 0, offered: 1, waiting: 1 });
    assert.equal(await offer('cus_2'), 'full');
    assert.deepEqual(
      [await hold('phone', { offer: 'cus_1' }), await hold('desk', { offer: 'cus_1' }), await hold('anna')],
      ['held', 'held', 'full'],
    );
    assert.deepEqual(await look(), { paid: 1, held: 0, offered: 1, waiting: 1 });
  });

  test('an offer stays valid while she pays, and ends with the payment', async (t) => {
    const { redis, hold, offer, note, look } = await open(t, 1);
    await offer('cus_1', MINUTE_MS);
    await hold('anna', { offer: 'cus_1' });
    const until = Number(await redis.zscore(KEY, 'offer:cus_1'));
    assert.ok(until > Date.now() + 29 * MINUTE_MS);
    await note(LATER, [{ ...taken('anna'), offer: 'cus_1' }]);
    assert.deepEqual(await look(), { paid: 1, held: 0, offered: 0, waiting: 0 });
  });

  test('an offer that has expired or was ended admits nobody to a full retreat', async (t) => {
    const { redis, hold, offer, endOffer } = await open(t, 1);
    await offer('cus_1');
    await endOffer('cus_1');
    assert.equal(await hold('berta'), 'held');
    assert.equal(await hold('anna', { offer: 'cus_1' }), 'full');
    await expire(redis, 'registration:berta');
    await offer('cus_1');
    await expire(redis, 'offer:cus_1');
    assert.equal(await hold('berta'), 'held');
    assert.equal(await hold('anna', { offer: 'cus_1' }), 'full');
  });
});

describe('paid places as the register reports them', () => {
  test('the later reading of a registration is kept, whichever is written first', async (t) => {
    const { note, look } = await open(t, 3);
    await note(LATER, [taken('anna'), free('berta')]);
    await note(EARLIER, [free('anna'), taken('berta')]);
    assert.equal((await look()).paid, 1);
  });

  test('a walk that began before a payment keeps its place, and one that began later frees places that are gone', async (t) => {
    const { note, hold, offer, look } = await open(t, 5, ['gone']);
    await note(LATER, [taken('anna')]);
    await hold('paying');
    await offer('cus_1');
    await note(EARLIER, [], true);
    assert.deepEqual(await look(), { paid: 1, held: 1, offered: 1, waiting: 0 });
    await note(LATER + 1, [], true);
    assert.deepEqual(await look(), { paid: 0, held: 1, offered: 1, waiting: 0 });
  });

  test('an unpaid registration keeps the place that is held for it', async (t) => {
    const { note, hold, look } = await open(t, 1);
    await hold('anna');
    await note(LATER, [{ registration: 'anna', place: 'open' }], true);
    assert.equal((await look()).held, 1);
    await note(LATER + 1, [free('anna')]);
    assert.equal((await look()).held, 0);
  });

  test('nobody is refused before all paid places are known, and holds from that time count afterwards', async (t) => {
    const { redis, hold, note, look } = await open(t, 1, ['paid']);
    await redis.flushall();
    assert.deepEqual(
      [await hold('anna'), await hold('anna'), await hold('berta')],
      ['uncounted', 'held', 'uncounted'],
    );
    await note(LATER, [taken('paid')], true);
    assert.equal(await hold('clara'), 'full');
    assert.deepEqual(await look(), { paid: 1, held: 2, offered: 0, waiting: 0 });
  });

  test('an edition without a number of places leaves nothing in Redis', async (t) => {
    const { redis, inRedis } = await open(t, 1);
    await redis.flushall();
    const { places: _, ...facts } = { ...edition.facts, places: 1 };
    await inRedis.note(facts, LATER, [taken('anna')], true);
    assert.deepEqual(await redis.keys('*'), []);
  });

  test('thirty days after the edition nothing is left', async (t) => {
    const { redis } = await open(t, 1);
    const endsInMs = Date.parse(edition.facts.endsAt) + 30 * 24 * 60 * MINUTE_MS - now().getTime();
    assert.ok(Math.abs((await redis.pttl(KEY)) - endsInMs) < 5_000);
  });
});
