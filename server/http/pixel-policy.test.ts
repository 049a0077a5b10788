import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import request from 'supertest';
import { startTestSite } from '#server/testing/test-site.ts';

async function policyOf(t: Parameters<typeof startTestSite>[0], env: NodeJS.ProcessEnv) {
  const { app } = await startTestSite(t, { env });
  const { headers } = await request(app).get('/').expect(200);
  const directives = (headers['content-security-policy'] ?? '').split(';');
  return new Map(directives.map((directive) => [directive.split(' ')[0], directive]));
}

describe('the policy for the measurement pixel', () => {
  test('R6.1 without an id no host of the pixel is allowed', async (t) => {
    const policy = await policyOf(t, {});
    assert.doesNotMatch([...policy.values()].join(), /facebook/);
  });

  test('R6.1 with an id the pixel’s script is allowed, and its reports by image and by request', async (t) => {
    const policy = await policyOf(t, { META_PIXEL_ID: '1234567890' });
    assert.match(policy.get('script-src') ?? '', / https:\/\/connect\.facebook\.net$/);
    assert.match(policy.get('img-src') ?? '', / https:\/\/www\.facebook\.com$/);
    assert.match(policy.get('connect-src') ?? '', / https:\/\/www\.facebook\.com$/);
    assert.doesNotMatch(policy.get('frame-src') ?? '', /facebook/);
  });

  test('R6.1 a stand-in replaces the pixel’s hosts', async (t) => {
    const scriptUrl = 'http://127.0.0.1:4000/events.js';
    const policy = await policyOf(t, { META_PIXEL_ID: '1234567890', META_PIXEL_SCRIPT_URL: scriptUrl });
    for (const name of ['script-src', 'img-src', 'connect-src']) {
      assert.match(policy.get(name) ?? '', / http:\/\/127\.0\.0\.1:4000\b/);
    }
    assert.doesNotMatch([...policy.values()].join(), /facebook/);
  });
});
