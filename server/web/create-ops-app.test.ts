import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { Router } from 'express';
import request from 'supertest';
import { reportQueue } from '#server/letters/queue-metrics.ts';
import { Metrics } from '#server/ops/metrics.ts';
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

test('a process that cannot serve is alive but not ready, and says why', async () => {
  const options = { probes: {}, password: 'secret', metrics: new Metrics('app') };
  const { logger } = createTestLog();
  const app = createOpsApp({ ...options, logger, whyNotReady: () => 'register unusable' });
  await request(app).get('/healthz').expect(200, { status: 'ok' });
  await request(app).get('/readyz').expect(503, { status: 'register unusable' });
});
