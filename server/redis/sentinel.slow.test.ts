import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { MASTER_NAME, startSentinels } from '#scripts/product/redis.ts';
import { runCommand } from '#server/support/run-command.ts';
import { cleanUp, testFolder } from '#server/testing/clean-up.ts';
import { prepareAppProcesses } from '#server/testing/processes.ts';
import { startMailServer } from '#server/testing/test-mailing.ts';
import { register } from '#server/testing/test-site.ts';

/** The letters that each registration causes at once: one to the registrant, one to the office. */
const LETTERS_EACH = 2;
const CLIENTS = 3;
/** How long each of them waits before she registers once more: the failover is to be met, not the machine to be full. */
const BETWEEN_MS = 200;
/** The poll interval: a letter whose completion was lost with the old master is checked again after half a minute. */
const ASK_SUPPORT_MS = 4_000;
const TIMEOUT_MS = 300_000;

/** A master, its replica and three sentinels for one test, and the environment variables to connect to them. */
async function testSentinels(t: TestContext) {
  const group = await startSentinels(await testFolder(t, 'sentinels'));
  cleanUp(t, group.close);
  const sentinels = group.sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return { ...group, env: { REDIS_URL: '', REDIS_SENTINELS: sentinels, REDIS_SENTINEL_NAME: MASTER_NAME } };
}

/** App and worker as they are built, behind sentinels, and visitors who register one after the other. */
async function startBehindSentinels(t: TestContext) {
  const sentinels = await testSentinels(t);
  const mailServer = await startMailServer(t);
  const apps = await prepareAppProcesses(t);
  const env = { ...sentinels.env, SMTP_URL: mailServer.url, MAIL_PER_SECOND: '1000' };
  const [app, worker] = await Promise.all([apps.start({ env }), apps.start({ name: 'worker', env })]);
  const statuses: number[] = [];
  let over = false;
  const visit = async (): Promise<void> => {
    while (!over) {
      const response = await register(app.siteUrl);
      await response.arrayBuffer();
      statuses.push(response.status);
      await delay(BETWEEN_MS);
    }
  };
  const visits = Promise.all(Array.from({ length: CLIENTS }, visit));
  cleanUp(t, async () => {
    over = true;
    await visits;
  });
  /** Waits until something is so; when the test ends before, the error names what it waited for. */
  const until = async (what: string, isSo: () => Promise<boolean> | boolean, everyMs = 5): Promise<void> => {
    while (!(await isSo())) {
      await delay(everyMs, undefined, { signal: t.signal }).catch((cause) => {
        throw new Error(`Not so in time: ${what}, after ${statuses.length} registrations.`, { cause });
      });
    }
  };
  const moreRegister = async (count: number): Promise<void> => {
    const wanted = statuses.length + count;
    await until('more register', () => statuses.length >= wanted);
  };
  await moreRegister(10);
  return {
    sentinels,
    moreRegister,
    untilAppIsBack: () => until('the app has Redis again', () => said(app.lines, 'Redis is connected') > 1),
    /** Ends the load, and checks that all registered, no letter was sent twice, and both processes lost Redis once. */
    async assertNothingLost() {
      over = true;
      await visits;
      const letters = statuses.length * LETTERS_EACH;
      const ids = () => mailServer.parsed.map(({ messageId = '' }) => messageId);
      await until('each letter is there', () => new Set(ids()).size >= letters);
      // Support's program finds the master by the sentinels too.
      const nothingWaits = async () =>
        (await listWaiting({ ...env, DATABASE_URL: apps.databaseUrl })).startsWith('0 waiting');
      await until('no letter waits', nothingWaits, ASK_SUPPORT_MS);
      const all = ids();
      t.diagnostic(`${statuses.length} registrations, ${all.length} letters`);
      assert.deepEqual(
        statuses.filter((status) => status !== 200),
        [],
      );
      assert.equal(new Set(all).size, letters);
      // A letter whose lock the new master does not know is given up, perhaps after the mail server took it.
      const givenUp = worker.lines.filter((line) => line.includes('Mails lost their lock')).join();
      const again = all.filter((id, at) => all.indexOf(id) !== at);
      assert.deepEqual(
        again.filter((id) => !givenUp.includes(jobOf(id))),
        [],
      );
      for (const { lines } of [app, worker]) assert.equal(said(lines, 'Redis is not available'), 1);
    },
  };
}

async function listWaiting(env: NodeJS.ProcessEnv): Promise<string> {
  const { code, out, err } = await runCommand(['list', '--waiting'], env);
  assert.equal(code, 0, err);
  return out;
}

/** A letter's Message-ID derives from its job. */
const jobOf = (messageId: string) => messageId.replace(/^<|@.*$/g, '');
const said = (lines: readonly string[], words: string) => lines.filter((line) => line.includes(words)).length;

describe('Redis behind sentinels', () => {
  test('R5.1 the master is killed: the replica takes over, nobody fails to register, each letter comes once', {
    timeout: TIMEOUT_MS,
  }, async (t) => {
    const { sentinels, moreRegister, untilAppIsBack, assertNothingLost } = await startBehindSentinels(t);
    await sentinels.sentinels[0]?.kill();
    const before = await sentinels.master();
    await before.kill();
    const killedAt = performance.now();
    await sentinels.untilMasterIsNot(before);
    t.diagnostic(`the replica took over after ${Math.round(performance.now() - killedAt)} ms`);
    await untilAppIsBack();
    t.diagnostic(`the app had it after ${Math.round(performance.now() - killedAt)} ms`);
    await moreRegister(10);
    await assertNothingLost();
  });

  test('R5.1 a planned failover: the old master is a replica, and app and worker use the new one', {
    timeout: TIMEOUT_MS,
  }, async (t) => {
    const { sentinels, moreRegister, untilAppIsBack, assertNothingLost } = await startBehindSentinels(t);
    await sentinels.failOver();
    await untilAppIsBack();
    await moreRegister(10);
    await assertNothingLost();
  });
});
