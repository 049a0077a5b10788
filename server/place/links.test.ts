import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import request from 'supertest';
import { startPlace } from '#server/testing/test-place.ts';
import { PLACE_PATH, placePaths } from '#shared/place.ts';

describe('the link in a letter', () => {
  test('opens her page, through a cookie that scripts do not see', async (t) => {
    const { app, tokenWith, see, clock } = await startPlace(t);
    const { headers } = await request(app).get(`${placePaths.enter}${tokenWith()}`).expect(303);
    assert.equal(headers.location, PLACE_PATH);
    const [cookie = ''] = headers['set-cookie'] ?? [];
    const [pair = '', ...attributes] = cookie.split('; ');
    assert.match(pair, /^place=v1\.pi_\w+\.0\.session\.\d+\.[\w-]{43}$/);
    const expected = ['Max-Age=2592000', 'Path=/place', 'HttpOnly', 'SameSite=Lax'];
    assert.deepEqual(
      attributes.filter((one) => !one.startsWith('Expires=')),
      expected,
    );
    assert.ok(clock.now);
    const page = await see(pair).expect(200);
    assert.match(page.text, /Wilma/);
    assert.equal(page.headers['cache-control'], 'no-store');
    assert.equal(page.headers['x-robots-tag'], 'noindex');
    assert.equal(page.headers['referrer-policy'], 'no-referrer');
  });
});
