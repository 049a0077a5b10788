import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import request from 'supertest';
import { startTestSite } from '#server/testing/test-site.ts';
import { createOpsApp } from './create-ops-app.ts';

const probes = { redis: () => true };

describe('the ops listener', () => {
  test('R5.4 shows the mail queue to those who have the password, and to nobody else', async (t) => {
    const { mailQueue } = await startTestSite(t);
    await mailQueue.add({
      kind: 'registration-received',
      paymentIntentId: 'pi_1',
      firstName: 'Wilma',
      email: 'wilma@example.org',
    });
    const ops = createOpsApp({ probes, mailQueue, credentials: { user: 'ops', password: 'secret' } });

    for (const path of ['/', '/queues', '/queues/api/queues']) {
      const refused = await request(ops).get(path).expect(401);
      assert.match(refused.headers['www-authenticate'] ?? '', /^Basic /);
      await request(ops).get(path).auth('ops', 'guess').expect(401);
      await request(ops).get(path).auth('root', 'secret').expect(401);
    }
    await request(ops).get('/queues').auth('ops', 'secret').expect(200).expect('Content-Type', /html/);
    const { body } = await request(ops).get('/queues/api/queues').auth('ops', 'secret').expect(200);
    assert.equal(body.queues[0].name, 'mail');
    assert.equal(body.queues[0].counts.waiting, 1);
  });

  test('says at once when Redis is away, instead of waiting for it', async (t) => {
    const { mailQueue } = await startTestSite(t, { redisRunning: false });
    const ops = createOpsApp({ probes, mailQueue, credentials: { user: 'ops', password: 'secret' } });
    const { text } = await request(ops).get('/queues/api/queues').auth('ops', 'secret').expect(503);
    assert.match(text, /Redis is away/);
  });

  test('answers the container’s health check without a password', async (t) => {
    const { mailQueue } = await startTestSite(t);
    const ops = createOpsApp({ probes, mailQueue, credentials: { user: 'ops', password: 'secret' } });
    await request(ops).get('/healthz').expect(200);
  });
});
