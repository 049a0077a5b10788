import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { listen } from '#server/http/listen.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { sendRaw } from '#server/testing/network.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { createGuessLimit, createOpsApp } from './create-ops-app.ts';
import { createMetrics } from './monitoring.ts';

const RIGHT = basic('ops:secret');
const WRONG = basic('ops:guess');

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

async function start(t: TestContext, { guessWindowS, password = 'secret' }: StartOptions = {}) {
  const log = createTestLog();
  const metrics = createMetrics('app');
  const credentials = { user: 'ops', password: password || undefined };
  const app = createOpsApp({ probes: {}, credentials, metrics, logger: log.logger, guessWindowS });
  const { url, close } = await listen(app, { host: '127.0.0.1', port: 0 });
  cleanUp(t, close);
  const ask = async (authorization?: string, path = '/metrics'): Promise<Response> => {
    const headers = { Connection: 'close', ...(authorization && { authorization }) };
    const response = await fetch(`${url}${path}`, { headers });
    await response.arrayBuffer();
    return response;
  };
  const askTimes = async (count: number, authorization?: string): Promise<number[]> => {
    const statuses: number[] = [];
    while (statuses.length < count) statuses.push((await ask(authorization)).status);
    return statuses;
  };
  return { url, ask, askTimes, log, metrics };
}

interface StartOptions {
  guessWindowS?: number;
  /** Empty for none. */
  password?: string;
}

/** One status, repeated. */
function times(count: number, status: number): number[] {
  return Array.from({ length: count }, () => status);
}

describe('guessing the password of the ops listener', () => {
  test('after ten wrong passwords the address has to wait, even with the right one; the health check does not', async (t) => {
    const { ask, askTimes, log, metrics } = await start(t);
    assert.match(await metrics.metrics(), /^ops_requests_throttled_total\{service="app"\} 0$/m);
    assert.deepEqual(await askTimes(10, WRONG), times(10, 401));
    for (const authorization of [WRONG, RIGHT, 'Bearer secret']) {
      const { status, headers } = await ask(authorization);
      assert.equal(status, 429);
      const retryAfterS = Number(headers.get('retry-after'));
      assert.ok(retryAfterS > 50 && retryAfterS <= 60, `Retry-After is ${retryAfterS}`);
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
    }
    assert.equal((await ask(undefined, '/healthz')).status, 200);
    assert.match(await metrics.metrics(), /^ops_requests_throttled_total\{service="app"\} 3$/m);
    const warnings = log
      .text()
      .split('\n')
      .filter((line) => line.includes('Too many wrong passwords'));
    assert.equal(warnings.length, 1);
    assert.equal(JSON.parse(warnings[0] ?? '').level, 'warn');
    assert.doesNotMatch(log.text(), /127\.0\.0\.1|guess|secret|Basic/);
  });

  test('once the wait is over, the right password opens again', async (t) => {
    const { ask, askTimes } = await start(t, { guessWindowS: 5 });
    assert.deepEqual(await askTimes(12, WRONG), [...times(10, 401), 429, 429]);
    const { headers } = await ask(RIGHT);
    const retryAfterS = Number(headers.get('retry-after'));
    assert.ok(retryAfterS > 0 && retryAfterS <= 5, `Retry-After is ${retryAfterS}`);
    await delay(retryAfterS * 1000);
    assert.deepEqual(await askTimes(2, RIGHT), [200, 200]);
  });

  test('a request without a password is no guess: a browser sends one before it knows that it needs a password', async (t) => {
    const { askTimes } = await start(t);
    assert.deepEqual(await askTimes(12), times(12, 401));
    assert.deepEqual(await askTimes(1, RIGHT), [200]);
  });

  test('requests with the right password are not counted', async (t) => {
    const { askTimes } = await start(t);
    assert.deepEqual(await askTimes(9, WRONG), times(9, 401));
    assert.deepEqual(await askTimes(12, RIGHT), times(12, 200));
    assert.deepEqual(await askTimes(2, WRONG), [401, 429]);
  });

  test('guesses that are sent all at once are counted too', async (t) => {
    const { url } = await start(t);
    const guess = `GET /metrics HTTP/1.1\r\nHost: here\r\nAuthorization: ${WRONG}\r\n`;
    const { text, count } = await sendRaw(
      url,
      `${`${guess}\r\n`.repeat(49)}${guess}Connection: close\r\n\r\n`,
    );
    assert.equal(count, 50);
    assert.equal(text.split('HTTP/1.1 401 ').length - 1, 10);
    assert.equal(text.split('HTTP/1.1 429 ').length - 1, 40);
  });

  test('without a configured password, nothing is counted as a guess', async (t) => {
    const { askTimes } = await start(t, { password: '' });
    assert.deepEqual(await askTimes(12, WRONG), times(12, 200));
  });

  test('each address is counted separately; beyond a thousand, those that were silent longest are forgotten', async () => {
    const limit = createGuessLimit({ metrics: new Registry(), logger: createTestLog().logger });
    const guessTimes = async (count: number, address: string) => {
      for (let time = 1; time <= count; time += 1) await limit.count(address);
      return limit.count(address);
    };
    assert.ok((await guessTimes(10, 'first')) !== undefined);
    assert.equal(await guessTimes(0, 'second'), undefined);
    for (let other = 0; other < 998; other += 1) await limit.count(`other${other}`);
    assert.ok((await limit.count('first')) !== undefined);
    for (let other = 0; other < 1_000; other += 1) await limit.count(`another${other}`);
    assert.equal(await limit.count('first'), undefined);
  });
});
