import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Server } from '#scripts/product/product.ts';
import { prepareAppProcesses, signal } from '#server/testing/processes.ts';
import { register } from '#server/testing/test-site.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';

/** An app whose payment provider answers upon `release`, and a visitor who waits for that. */
async function startWaiting(t: TestContext, extras: { nodeArgs?: string[] } = {}) {
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
  const app = await apps.start(extras);
  const asked = once(events, 'asked');
  const answer = register(app.siteUrl);
  await asked;
  return { ...apps, app, answer, release: () => void events.emit('answer'), events };
}

/** Node's arguments for code that runs before the app's own. */
function ahead(code: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}

/** Makes the app wait for one more signal before it exits. */
const LINGERS = ahead(`
  const exit = process.exit;
  process.exit = (code) => {
    setInterval(() => {}, 1_000);
    process.once("SIGUSR2", () => exit(code));
    process.stdout.write("Lingering\\n");
  };
`);

async function untilSaid({ lines, ended: end }: Server, words: string): Promise<void> {
  let ended = false;
  end.then(() => {
    ended = true;
  });
  while (!lines.some((line) => line.includes(words))) {
    assert.equal(ended, false, `The app ended before it said "${words}"`);
    await delay(5);
  }
}

/** Whether a client of Redis is the only one. */
async function isAlone(client: Redis): Promise<boolean> {
  const clients = String(await client.client('LIST'));
  return clients.trim().split('\n').length === 1;
}

describe('stopping the app', () => {
  test('after SIGTERM it accepts no new connections, finishes requests in flight, leaves Redis and exits with 0', async (t) => {
    const { app, answer, release, events, redis } = await startWaiting(t, { nodeArgs: LINGERS });
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
    await untilSaid(app, '"msg":"Stopped"');
    await untilSaid(app, 'Lingering');
    const client = new Redis(redis.url);
    while (!(await isAlone(client))) await delay(5);
    client.disconnect();
    signal(app, 'SIGUSR2');
    assert.equal(await app.ended, 'ended with exit code 0');
  });

  test('while it drains it goes on serving, but says that it is not ready', async (t) => {
    const { start } = await prepareAppProcesses(t);
    const app = await start({ env: { DRAIN_SECONDS: '5' } });
    const asked = async (path: string) => (await fetch(`${app.siteUrl}${path}`)).status;
    assert.equal(await asked('/readyz'), 200);
    const sinceMs = performance.now();
    signal(app, 'SIGTERM');
    await untilSaid(app, 'Stopping');
    assert.deepEqual(await Promise.all(['/readyz', '/healthz', '/'].map(asked)), [503, 200, 200]);
    assert.equal((await register(app.siteUrl)).status, 200);
    assert.equal(await app.ended, 'ended with exit code 0');
    assert.ok(performance.now() - sinceMs >= 5_000);
  });

  test('a request that does not end in time is cut off, and logged', async (t) => {
    const { app, answer } = await startWaiting(t);
    const cut = assert.rejects(answer);
    signal(app, 'SIGTERM');
    assert.equal(await app.ended, 'ended with exit code 0');
    await cut;
    const told = app.lines.map((line) => JSON.parse(line));
    assert.equal(told.find(({ msg }) => msg === 'Requests were cut off')?.requests, 1);
    assert.equal(told.find(({ msg }) => msg === 'request aborted')?.req.path, CREATE_PAYMENT_PATH);
  });

  test('a second signal ends it at once', async (t) => {
    const { app, answer } = await startWaiting(t);
    const cut = assert.rejects(answer);
    signal(app, 'SIGTERM');
    await untilSaid(app, 'Stopping');
    signal(app, 'SIGTERM');
    assert.equal(await app.ended, 'ended with exit code 1');
    await cut;
  });

  test('an unexpected error is logged and ends it, so that the supervisor restarts it', async (t) => {
    const { start } = await prepareAppProcesses(t);
    for (const failure of ['throw new Error("unforeseen")', 'Promise.reject(new Error("unforeseen"))']) {
      const app = await start({ nodeArgs: ahead(`process.on("SIGUSR2", () => { ${failure}; })`) });
      signal(app, 'SIGUSR2');
      assert.equal(await app.ended, 'ended with exit code 1');
      const last = JSON.parse(app.lines.at(-1) ?? '');
      assert.deepEqual([last.level, last.err.message], ['fatal', 'unforeseen']);
    }
  });
});
