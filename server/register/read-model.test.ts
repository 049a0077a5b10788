import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { stateOf } from '#server/payments/registration-state.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { anyMoment, anyRecord, recordWith } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { createReadModel } from './read-model.ts';
import { formatRegistration, parseRegistration } from './stored-registration.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const KEY = 'register:{january-2026}';
const [first, second, third] = ['pi_1', 'pi_2', 'pi_3'].map((id) => recordWith({ id }));
assert.ok(first && second && third);

async function startReadModel(t: TestContext, now = () => new Date('2025-12-01T12:00:00-08:00')) {
  const { url } = await testRedis(t);
  const redis = new Redis(url);
  cleanUp(t, async () => redis.disconnect());
  const readModel = createReadModel(redis, now, { note: async () => {} });
  const ids = async () => (await readModel.list(edition)).map(({ id }) => id);
  return { redis, readModel, ids };
}

describe('the read model', () => {
  test('returns every registration as it was written, so that its state can be computed at any moment', () => {
    const agreement = { version: '2', digest: '0'.repeat(64), agreedAt: new Date('2025-12-01') };
    const withdrawn = [{ kind: 'waived', at: new Date('2025-12-02'), by: 'Anna' }] as const;
    fc.assert(
      fc.property(anyRecord, anyMoment, (any, now) => {
        const decisions = { ...any.decisions, withdrawn };
        const record = { ...any, agreement, decisions, letters: { welcome: 'sent' } } as const;
        const stored = formatRegistration(record);
        const read = parseRegistration(stored, edition);
        assert.ok(read);
        assert.deepEqual(JSON.parse(formatRegistration(read)), JSON.parse(stored));
        assert.equal(stateOf(read, now), stateOf(record, now));
      }),
    );
  });

  test('lists the newest first, and finds one by its payment', async (t) => {
    const { readModel } = await startReadModel(t);
    const newer = { ...second, begunAt: new Date('2025-12-02') };
    await readModel.patch(await readModel.takeTurn(), [first, newer]);
    assert.deepEqual(await readModel.list(edition), [newer, first]);
    assert.deepEqual(await readModel.find(edition, 'pi_1'), first);
    assert.equal(await readModel.find(edition, 'pi_9'), undefined);
  });

  test('loses on a rebuild what is no longer at Stripe, even the last registration', async (t) => {
    const { readModel, ids } = await startReadModel(t);
    await readModel.patch(await readModel.takeTurn(), [first, second]);
    await readModel.rebuild(await readModel.takeTurn(), [second, third]);
    assert.deepEqual(await ids(), ['pi_2', 'pi_3']);
    await readModel.rebuild(await readModel.takeTurn(), []);
    assert.deepEqual(await ids(), []);
  });

  test('keeps what is written during a rebuild, whether the walk found that registration or not', async (t) => {
    const { readModel } = await startReadModel(t);
    await readModel.patch(await readModel.takeTurn(), [first]);
    const turnOfWalk = await readModel.takeTurn();
    const disputed = { ...first, disputed: true };
    await readModel.patch(await readModel.takeTurn(), [disputed, third]);
    await readModel.rebuild(turnOfWalk, [first, second]);
    assert.deepEqual(await readModel.list(edition), [disputed, second, third]);
  });

  test('drops on the next walk what a walk wrote that was in progress when Redis lost everything', async (t) => {
    const { redis, readModel, ids } = await startReadModel(t);
    for (let turns = 0; turns < 3; turns += 1) await readModel.takeTurn();
    const turnOfWalk = await readModel.takeTurn();
    await redis.flushall();
    await readModel.rebuild(turnOfWalk, [first, second]);
    await readModel.rebuild(await readModel.takeTurn(), [second]);
    assert.deepEqual(await ids(), ['pi_2']);
  });

  test('keeps of two patches the one that read Stripe later, whichever is written first', async (t) => {
    const { readModel } = await startReadModel(t);
    const [earlier, later] = [await readModel.takeTurn(), await readModel.takeTurn()];
    const disputed = { ...first, disputed: true };
    await readModel.patch(later, [disputed]);
    await readModel.patch(earlier, [first]);
    assert.deepEqual(await readModel.list(edition), [disputed]);
  });

  test('leaves out what another release stored, until the walk writes it again', async (t) => {
    const { redis, readModel, ids } = await startReadModel(t);
    await redis.hset(KEY, 'pi_1', '1 {"id":"pi_1","name":"Wilma"}', 'pi_2', 'nonsense');
    assert.deepEqual(await ids(), []);
    assert.equal(await readModel.find(edition, 'pi_1'), undefined);
    await readModel.rebuild(await readModel.takeTurn(), [first]);
    assert.deepEqual(await ids(), ['pi_1']);
  });

  test('keeps an edition’s registrations until 30 days after its end, by the site’s own date', async (t) => {
    const ends = Date.parse(edition.facts.endsAt);
    let now = new Date(ends + 29 * DAY_MS);
    const { redis, readModel, ids } = await startReadModel(t, () => now);
    await readModel.patch(await readModel.takeTurn(), [first]);
    const leftMs = await redis.pttl(KEY);
    assert.ok(leftMs > DAY_MS - 60_000 && leftMs <= DAY_MS, String(leftMs));
    now = new Date(ends + 30 * DAY_MS);
    await readModel.rebuild(await readModel.takeTurn(), [first]);
    assert.deepEqual(await ids(), []);
  });

  describe('reports what has changed to processes that hold registrations in memory', () => {
    const changed = { ...first, disputed: true };

    test('since a version: all at first, then those that were changed or removed', async (t) => {
      const { readModel } = await startReadModel(t);
      const write = async (...all: (typeof first)[]) => readModel.rebuild(await readModel.takeTurn(), all);
      await write(first, second);
      const whole = await readModel.changesSince(edition, 0);
      assert.deepEqual([whole.isWhole, whole.ids.toSorted()], [true, ['pi_1', 'pi_2']]);
      await write(first, second);
      const none = await readModel.changesSince(edition, whole.version);
      assert.deepEqual(none, { version: whole.version, isWhole: false, ids: [] });
      await readModel.patch(await readModel.takeTurn(), [changed]);
      const patched = await readModel.changesSince(edition, whole.version);
      assert.deepEqual([patched.isWhole, patched.ids], [false, ['pi_1']]);
      await write(changed, third);
      const rebuilt = await readModel.changesSince(edition, patched.version);
      assert.deepEqual([rebuilt.isWhole, rebuilt.ids.toSorted()], [false, ['pi_2', 'pi_3']]);
      assert.deepEqual(await readModel.findSome(edition, ['pi_2', 'pi_1']), [undefined, changed]);
      assert.deepEqual(await readModel.findSome(edition, []), []);
    });

    test('also what was written with an earlier turn than they know, but not what an earlier turn failed to overwrite', async (t) => {
      const { readModel } = await startReadModel(t);
      const earlier = await readModel.takeTurn();
      await readModel.patch(await readModel.takeTurn(), [first]);
      const { version } = await readModel.changesSince(edition, 0);
      await readModel.patch(earlier, [changed, second]);
      assert.deepEqual((await readModel.changesSince(edition, version)).ids, ['pi_2']);
    });

    test('all again after Redis lost everything, whatever version they know', async (t) => {
      const { redis, readModel } = await startReadModel(t);
      await readModel.patch(await readModel.takeTurn(), [first, second]);
      const { version } = await readModel.changesSince(edition, 0);
      await redis.flushall();
      assert.deepEqual(await readModel.changesSince(edition, version), {
        version: 0,
        isWhole: true,
        ids: [],
      });
      await readModel.patch(await readModel.takeTurn(), [second]);
      const rebuilt = await readModel.changesSince(edition, version);
      assert.deepEqual([rebuilt.isWhole, rebuilt.ids], [true, ['pi_2']]);
    });

    test('all that a release stored that did not record changes', async (t) => {
      const { redis, readModel } = await startReadModel(t);
      await redis.hset(KEY, 'pi_1', `1 ${formatRegistration(first)}`);
      assert.deepEqual(await readModel.changesSince(edition, 0), {
        version: 0,
        isWhole: true,
        ids: ['pi_1'],
      });
    });

    test('for as long as the registrations are kept', async (t) => {
      const { redis, readModel } = await startReadModel(t);
      await readModel.patch(await readModel.takeTurn(), [first]);
      const [ofRegistrations, ofChanges] = [await redis.pttl(KEY), await redis.pttl(`${KEY}:changes`)];
      assert.ok(ofChanges > 0 && Math.abs(ofRegistrations - ofChanges) < 1000);
    });
  });
});
