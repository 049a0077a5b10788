import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import request from 'supertest';
import { openTestOffice } from '#server/testing/test-office.ts';
import { fill } from '#server/testing/test-redis.ts';
import { startTestSite, submitContact } from '#server/testing/test-site.ts';

describe('the app’s metrics', () => {
  test('count requests by route and status, calls to Stripe by operation, refusals by limit; contain nothing that was typed', async (t) => {
    const site = await startTestSite(t, { env: { RATE_LIMIT_PER_ADDRESS: '1' } });
    const { app, metrics, sandbox } = site;
    await request(app).get('/').expect(200);
    await request(app).get('/').expect(200);
    await request(app).get('/wilma@example.org').expect(404);
    await submitContact(app, {}, 'a'.repeat(32)).expect(200);
    await submitContact(app, {}, 'b'.repeat(32)).expect(429);
    const text = await metrics.metrics();
    for (const line of [
      'http_request_duration_seconds_count{route="page",status="200"} 2',
      'page_cache_requests_total{result="miss"} 1',
      'page_cache_requests_total{result="hit"} 1',
      'page_render_duration_seconds_count{outcome="whole"} 1',
      'http_request_duration_seconds_count{route="other",status="404"} 1',
      'http_request_duration_seconds_count{route="registration",status="200"} 1',
      'http_request_duration_seconds_count{route="registration",status="429"} 1',
      'stripe_call_duration_seconds_count{operation="POST customers",status="200"} 1',
      'stripe_call_duration_seconds_count{operation="POST payment_intents",status="200"} 1',
      'registrations_refused_total{limit="registrations-by-address"} 1',
      'letters_withheld_total{limit="letters-by-email"} 0',
      'registrations_counted_in_memory_total 0',
      'page_cache_requests_total{result="shared"} 0',
      'deposits_total{event="begun"} 1',
      'deposits_total{event="paid"} 0',
    ]) {
      assert.ok(text.includes(line), `no ${line} in\n${text}`);
    }
    assert.equal(text.includes('wilma'), false);
    await sandbox.close();
    const ops = openTestOffice(t, site);
    await request(ops)
      .get('/readyz')
      .expect(200, { status: 'ok', redis: 'ok', stripe: 'ok', register: 'ok' });
  });

  test('R5.1 count the mails of a registration as owed while Redis is full', async (t) => {
    const { app, metrics, redis } = await startTestSite(t);
    await submitContact(app, {}, 'a'.repeat(32)).expect(200);
    assert.match(await metrics.metrics(), /^mails_owed_total 0$/m);
    await fill(redis);
    await submitContact(app, {}, 'b'.repeat(32)).expect(200);
    assert.match(await metrics.metrics(), /^mails_owed_total 2$/m);
  });

  test('count a Stripe that does not answer, which the readiness check reports', async (t) => {
    const site = await startTestSite(t);
    const { app, metrics, sandbox } = site;
    await sandbox.close();
    await submitContact(app, {}, 'a'.repeat(32)).expect(504);
    assert.match(await metrics.metrics(), /^stripe_unreachable_total 1$/m);
    const ops = openTestOffice(t, site);
    await request(ops)
      .get('/readyz')
      .expect(200, { status: 'ok', redis: 'ok', stripe: 'away', register: 'ok' });
  });
});
