import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { prepareAppProcesses } from '#server/testing/test-app-process.ts';
import { startMailServer } from '#server/testing/test-mail-server.ts';
import { testSentinels } from '#server/testing/test-sentinels.ts';
import { runSupport } from '#server/testing/test-support.ts';
import { register } from '#server/testing/test-visitor.ts';

/** Letters that each registration brings at once: to her, and to the office. */
const LETTERS_EACH = 2;
const CLIENTS = 3;

/** App and worker as they are built, behind sentinels, and visitors who register one after the other. */
async function startBehindSentinels(t: TestContext) {
  const sentinels = await testSentinels(t);
  const mailServer = await startMailServer(t);
  const apps = await prepareAppProcesses(t);
  const env = { ...sentinels.env, SMTP_URL: mailServer.url, MAIL_PER_SECOND: '1000' };
  const [app, worker] = await Promise.all([apps.start({ env }), apps.start({ name: 'worker', env })]);
  const statuses: number[] = [];
  let over = false;
  const visits = Array.from({ length: CLIENTS }, async () => {
    while (!over) {
      const response = await register(app.siteUrl);
      await response.arrayBuffer();
      statuses.push(response.status);
    }
  });
  const moreRegister = async (count: number): Promise<void> => {
    const wanted = statuses.length + count;
    while (statuses.length < wanted) await delay(5);
  };
  await moreRegister(10);
  return {
    ...{ sentinels, app, moreRegister },
    /** Ends the load: all of it registered, each letter came once, and both processes missed Redis once. */
    async assertNothingLost() {
      over = true;
      await Promise.all(visits);
      while (mailServer.mails.length < statuses.length * LETTERS_EACH) await mailServer.nextMail();
      await untilNothingWaits(env);
      const ids = mailServer.mails.map(({ messageId }) => messageId);
      t.diagnostic(`${statuses.length} registrations, ${ids.length} letters`);
      assert.deepEqual(
        statuses.filter((status) => status !== 200),
        [],
      );
      assert.equal(new Set(ids).size, statuses.length * LETTERS_EACH);
      assert.equal(ids.length, statuses.length * LETTERS_EACH);
      for (const { lines } of [app, worker]) assert.equal(said(lines, 'Redis is not available'), 1);
    },
  };
}

/** Support's program finds the master by the sentinels too. */
async function untilNothingWaits(env: NodeJS.ProcessEnv): Promise<void> {
  for (;;) {
    const { code, out, err } = await runSupport(env, 'list', '--waiting');
    assert.equal(code, 0, err);
    if (out.startsWith('0 waiting')) return;
  }
}

const said = (lines: readonly string[], words: string) => lines.filter((line) => line.includes(words)).length;

describe('Redis behind sentinels', () => {
  test('R5.1 the master is killed: the replica takes over, nobody fails to register, each letter comes once', async (t) => {
    const { sentinels, app, moreRegister, assertNothingLost } = await startBehindSentinels(t);
    const [first] = sentinels.sentinelPorts;
    if (first) await sentinels.killSentinel(first);
    const before = await sentinels.masterPort();
    await sentinels.kill(before);
    const killedAt = performance.now();
    await sentinels.untilMasterIsNot(before);
    t.diagnostic(`the replica took over after ${Math.round(performance.now() - killedAt)} ms`);
    while (said(app.lines, 'Redis is connected') < 2) await delay(5);
    t.diagnostic(`the app had it after ${Math.round(performance.now() - killedAt)} ms`);
    await moreRegister(10);
    await assertNothingLost();
  });

  test('R5.1 a planned failover: the old master is a replica, and app and worker use the new one', async (t) => {
    const { sentinels, app, moreRegister, assertNothingLost } = await startBehindSentinels(t);
    await sentinels.failOver();
    while (said(app.lines, 'Redis is connected') < 2) await delay(5);
    await moreRegister(10);
    await assertNothingLost();
  });
});
