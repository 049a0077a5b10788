import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { letter } from '#scripts/world/letters.ts';
import { listen } from '#server/http/listen.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { signIn, startTestOffice } from '#server/testing/test-office.ts';

const AUTHORISATION = `Basic ${Buffer.from('ops:secret').toString('base64')}`;

async function start(t: TestContext) {
  const env = { OPS_USER: 'ops', OPS_PASSWORD: 'secret' };
  const { office: ops, mailQueue } = await startTestOffice(t, { env });
  await mailQueue.add(letter('registration-received'));
  const { cookie } = await signIn(ops, 'support');
  const { url, close } = await listen(ops, { host: '127.0.0.1', port: 0 });
  cleanUp(t, close);
  const ask = async (path: string, method = 'GET', headers: Record<string, string> = {}) => {
    const all = { Authorization: AUTHORISATION, Cookie: cookie, ...headers };
    const response = await fetch(`${url}${path}`, { method, headers: all, redirect: 'manual' });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return { url, ask, mailQueue };
}

describe('the ops listener towards attackers', () => {
  test('every answer has strict headers; only the board may have inline styles', async (t) => {
    const { ask } = await start(t);
    const board = new Set(['/queues', '/queues/api/queues']);
    for (const path of ['/', '/healthz', '/metrics', '/nothing', '/office/status', '/queues/%', ...board]) {
      const { headers } = await ask(path);
      const policy = headers.get('content-security-policy') ?? '';
      assert.equal(/unsafe-inline/.test(policy), path.startsWith('/queues'), path);
      assert.doesNotMatch(policy, /script-src|unsafe-eval|https:/);
      assert.equal(/default-src 'none'/.test(policy), !path.startsWith('/queues'), path);
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
    const { ask } = await start(t);
    for (const [path, expected] of [
      ['/nothing<b>', 404],
      ['/queues/%', 404],
      ['/queues/api/queues/%/x', 400],
    ] as const) {
      const { status, text } = await ask(path);
      assert.equal(status, expected, path);
      assert.doesNotMatch(text, /nothing|at .*:\d+:\d+|node_modules/);
    }
  });

  test('changes are accepted from the board’s own page only', async (t) => {
    const { url, ask, mailQueue } = await start(t);
    const pause = (headers: Record<string, string>) => ask('/queues/api/queues/mail/pause', 'PUT', headers);
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      {},
    ]) {
      assert.equal((await pause(headers)).status, 403);
    }
    assert.equal(await mailQueue.bullQueue.isPaused(), false);
    assert.equal((await pause({ Origin: url })).status, 200);
    assert.equal(await mailQueue.bullQueue.isPaused(), true);
    for (const path of ['/', '/metrics']) assert.equal((await ask(path, 'POST')).status, 405);
  });
});
