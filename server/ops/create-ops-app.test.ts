import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { Router } from 'express';
import request from 'supertest';
import { letter } from '#scripts/world/letters.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { signIn, startTestOffice } from '#server/testing/test-office.ts';
import { createOpsApp } from './create-ops-app.ts';
import { addMailOutcomes, addQueueMetrics } from './mail-metrics.ts';
import { createMetrics } from './monitoring.ts';

async function startOps(t: TestContext, { redisRunning = true } = {}) {
  const metrics = createMetrics('app');
  const env = { OPS_USER: 'ops', OPS_PASSWORD: 'secret' };
  const { office: ops, ...site } = await startTestOffice(t, { redisRunning, metrics, env });
  const { mailQueue, redis, log } = site;
  addQueueMetrics(metrics, mailQueue);
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

  test('R5.4 shows the mail queue to support, and to nobody else', async (t) => {
    const { ops, mailQueue } = await startOps(t);
    await mailQueue.add(letter('registration-received'));
    const office = await signIn(ops, 'office');
    for (const path of ['/office/status', '/queues', '/queues/api/queues']) {
      await request(ops).get(path).set('Accept', 'application/json').expect(401);
      const { headers } = await request(ops).get(path).auth('ops', 'secret').expect(303);
      assert.equal(headers.location, `/office/sign-in?to=${encodeURIComponent(path)}`);
      await office.get(path).expect(403);
    }
    const { get } = await signIn(ops, 'support');
    await get('/queues').expect(200).expect('Content-Type', /html/);
    const { body } = await get('/queues/api/queues').expect(200);
    assert.equal(body.queues[0].name, 'mail');
    assert.equal(body.queues[0].counts.waiting, 1);
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
    const credentials = { user: 'ops', password: 'secret' };
    const dependencies = { probes: {}, credentials, metrics: createMetrics('app'), logger: log.logger };
    const ops = createOpsApp(dependencies, { router, knownPaths: [], renderFailure: () => undefined });
    await request(ops).get('/healthz').expect(200);
    await request(ops).get('/metrics').auth('ops', 'guess').expect(401);
    await request(ops).get('/metrics').auth('ops', 'secret').expect(200);
    const { text } = await request(ops).get('/broken').auth('ops', 'secret').expect(500);
    assert.equal(text, 'Internal Server Error\n');
    const lines = log
      .text()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ level, req, res, err }) => [level, req.path, res.status, err?.message]),
      [
        ['warn', '/metrics', 401, undefined],
        ['info', '/metrics', 200, undefined],
        ['error', undefined, 500, 'unforeseen'],
      ],
    );
    assert.doesNotMatch(log.text(), /guess|secret|Basic/);
  });

  test('says at once when Redis is away, instead of waiting for it', async (t) => {
    const { ops } = await startOps(t, { redisRunning: false });
    const { get } = await signIn(ops, 'support');
    const { text } = await get('/queues/api/queues').expect(503);
    assert.match(text, /Redis is not available/);
  });

  test('does not wait for a Redis that hangs: neither list nor board', async (t) => {
    const { ops, redis } = await startOps(t);
    const { get } = await signIn(ops, 'support');
    process.kill(redis.pid(), 'SIGSTOP');
    cleanUp(t, async () => process.kill(redis.pid(), 'SIGCONT'));
    const startedAt = performance.now();
    await Promise.all(['/queues/api/queues', '/office'].map((path) => get(path).expect(503)));
    assert.ok(performance.now() - startedAt < 5_000);
  });

  test('answers the container’s health check without a password', async (t) => {
    const { ops } = await startOps(t);
    await request(ops).get('/healthz').expect(200);
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

  test('R5.1 has metrics of sent and failed mails', async () => {
    const metrics = createMetrics('worker');
    const outcomes = addMailOutcomes(metrics);
    const sentNone = sample(await metrics.metrics(), 'mail_sent_total{kind="welcome",service="worker"}');
    assert.equal(sentNone, 0);
    outcomes.sent('welcome');
    outcomes.failed('welcome', false);
    outcomes.failed('welcome', true);
    const text = await metrics.metrics();
    assert.equal(sample(text, 'mail_sent_total{kind="welcome",service="worker"}'), 1);
    for (const final of ['true', 'false']) {
      const name = `mail_attempts_failed_total{kind="welcome",final="${final}",service="worker"}`;
      assert.equal(sample(text, name), 1);
    }
  });
});
