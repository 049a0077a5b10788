import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { WEBHOOK_PATH } from '#server/stripe/webhook-route.ts';
import { sendRaw, startListener } from '#server/testing/network.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { startTestSite } from '#server/testing/test-site.ts';
import { videos } from '#shared/content/compiled/on-sale.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';
import { type RenderPage, renderToMemory } from './page-cache.ts';

async function start(t: TestContext, env: NodeJS.ProcessEnv = {}, changes: { renderPage?: RenderPage } = {}) {
  const { app, sandbox } = await startTestSite(t, { env, changes });
  const { url } = await startListener(t, {}, app);
  const send = (method: string, path: string, headers: readonly string[] = [], body = '') => {
    const lines = [`${method} ${path} HTTP/1.1`, 'Host: here', 'Connection: close', ...headers];
    return sendRaw(url, `${lines.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  };
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, { redirect: 'manual', ...init });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return { send, ask, sandbox };
}

describe('methods', () => {
  test('that a path does not support get 405, with those that it supports', async (t) => {
    const { send } = await start(t);
    const refused = [
      ['/', 'GET, HEAD', ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']],
      ['/favicon.svg', 'GET, HEAD', ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']],
      ['/healthz', 'GET, HEAD', ['POST', 'DELETE', 'OPTIONS']],
      ['/nothing', 'GET, HEAD', ['POST', 'PUT']],
      [CREATE_PAYMENT_PATH, 'POST', ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'TRACE']],
      [WEBHOOK_PATH, 'POST', ['GET', 'HEAD', 'PUT', 'OPTIONS']],
    ] as const;
    for (const [path, allowed, methods] of refused) {
      for (const method of methods) {
        const { status, text } = await send(method, path, ['Origin: https://evil.example']);
        assert.equal(status, 405, `${method} ${path}`);
        assert.ok(text.includes(`\r\nAllow: ${allowed}\r\n`), `${method} ${path}`);
        assert.doesNotMatch(text, /Access-Control/i);
      }
    }
  });
});

describe('security headers', () => {
  const PATHS = ['/', '/favicon.svg', '/nothing', '/%', '/healthz', '/readyz', '/robots.txt', '/retreat.ics'];
  const STATUSES = [200, 400, 403, 404, 405, 406, 413, 415, 416, 429, 500, 504];

  /** At least one answer of every status that the site gives. */
  async function everyAnswer(t: TestContext, env: NodeJS.ProcessEnv = {}) {
    let renders = 0;
    const renderPage: RenderPage = (page, open) => {
      renders += 1;
      if (renders === 1) throw new Error('Out of ink');
      return renderToMemory(page, open);
    };
    const { ask, sandbox } = await start(t, { RATE_LIMIT_PER_ADDRESS: '2', ...env }, { renderPage });
    const json = { 'Content-Type': 'application/json' };
    const post = (body: string, headers: Record<string, string> = json) =>
      ask(CREATE_PAYMENT_PATH, { method: 'POST', headers, body });
    const register = () => post(JSON.stringify(contactStep), { ...json, 'Idempotency-Key': randomUUID() });
    const answers = [await ask('/'), await register()];
    await sandbox.close();
    answers.push(await register(), await register());
    const others = await Promise.all([
      ...PATHS.map((path) => ask(path)),
      ask('/', { headers: { 'Accept-Encoding': 'identity;q=0' } }),
      ask(videos[0]?.src ?? '', { headers: { Range: 'bytes=99999999-' } }),
      ask(CREATE_PAYMENT_PATH),
      ask(WEBHOOK_PATH, { method: 'POST' }),
      post(''),
      post('{}', { ...json, 'Sec-Fetch-Site': 'cross-site' }),
      post(`"${'x'.repeat(20_000)}"`),
      post('{}', { 'Content-Type': 'text/plain' }),
    ]);
    answers.push(...others);
    assert.deepEqual([...new Set(answers.map(({ status }) => status))].sort(), STATUSES);
    return answers;
  }

  test('are on every answer, whatever its status', async (t) => {
    for (const { headers } of await everyAnswer(t)) {
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'self'/);
      assert.match(headers.get('permissions-policy') ?? '', /camera=\(\)/);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('x-frame-options'), 'DENY');
      assert.equal(headers.get('referrer-policy'), 'strict-origin');
      assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin-allow-popups');
      assert.equal(headers.get('cross-origin-resource-policy'), 'same-origin');
      assert.equal(headers.get('strict-transport-security'), null);
      assert.equal(headers.get('x-powered-by'), null);
    }
  });

  test('require TLS where the site uses it', async (t) => {
    for (const { headers } of await everyAnswer(t, { PUBLIC_URL: 'https://retreat.example' })) {
      assert.equal(headers.get('strict-transport-security'), 'max-age=31536000');
      assert.match(headers.get('content-security-policy') ?? '', /upgrade-insecure-requests/);
    }
  });

  test('allow payment to Stripe, playback to the video hosts, and nothing else', async (t) => {
    const { ask } = await start(t);
    const { headers } = await ask('/');
    const policy = new Map(
      headers
        .get('permissions-policy')
        ?.split(', ')
        .map((part) => part.split('=') as [string, string]),
    );
    assert.equal(policy.get('payment'), '(self "https://js.stripe.com" "https://hooks.stripe.com")');
    const videos = '(self "https://www.youtube-nocookie.com" "https://player.vimeo.com")';
    assert.equal(policy.get('autoplay'), videos);
    assert.equal(policy.get('fullscreen'), videos);
    for (const feature of ['camera', 'microphone', 'geolocation', 'usb', 'browsing-topics']) {
      assert.equal(policy.get(feature), '()');
    }
  });
});

describe('the policy for the measurement pixel', () => {
  async function policyOf(t: TestContext, env: NodeJS.ProcessEnv) {
    const { ask } = await start(t, env);
    const { headers } = await ask('/');
    const directives = (headers.get('content-security-policy') ?? '').split(';');
    return new Map(directives.map((directive) => [directive.split(' ')[0], directive]));
  }
  const META_PIXEL_ID = '1234567890';

  test('R6.1 with an id the pixel’s script is allowed, and its reports by image and by request; without one nothing', async (t) => {
    assert.doesNotMatch([...(await policyOf(t, {})).values()].join(), /facebook/);
    const policy = await policyOf(t, { META_PIXEL_ID });
    assert.match(policy.get('script-src') ?? '', / https:\/\/connect\.facebook\.net$/);
    for (const name of ['img-src', 'connect-src'])
      assert.match(policy.get(name) ?? '', / https:\/\/www\.facebook\.com$/);
    assert.doesNotMatch(policy.get('frame-src') ?? '', /facebook/);
  });
});

describe('malformed requests', () => {
  const TRAVERSALS = [
    '/../package.json',
    '/..%2fpackage.json',
    '/%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '/static/..%5c..%5cmanifest.json',
    '/static/%252e%252e/manifest.json',
    '/%c0%ae%c0%ae/manifest.json',
    '/favicon.svg%00.png',
    '/%',
    '/%ff%fe',
    '/.env',
    '//evil.example/%2e%2e',
    'http://evil.example/nothing',
    '/\\..\\manifest.json',
  ];

  test('addresses get 400 or 404, and reveal nothing', async (t) => {
    const { send } = await start(t);
    for (const path of TRAVERSALS) {
      const { status = 0, text } = await send('GET', path, ['Accept: text/html']);
      assert.ok([400, 404].includes(status), `${path}: ${status}`);
      assert.doesNotMatch(text, /evil\.example|passwd|node_modules|at .*:\d+:\d+|"scripts"|root:/, path);
      assert.doesNotMatch(text, /^Location:/im, path);
    }
  });

  test('bodies are refused, and nothing of them is repeated', async (t) => {
    const { send } = await start(t);
    const json = ['Content-Type: application/json'];
    const bodies: [string[], string, number][] = [
      [json, '{', 400],
      [json, 'null', 400],
      [json, '[]', 400],
      [json, '"wilma@visitors.example"', 400],
      [json, '{"email":{"$gt":""},"firstName":["wilma@visitors.example"]}', 400],
      [json, '{"__proto__":{"firstName":"wilma@visitors.example"}}', 400],
      [json, `${'['.repeat(8_000)}${']'.repeat(8_000)}`, 400],
      [json, `{"firstName":"${'wilma@visitors.example'.repeat(1_000)}"}`, 413],
      [['Content-Type: application/json; charset=utf-7'], '{}', 400],
      [['Content-Type: application/json; charset=ebcdic'], '{}', 415],
      [['Content-Type: application/json; charset="'], '{}', 400],
      [[...json, 'Content-Encoding: wilma'], '{}', 415],
      [[...json, 'Content-Encoding: gzip'], '{}', 400],
      [['Content-Type: text/plain'], '{}', 415],
      [['Content-Type: application/x-www-form-urlencoded'], 'firstName=wilma', 415],
    ];
    for (const [headers, body, expected] of bodies) {
      const { status, text } = await send('POST', CREATE_PAYMENT_PATH, headers, body);
      assert.equal(status, expected, `${headers}: ${body.slice(0, 60)}`);
      assert.doesNotMatch(text, /wilma|at .*:\d+:\d+|SyntaxError|Unexpected token/);
    }
  });

  test('duplicate headers do not get around a check', async (t) => {
    const { send } = await start(t);
    const body = JSON.stringify(contactStep);
    const json = 'Content-Type: application/json';
    const key = `Idempotency-Key: ${randomUUID()}`;
    const own = 'Origin: http://127.0.0.1:3000';
    const register = (...headers: string[]) => send('POST', CREATE_PAYMENT_PATH, [json, ...headers], body);
    assert.equal((await register(key, own)).status, 200);
    for (const [headers, expected] of [
      [[key, own, own], 403],
      [[key, own, 'Origin: https://evil.example'], 403],
      [[key, 'Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site'], 403],
      [[key, key], 400],
      [[key, 'Host: here'], 400],
      [[key, json], 400],
    ] as const) {
      assert.equal((await register(...headers)).status, expected, headers.join());
    }
  });
});
