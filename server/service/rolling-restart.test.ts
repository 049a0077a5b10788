import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { prepareAppProcesses, signal } from '#server/testing/test-app-process.ts';
import { startBalancer } from '#server/testing/test-balancer.ts';
import { register } from '#server/testing/test-visitor.ts';

describe('a rolling restart under load', () => {
  const CLIENTS = 12;

  test('loses no request', async (t) => {
    const { start } = await prepareAppProcesses(t);
    const running = await Promise.all([start(), start()]);
    const urls = running.map(({ siteUrl }) => siteUrl);
    const balancer = await startBalancer(t, urls);
    const load = startLoad(balancer.url, CLIENTS);
    await load.until(100);
    for (const [place, app] of running.entries()) {
      signal(app, 'SIGTERM');
      assert.equal(await app.child.ended, 'ended with exit code 0');
      const before = balancer.answers.get(app.siteUrl) ?? 0;
      running[place] = await start({ port: Number(new URL(app.siteUrl).port) });
      while ((balancer.answers.get(app.siteUrl) ?? 0) < before + 50) await delay(5);
    }
    const { answered, problems } = await load.end();
    t.diagnostic(`${answered} requests answered`);
    assert.deepEqual(balancer.failures, []);
    assert.deepEqual(problems, []);
  });
});

/** Clients that look at the page, load files and register, each one thing after the other. */
function startLoad(url: string, clients: number) {
  const problems: string[] = [];
  let answered = 0;
  let over = false;
  const things = [
    () => fetch(`${url}/`),
    () => fetch(`${url}/favicon.svg`),
    () => register(url),
    () => fetch(`${url}/retreat.ics`),
  ];
  const visit = async (): Promise<void> => {
    for (let step = 0; !over; step += 1) {
      try {
        const response = await things[step % things.length]?.();
        await response?.arrayBuffer();
        if (response?.status === 200) answered += 1;
        else problems.push(`Step ${step}: ${response?.status}`);
      } catch (error) {
        problems.push(`Step ${step}: ${error}`);
      }
    }
  };
  const visits = Array.from({ length: clients }, visit);
  return {
    async until(count: number): Promise<void> {
      while (answered < count) await delay(5);
    },
    async end() {
      over = true;
      await Promise.all(visits);
      return { answered, problems };
    },
  };
}
