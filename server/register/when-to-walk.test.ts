import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Queue, QueueEvents } from 'bullmq';
import { QUEUE_PREFIX, queueOn } from '#server/redis/queue-on.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { UNWATCHED } from '#server/testing/test-mailing.ts';
import { askForWalk, registerOf, startPost } from '#server/testing/test-post.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { momentsOf } from '#shared/content/moments.ts';
import { WALK_QUEUE_NAME } from './walk.ts';
import { runDueWalk } from './walker.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

describe('which registrations a walk scans', () => {
  for (const [what, from, minutes, asked, isWhole] of [
    ['a quarter of an hour later', '2025-12-01T12:00:00-08:00', 15, false, false],
    ['when it is asked for', '2025-12-01T12:00:00-08:00', 15, true, true],
    ['after less than six hours', '2025-12-01T12:00:00-08:00', 6 * 60 - 1, false, false],
    ['when the clock was moved back', '2025-12-01T12:00:00-08:00', -60, false, true],
    ['after six hours', '2025-12-01T12:00:00-08:00', 6 * 60, false, true],
    ...momentsOf(edition).map(({ at, name }) => [name, at, 0, false, true] as const),
  ] as const) {
    test(`${what}: ${isWhole ? 'all' : 'only the recent ones'}`, async (t) => {
      const post = await startPost(t);
      const start = Date.parse(from) - (minutes === 0 ? MINUTE_MS : 0);
      let now = new Date(start);
      let sinceMs = 0;
      const register = registerOf(async function* (since) {
        sinceMs = now.getTime() - since.getTime();
        yield* [];
      });
      const walk = (isAsked: boolean) =>
        runDueWalk(isAsked, post.mailQueue.bullQueue, {
          redis: post.connection,
          register,
          letterLog: post.letterLog,
          admission: post.admission,
          registrationList: post.registrationList,
          registration: 'auto',
          ...UNWATCHED,
          logger: post.log.logger,
          clock: { now: () => now },
        });
      await walk(false);
      assert.equal(sinceMs, 400 * DAY_MS);
      now = new Date(Date.parse(from) + minutes * MINUTE_MS);
      await walk(asked);
      assert.equal(sinceMs, (isWhole ? 400 : 2) * DAY_MS);
    });
  }

  test('two workers never walk at the same time', async (t) => {
    const post = await startPost(t);
    let [walking, most, ended] = [0, 0, 0];
    const register = registerOf(async function* () {
      walking += 1;
      most = Math.max(most, walking);
      for (let turn = 0; turn < 300; turn += 1) await setImmediate();
      walking -= 1;
      ended += 1;
      yield* [];
    });
    post.startWorker({ register });
    post.startWorker({ register });
    while (ended < 6) {
      await askForWalk(post);
      await setImmediate();
    }
    assert.equal(most, 1);
  });

  test('a clock that is moved during a walk is followed by one more, however often it is moved', async (t) => {
    const post = await startPost(t);
    const told = new QueueEvents(WALK_QUEUE_NAME, {
      connection: { url: post.redis.url },
      prefix: QUEUE_PREFIX,
    });
    cleanUp(t, () => told.close());
    await told.waitUntilReady();
    let move = (): void => {};
    let walks = 0;
    let walkOfMoves = 0;
    const register = registerOf(async function* () {
      walks += 1;
      for (let time = 0; walks === walkOfMoves && time < 3; time += 1) {
        const known = new Promise((resolve) => told.once('deduplicated', resolve));
        move();
        await known;
      }
      yield* [];
    });
    const onMoved = (listener: () => void): void => {
      move = listener;
    };
    post.startWorker({ register, onMoved });
    const queue = new Queue(WALK_QUEUE_NAME, queueOn(post.connection));
    cleanUp(t, () => queue.close());
    const isIdle = async () => (await queue.getJobCountByTypes('waiting', 'active')) === 0;
    const untilIdle = async () => {
      while (walks === 0 || !(await isIdle())) await setImmediate();
    };
    await untilIdle();
    walkOfMoves = walks + 1;
    await askForWalk(post);
    while (walks < walkOfMoves + 1) await setImmediate();
    await untilIdle();
    assert.equal(walks, walkOfMoves + 1);
  });
});
