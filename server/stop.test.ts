import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { AppProcess } from '#scripts/abuse/app-process.ts';
import { prepareAppProcesses, signal } from './testing/test-app-process.ts';
import { register } from './testing/test-visitor.ts';

/** An app whose payment provider answers when it is told to. */
async function startWaiting(t: TestContext) {
  const events = new EventEmitter();
  const apps = await prepareAppProcesses(t, {
    async intercept({ method }) {
      if (method !== 'POST') return undefined;
      const answer = once(events, 'answer');
      events.emit('asked');
      await answer;
      return undefined;
    },
  });
  const app = await apps.start();
  const asked = once(events, 'asked');
  const answer = register(app.siteUrl);
  await asked;
  return { ...apps, app, answer, release: () => void events.emit('answer'), events };
}

async function untilSaid({ lines, child }: AppProcess, words: string): Promise<void> {
  let ended = false;
  child.ended.then(() => {
    ended = true;
  });
  while (!lines.some((line) => line.includes(words))) {
    assert.equal(ended, false, `The app ended before it said "${words}"`);
    await delay(5);
  }
}

describe('stopping the app', () => {
  test('SIGTERM accepts nobody new, finishes what is in flight, leaves Redis, exits with 0', async (t) => {
    const { app, answer, release, events, redis } = await startWaiting(t);
    signal(app, 'SIGTERM');
    await untilSaid(app, 'Stopping');
    while (
      await fetch(`${app.siteUrl}/healthz`).then(
        () => true,
        () => false,
      )
    )
      await delay(5);
    events.on('asked', () => setImmediate(release));
    release();
    const response = await answer;
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('Connection'), 'close');
    assert.equal(await app.child.ended, 'ended with exit code 0');
    assert.match(app.lines.at(-1) ?? '', /"msg":"Stopped"/);
    const client = new Redis(redis.url);
    const others =
      String(await client.client('LIST'))
        .trim()
        .split('\n').length - 1;
    client.disconnect();
    assert.equal(others, 0);
  });

  test('a second signal ends it at once', async (t) => {
    const { app, answer } = await startWaiting(t);
    const cut = assert.rejects(answer);
    signal(app, 'SIGTERM');
    await untilSaid(app, 'Stopping');
    signal(app, 'SIGTERM');
    assert.equal(await app.child.ended, 'ended with exit code 1');
    await cut;
  });

  test('an unknown error is logged and ends it, for the supervisor to start it afresh', async (t) => {
    const { start } = await prepareAppProcesses(t);
    for (const failure of ['throw new Error("unforeseen")', 'Promise.reject(new Error("unforeseen"))']) {
      const module = `process.on("SIGUSR2", () => { ${failure}; })`;
      const app = await start({
        nodeArgs: ['--import', `data:text/javascript,${encodeURIComponent(module)}`],
      });
      signal(app, 'SIGUSR2');
      assert.equal(await app.child.ended, 'ended with exit code 1');
      const last = JSON.parse(app.lines.at(-1) ?? '');
      assert.deepEqual([last.level, last.err.message], ['fatal', 'unforeseen']);
    }
  });
});
