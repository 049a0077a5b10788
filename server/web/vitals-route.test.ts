import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import request from 'supertest';
import { startTestSite } from '#server/testing/test-site.ts';
import { VITALS_PATH } from '#shared/vitals.ts';

const LCP = { name: 'LCP', value: 1800 };
const CLS = { name: 'CLS', value: 0.07 };

describe('POST /vitals', () => {
  test('R6.3 a report is counted, in seconds or as a score, by its rating and nothing else', async (t) => {
    const { app, metrics, log } = await startTestSite(t);
    await request(app)
      .post(VITALS_PATH)
      .send({ vitals: [LCP, CLS], page: 'https://retreat.example/?email=wilma@example.org' })
      .expect(204);
    const text = await metrics.metrics();
    assert.match(text, /^web_vitals_lcp_seconds_sum\{rating="good"\} 1\.8$/m);
    assert.match(text, /^web_vitals_lcp_seconds_bucket\{le="1\.5",rating="good"\} 0$/m);
    assert.match(text, /^web_vitals_lcp_seconds_bucket\{le="2",rating="good"\} 1$/m);
    assert.match(text, /^web_vitals_cls_sum\{rating="good"\} 0\.07$/m);
    assert.doesNotMatch(text + log.text(), /wilma/);
  });

  for (const [name, good, poor] of [
    ['CLS', 0.1, 0.25],
    ['FID', 100, 300],
    ['FCP', 1800, 3000],
    ['INP', 200, 500],
    ['LCP', 2500, 4000],
    ['TTFB', 800, 1800],
  ] as const) {
    test(`R6.3 ${name} is rated by the published bounds, whatever the report says of itself`, async (t) => {
      const { app, metrics } = await startTestSite(t);
      for (const value of [good, good + 0.01, poor, poor + 0.01]) {
        await request(app)
          .post(VITALS_PATH)
          .send({ vitals: [{ name, value, rating: 'wilma' }] })
          .expect(204);
      }
      const text = await metrics.metrics();
      const counts = [...text.matchAll(/^web_vitals_\w+_count\{(rating="[\w-]+")\} (\d)$/gm)];
      assert.deepEqual(
        counts.map(([, rating, count]) => [rating, count]),
        [
          ['rating="good"', '1'],
          ['rating="needs-improvement"', '2'],
          ['rating="poor"', '1'],
        ],
      );
    });
  }

  for (const [what, body] of [
    ['no report', {}],
    ['no values', { vitals: [] }],
    ['an unknown name', { vitals: [{ ...LCP, name: 'wilma' }] }],
    ['a negative value', { vitals: [{ ...LCP, value: -1 }] }],
    ['a value above two minutes', { vitals: [{ ...LCP, value: 120_001 }] }],
    ['a score above 100', { vitals: [{ ...CLS, value: 101 }] }],
    ['a text instead of a value', { vitals: [{ ...LCP, value: '1800' }] }],
    ['a value twice', { vitals: [LCP, CLS, LCP] }],
    ['too many values', { vitals: Array.from({ length: 7 }, () => LCP) }],
  ] as const) {
    test(`R6.3 refuses ${what}`, async (t) => {
      const { app, metrics } = await startTestSite(t);
      await request(app).post(VITALS_PATH).send(body).expect(400);
      assert.doesNotMatch(await metrics.metrics(), /^web_vitals_\w+\{/m);
    });
  }

  test('R6.3 refuses a body that is too large, no JSON, or from another site', async (t) => {
    const { app } = await startTestSite(t);
    const post = () => request(app).post(VITALS_PATH);
    await post()
      .send({ vitals: [LCP], more: 'x'.repeat(1024) })
      .expect(413);
    await post()
      .type('text')
      .send(JSON.stringify({ vitals: [LCP] }))
      .expect(400);
    await post()
      .set('Sec-Fetch-Site', 'cross-site')
      .send({ vitals: [LCP] })
      .expect(403);
    await post()
      .set('Origin', 'https://elsewhere.example')
      .send({ vitals: [LCP] })
      .expect(403);
  });

  test('R6.3 refuses an address that sends too many reports, and says when to come back', async (t) => {
    const { app } = await startTestSite(t);
    for (let sent = 0; sent < 60; sent += 1) {
      await request(app)
        .post(VITALS_PATH)
        .send({ vitals: [LCP] })
        .expect(204);
    }
    const { headers } = await request(app)
      .post(VITALS_PATH)
      .send({ vitals: [LCP] })
      .expect(429);
    assert.ok(Number(headers['retry-after']) > 0);
  });
});
