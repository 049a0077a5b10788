import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type Database, noteChange } from '#server/database/database.ts';
import { catchUp } from '#server/stripe/catch-up.ts';
import { type Post, startMailing, startPost } from '#server/testing/test-mailing.ts';
import { fill, makeRoom } from '#server/testing/test-redis.ts';
import { withBefore } from '#server/testing/test-stage.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { askForTransactions } from './due-work.ts';

const { facts } = edition;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const BEGUN = ['office-notice', 'registration-received'];

async function assertSent({ letterLog }: Post, id: string, kinds: readonly string[]): Promise<void> {
  const letters = (await letterLog.about(id)).filter(({ state }) => state !== 'dropped');
  assert.deepEqual(
    letters.map(({ kind, state }) => `${kind} ${state}`).sort(),
    kinds.map((kind) => `${kind} sent`),
  );
}

/** When a registration is looked at next. */
async function nextLook(database: Database, id: string): Promise<Date> {
  const row = await database.read((transaction) =>
    transaction.selectFrom('registrations').select('nextAt').where('id', '=', id).executeTakeFirst(),
  );
  return new Date(row?.nextAt ?? 0);
}

describe('the letters that are due', () => {
  test('R5.1 of a registration made while Redis was away are sent once it is back, and recorded', async (t) => {
    const post = await startPost(t, { redisRunning: false });
    const { id } = await post.register();
    post.startWorker();
    await post.redis.start();
    assert.deepEqual(await post.untilSent(2), ['office-notice', 'registration-received']);
    await assertSent(post, id, BEGUN);
    assert.equal(post.mailServer.parsed.length, 2);
  });

  test('R5.1 go out while Stripe is away, and no money moves; that is logged, and tried again', async (t) => {
    let isAway = false;
    let requests = 0;
    const { register, tell, moveTo, work, sendAll, charged, log } = await startMailing(t, {
      intercept() {
        requests += 1;
        return isAway ? { kind: 'answer-500', carryOut: false } : undefined;
      },
    });
    const id = await register();
    await work();
    await tell(id);
    moveTo(new Date(facts.balance.chargeAt));
    isAway = true;
    await assert.rejects(work());
    requests = 0;
    assert.ok((await sendAll()).includes('welcome'));
    assert.equal(requests, 0, 'a letter asks Stripe for nothing');
    isAway = false;
    assert.deepEqual(await charged(id), []);
    await work({ catchesUp: false });
    assert.deepEqual(await charged(id), [facts.prices.balanceCents]);
    assert.match(log.text(), /Balance charged/);
  });

  test('where Stripe throttles a charge, it is put off without an error, and made at the next look, once', async (t) => {
    let throttles = false;
    const { register, tell, moveTo, work, charged, log } = await startMailing(t, {
      intercept: ({ path }) => (throttles && path.endsWith('/confirm') ? { kind: 'rate-limit' } : undefined),
    });
    const id = await register();
    await work();
    await tell(id);
    moveTo(new Date(facts.balance.chargeAt));
    throttles = true;
    await work();
    assert.deepEqual(await charged(id), []);
    assert.doesNotMatch(log.text(), /"level":"error"/);
    assert.match(log.text(), /"later":1/);
    throttles = false;
    await work({ catchesUp: false });
    assert.deepEqual(await charged(id), [facts.prices.balanceCents]);
  });

  test('jobs of mails sent more than thirty days ago are deleted, and of people who have not paid after a day', async (t) => {
    const ages: ((post: Post, old: string) => Promise<unknown>)[] = [
      ({ connection, mailQueue }, old) =>
        connection.zadd(mailQueue.bullQueue.toKey('completed'), Date.now() - 31 * DAY_MS, old),
      ({ database }, old) => {
        const endedAt = new Date(Date.now() - DAY_MS);
        return database.write((transaction) =>
          transaction.updateTable('letters').set({ endedAt }).where('id', '=', old).execute(),
        );
      },
    ];
    for (const age of ages) {
      const post = await startPost(t);
      await post.register();
      post.startWorker();
      await post.untilSent(2);
      const { bullQueue } = post.mailQueue;
      const [old = '', young = ''] = (await bullQueue.getCompleted()).map(({ id }) => id);
      await age(post, old);
      await post.askForDueWork();
      while ((await bullQueue.getJobState(old)) !== 'unknown') await setImmediate();
      assert.equal(await bullQueue.getJobState(young), 'completed');
      // What is lasting is in the register.
      assert.equal((await post.letterLog.find([old])).get(old)?.state, 'sent');
    }
  });
});

