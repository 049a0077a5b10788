import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Router } from 'express';
import request from 'supertest';
import { reportQueue } from '#server/letters/queue-metrics.ts';
import { Metrics } from '#server/ops/metrics.ts';
import { sendRaw, startListener } from '#server/testing/network.ts';
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

test('every answer of the ops listener has strict headers; a wrong address gets its status, no stack and no echo', async (t) => {
  const { ops } = await startOps(t);
  const { cookie } = await signIn(ops, 'support');
  for (const [status, path, method = 'get'] of [
    [303, '/'],
    [405, '/', 'post'],
    [200, '/healthz'],
    [200, '/metrics'],
    [405, '/metrics', 'post'],
    [200, '/office/status'],
    [404, '/nothing<b>'],
    [404, '/office/%'],
    [400, '/office/registrations/%'],
  ] as const) {
    const asked = request(ops)[method](path).auth('ops', 'secret').set('Cookie', cookie);
    const { headers, text } = await asked.expect(status);
    const policy = headers['content-security-policy'] ?? '';
    assert.doesNotMatch(policy, /script-src|unsafe-inline|unsafe-eval|https:/, path);
    for (const rule of [/default-src 'none'/, /frame-ancestors 'none'/]) assert.match(policy, rule);
    assert.equal(headers['referrer-policy'], 'same-origin');
    assert.match(headers['permissions-policy'] ?? '', /camera=\(\).*payment=\(\)/);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['x-powered-by'], undefined);
    if (status >= 400) assert.doesNotMatch(text, /nothing|at .*:\d+:\d+|node_modules/);
  }
  await request(ops)
    .get('/metrics')
    .expect(401)
    .expect('Content-Security-Policy', /default-src 'none'/);
});

const basic = (credentials: string): string => `Basic ${Buffer.from(credentials).toString('base64')}`;
const RIGHT = basic('ops:secret');
const WRONG = basic('ops:guess');

test('a process that cannot serve is alive but not ready, and says why', async () => {
  const options = { probes: {}, password: 'secret', metrics: new Metrics('app') };
  const { logger } = createTestLog();
  const app = createOpsApp({ ...options, logger, whyNotReady: () => 'register unusable' });
  await request(app).get('/healthz').expect(200, { status: 'ok' });
  await request(app).get('/readyz').expect(503, { status: 'register unusable' });
});

interface GuessOptions {
  guessWindowS?: number;
  password?: string | undefined;
}

async function startGuessing(t: TestContext, { guessWindowS, password }: GuessOptions = {}) {
  const log = createTestLog();
  const metrics = new Metrics('app');
  const app = createOpsApp({ probes: {}, password, metrics, logger: log.logger, guessWindowS });
  const { url } = await startListener(t, {}, app);
  const ask = (authorization?: string, path = '/metrics'): Promise<Response> =>
    fetch(`${url}${path}`, { headers: { Connection: 'close', ...(authorization && { authorization }) } });
  /** How often each status came, one request after the other. */
  const askTimes = async (count: number, authorization?: string) => {
    const statuses: Record<number, number> = {};
    for (let time = 1; time <= count; time += 1) {
      const { status } = await ask(authorization);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
    return statuses;
  };
  return { url, ask, askTimes, log, metrics };
}

describe('guessing the password of the ops listener', () => {
  test('after ten wrong passwords the address has to wait, even with the right one; the health check does not', async (t) => {
    const { ask, askTimes, log, metrics } = await startGuessing(t, { password: 'secret' });
    assert.match(await metrics.metrics(), /^ops_requests_throttled_total\{service="app"\} 0$/m);
    assert.deepEqual(await askTimes(10, WRONG), { 401: 10 });
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
    const { ask, askTimes } = await startGuessing(t, { password: 'secret', guessWindowS: 5 });
    assert.deepEqual(await askTimes(12, WRONG), { 401: 10, 429: 2 });
    const retryAfterS = Number((await ask(RIGHT)).headers.get('retry-after'));
    assert.ok(retryAfterS > 0 && retryAfterS <= 5, `Retry-After is ${retryAfterS}`);
    await delay(retryAfterS * 1000);
    assert.deepEqual(await askTimes(2, RIGHT), { 200: 2 });
  });

  for (const [what, password, ...asked] of [
    [
      'a request without a password is no guess: a browser sends one before it knows that it needs one',
      'secret',
      [12, undefined, { 401: 12 }],
      [1, RIGHT, { 200: 1 }],
    ],
    [
      'requests with the right password are not counted',
      'secret',
      [9, WRONG, { 401: 9 }],
      [12, RIGHT, { 200: 12 }],
      [2, WRONG, { 401: 1, 429: 1 }],
    ],
    ['without a configured password nothing is a guess', undefined, [12, WRONG, { 200: 12 }]],
  ] as const)
    test(what, async (t) => {
      const { askTimes } = await startGuessing(t, { password });
      for (const [count, authorization, statuses] of asked)
        assert.deepEqual(await askTimes(count, authorization), statuses);
    });

  test('guesses that are sent all at once are counted too', async (t) => {
    const { url } = await startGuessing(t, { password: 'secret' });
    const guess = `GET /metrics HTTP/1.1\r\nHost: here\r\nAuthorization: ${WRONG}\r\n`;
    const all = `${`${guess}\r\n`.repeat(49)}${guess}Connection: close\r\n\r\n`;
    const { text, count } = await sendRaw(url, all);
    const times = (status: number) => text.split(`HTTP/1.1 ${status} `).length - 1;
    assert.deepEqual([count, times(401), times(429)], [50, 10, 40]);
  });
});
