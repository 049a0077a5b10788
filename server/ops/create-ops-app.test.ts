import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Router } from 'express';
import request from 'supertest';
import { listen } from '#server/http/listen.ts';
import { reportQueue } from '#server/mail/queue-metrics.ts';
import { Metrics } from '#server/service/metrics.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { sendRaw } from '#server/testing/network.ts';
import { letter } from '#server/testing/sample-letters.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { signIn, startTestOffice } from '#server/testing/test-office.ts';
import { createOpsApp } from './create-ops-app.ts';

async function startOps(t: TestContext) {
  const metrics = new Metrics('app');
  const env = { OPS_PASSWORD: 'secret' };
  const { office: ops, ...site } = await startTestOffice(t, { metrics, env });
  const { mailQueue, redis, log } = site;
  reportQueue(metrics, mailQueue);
  return {
    ops,
    mailQueue,
    redis,
    log,
    getMetrics: () => request(ops).get('/metrics').auth('ops', 'secret'),
  };
}

/** The value of one sample in Prometheus's text. */
function sample(text: string, name: string): number {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.split(' ')[1]);
}

describe('the ops listener', () => {
  test('R5.1 shows its metrics to those who have the password, and to nobody else', async (t) => {
    const { ops, getMetrics } = await startOps(t);
    const refused = await request(ops).get('/metrics').expect(401);
    assert.match(refused.headers['www-authenticate'] ?? '', /^Basic /);
    await request(ops).get('/metrics').auth('ops', 'guess').expect(401);
    await request(ops).get('/metrics').auth('root', 'secret').expect(401);
    const { cookie } = await signIn(ops, 'support');
    await request(ops).get('/metrics').set('Cookie', cookie).expect(401);
    await getMetrics().expect(200);
  });

  test('the password of the metrics opens no page: status is for support alone', async (t) => {
    const { ops } = await startOps(t);
    const { headers } = await request(ops).get('/office/status').auth('ops', 'secret').expect(303);
    assert.equal(headers.location, `/office/sign-in?to=${encodeURIComponent('/office/status')}`);
    await (await signIn(ops, 'office')).get('/office/status').expect(403);
    await (await signIn(ops, 'support')).get('/office/status').expect(200);
  });

  test('leads from its first page to the office', async (t) => {
    const { ops } = await startOps(t);
    await request(ops).get('/').expect(303).expect('Location', '/office');
    await request(ops).get('/office').expect(303).expect('Location', '/office/sign-in?to=%2Foffice');
  });

  test('every request has a line in the log: wrong passwords as warnings, failures with what failed', async () => {
    const log = createTestLog();
    const router = Router().get('/broken', () => {
      throw new Error('unforeseen');
    });
    const dependencies = {
      probes: {},
      password: 'secret',
      metrics: new Metrics('app'),
      logger: log.logger,
    };
    const ops = createOpsApp(dependencies, { router, knownPaths: [], renderFailure: () => undefined });
    await request(ops).get('/healthz').expect(200);
    await request(ops).get('/metrics').auth('ops', 'guess').expect(401);
    await request(ops).get('/metrics').auth('ops', 'secret').expect(200);
    const { text } = await request(ops).get('/broken').auth('ops', 'secret').expect(500);
    assert.equal(text, 'Internal Server Error\n');
    assert.deepEqual(
      log.lines('"req":').map(({ level, req, res, err }) => [level, req.path, res.status, err?.message]),
      [
        ['warn', '/metrics', 401, undefined],
        ['info', '/metrics', 200, undefined],
        ['error', undefined, 500, 'unforeseen'],
      ],
    );
    assert.doesNotMatch(log.text(), /guess|secret|Basic/);
  });

  test('R5.1 has metrics of the mails by state, and of the age of the oldest that waits', async (t) => {
    const { mailQueue, getMetrics } = await startOps(t);
    await mailQueue.add(letter('registration-received'), letter('office-notice'));
    const { bullQueue } = mailQueue;
    await bullQueue.add('old', null, { timestamp: Date.now() - 90_000 });
    const { text } = await getMetrics()
      .expect(200)
      .expect('Content-Type', /text\/plain/);
    assert.equal(sample(text, 'mail_queue_up{service="app"}'), 1);
    assert.equal(sample(text, 'mail_jobs{state="waiting",service="app"}'), 3);
    assert.equal(sample(text, 'mail_jobs{state="failed",service="app"}'), 0);
    const oldestS = sample(text, 'mail_oldest_waiting_seconds{service="app"}');
    assert.ok(oldestS >= 90 && oldestS < 120, `the oldest is ${oldestS} s old`);
    assert.equal(sample(text, 'dependency_up{name="redis",service="app"}'), 1);
    assert.doesNotMatch(text, /dependency_up\{name="stripe"/);
    assert.ok(sample(text, 'process_resident_memory_bytes{service="app"}') > 0);
  });

  test('R5.1 has metrics that say when Redis hangs, without delay and without old numbers', async (t) => {
    const { mailQueue, redis, getMetrics } = await startOps(t);
    await mailQueue.add(letter('registration-received'));
    await getMetrics().expect(200);
    process.kill(redis.pid(), 'SIGSTOP');
    try {
      const { text } = await getMetrics().expect(200);
      assert.equal(sample(text, 'mail_queue_up{service="app"}'), 0);
      assert.doesNotMatch(text, /mail_jobs\{/);
    } finally {
      process.kill(redis.pid(), 'SIGCONT');
    }
  });
});

const AUTHORISATION = `Basic ${Buffer.from('ops:secret').toString('base64')}`;

async function startListening(t: TestContext) {
  const env = { OPS_PASSWORD: 'secret' };
  const { office: ops } = await startTestOffice(t, { env });
  const { cookie } = await signIn(ops, 'support');
  const { url, close } = await listen(ops, { host: '127.0.0.1', port: 0 });
  cleanUp(t, close);
  const ask = async (path: string, method = 'GET', headers: Record<string, string> = {}) => {
    const all = { Authorization: AUTHORISATION, Cookie: cookie, ...headers };
    const response = await fetch(`${url}${path}`, { method, headers: all, redirect: 'manual' });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return { ask };
}

describe('the ops listener towards attackers', () => {
  test('every answer has strict headers', async (t) => {
    const { ask } = await startListening(t);
    for (const path of ['/', '/healthz', '/metrics', '/nothing', '/office/status', '/office/%']) {
      const { headers } = await ask(path);
      const policy = headers.get('content-security-policy') ?? '';
      assert.doesNotMatch(policy, /script-src|unsafe-inline|unsafe-eval|https:/, path);
      assert.match(policy, /default-src 'none'/, path);
      assert.equal(headers.get('referrer-policy'), 'same-origin');
      assert.match(policy, /frame-ancestors 'none'/);
      assert.match(headers.get('permissions-policy') ?? '', /camera=\(\).*payment=\(\)/);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('x-powered-by'), null, path);
    }
    const { status, headers } = await ask('/metrics', 'GET', { Authorization: '' });
    assert.equal(status, 401);
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
  });

  test('a malformed or unknown address gets its status, no stack and no echo', async (t) => {
    const { ask } = await startListening(t);
    for (const [path, expected] of [
      ['/nothing<b>', 404],
      ['/office/registrations/%', 400],
    ] as const) {
      const { status, text } = await ask(path);
      assert.equal(status, expected, path);
      assert.doesNotMatch(text, /nothing|at .*:\d+:\d+|node_modules/);
    }
  });

  test('its pages without a form accept no changes', async (t) => {
    const { ask } = await startListening(t);
    for (const path of ['/', '/metrics']) assert.equal((await ask(path, 'POST')).status, 405);
  });
});

const RIGHT = basic('ops:secret');
const WRONG = basic('ops:guess');

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

test('a process that cannot serve is alive but not ready, and says why', async () => {
  const options = {
    probes: {},
    password: 'secret',
    metrics: new Metrics('app'),
  };
  const { logger } = createTestLog();
  const app = createOpsApp({ ...options, logger, whyNotReady: () => 'register unusable' });
  await request(app).get('/healthz').expect(200, { status: 'ok' });
  await request(app).get('/readyz').expect(503, { status: 'register unusable' });
});

async function startWithPassword(t: TestContext, { guessWindowS, password = 'secret' }: StartOptions = {}) {
  const log = createTestLog();
  const metrics = new Metrics('app');
  const options = { probes: {}, password: password || undefined, metrics, logger: log.logger };
  const app = createOpsApp({ ...options, guessWindowS });
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
    const { ask, askTimes, log, metrics } = await startWithPassword(t);
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
    const [{ level }, ...others] = log.lines('Too many wrong passwords');
    assert.deepEqual([level, others], ['warn', []]);
    assert.doesNotMatch(log.text(), /127\.0\.0\.1|guess|secret|Basic/);
  });

  test('once the wait is over, the right password opens again', async (t) => {
    const { ask, askTimes } = await startWithPassword(t, { guessWindowS: 5 });
    assert.deepEqual(await askTimes(12, WRONG), [...times(10, 401), 429, 429]);
    const { headers } = await ask(RIGHT);
    const retryAfterS = Number(headers.get('retry-after'));
    assert.ok(retryAfterS > 0 && retryAfterS <= 5, `Retry-After is ${retryAfterS}`);
    await delay(retryAfterS * 1000);
    assert.deepEqual(await askTimes(2, RIGHT), [200, 200]);
  });

  test('a request without a password is no guess: a browser sends one before it knows that it needs a password', async (t) => {
    const { askTimes } = await startWithPassword(t);
    assert.deepEqual(await askTimes(12), times(12, 401));
    assert.deepEqual(await askTimes(1, RIGHT), [200]);
  });

  test('requests with the right password are not counted', async (t) => {
    const { askTimes } = await startWithPassword(t);
    assert.deepEqual(await askTimes(9, WRONG), times(9, 401));
    assert.deepEqual(await askTimes(12, RIGHT), times(12, 200));
    assert.deepEqual(await askTimes(2, WRONG), [401, 429]);
  });

  test('guesses that are sent all at once are counted too', async (t) => {
    const { url } = await startWithPassword(t);
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
    const { askTimes } = await startWithPassword(t, { password: '' });
    assert.deepEqual(await askTimes(12, WRONG), times(12, 200));
  });
});