describe('looking at registrations', () => {
  test('is done when something has changed or falls due, and not in between', async (t) => {
    const { register, work, find, moveTo, now, database } = await startMailing(t);
    const id = await register();
    await find(id);
    const looked = () => nextLook(database, id);
    await work();
    const next = await looked();
    assert.ok(next > now() && next.getTime() <= now().getTime() + DAY_MS, next.toISOString());
    moveTo(new Date(next.getTime() - 1_000));
    await work({ catchesUp: false });
    assert.deepEqual(await looked(), next);
    moveTo(next);
    await work({ catchesUp: false });
    assert.ok((await looked()) > next);
    await database.write((transaction) => noteChange(transaction, id));
    assert.ok((await looked()) < now());
    await work({ catchesUp: false });
    assert.ok((await looked()) > now());
  });

  test('is done for all once a moment of their edition has passed, once, whatever their own moments', async (t) => {
    const { register, work, moveTo, database } = await startMailing(t);
    const ids = [await register(), await register({ email: 'other@example.org' })];
    await work();
    const never = new Date('2030-01-01T00:00:00Z');
    const lookAtNever = () =>
      database.write((transaction) =>
        transaction.updateTable('registrations').set({ nextAt: never }).execute(),
      );
    const looks = () => Promise.all(ids.map((id) => nextLook(database, id)));
    await lookAtNever();
    await work({ catchesUp: false });
    assert.deepEqual(await looks(), [never, never]);
    moveTo(new Date(facts.balance.noticeAt));
    await work();
    for (const next of await looks()) assert.ok(next < never);
    await lookAtNever();
    await work({ catchesUp: false });
    assert.deepEqual(await looks(), [never, never]);
  });
});

describe('the transactions of the account', () => {
  const LISTED = ['/v1/balance_transactions', '/v1/payouts'];

  /** The worker's requests to Stripe, and for what Stripe may not be asked. */
  async function startListing(t: TestContext) {
    const calls: string[] = [];
    const refused = { path: '' };
    const mailing = await startMailing(t, {
      intercept({ path }) {
        calls.push(path);
        return path === refused.path ? { kind: 'rate-limit' } : undefined;
      },
    });
    const { work, moveTo, now } = mailing;
    return {
      ...mailing,
      refused,
      /** The requests of some quarters of an hour. */
      async quarters(count: number): Promise<string[]> {
        calls.length = 0;
        for (let quarter = 0; quarter < count; quarter += 1) {
          moveTo(new Date(now().getTime() + 15 * MINUTE_MS));
          await work();
        }
        return calls.toSorted();
      },
    };
  }

  test('are listed once an hour, of which an idle one takes six requests, and when support asks', async (t) => {
    const { quarters, register, connection } = await startListing(t);
    await register();
    await quarters(5);
    const events = Array.from({ length: 4 }, () => '/v1/events');
    assert.deepEqual(await quarters(4), [LISTED[0], ...events, LISTED[1]]);
    assert.deepEqual(await quarters(1), ['/v1/events']);
    await askForTransactions(connection);
    assert.deepEqual(await quarters(1), [LISTED[0], '/v1/events', LISTED[1]]);
  });
});

describe('the schedule of due work', () => {
  test('R5.1 a worker that finds Redis full asks for its work until it can', async (t) => {
    const post = await startPost(t);
    await fill(post.redis);
    post.startWorker({ everyMs: 20 });
    await post.log.until('Due work could not be asked for', 2);
    assert.equal(await post.lastDueWork(), 0);
    await makeRoom(post.redis);
    await post.untilWorked();
  });

  test('two workers never work at the same time', async (t) => {
    const post = await startPost(t);
    let [working, most, ended] = [0, 0, 0];
    const payments = withBefore(post.payments, catchUp, async () => {
      working += 1;
      most = Math.max(most, working);
      for (let turn = 0; turn < 300; turn += 1) await setImmediate();
      working -= 1;
      ended += 1;
    });
    post.startWorker({ payments });
    post.startWorker({ payments });
    while (ended < 6) {
      await post.askForDueWork();
      await setImmediate();
    }
    assert.equal(most, 1);
  });
});
