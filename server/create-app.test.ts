import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import request from 'supertest';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';
import { connectRaw, startListener } from './testing/network.ts';
import { openTestOffice } from './testing/test-office.ts';
import { fill } from './testing/test-redis.ts';
import { contactStep } from './testing/test-registrations.ts';
import { startTestSite, submitContact } from './testing/test-site.ts';

describe('GET /', () => {
  test('R1 streams the whole page with its state, and no element has an inline style', async (t) => {
    const { app, config } = await startTestSite(t);
    const { text, headers } = await request(app).get('/').expect(200);
    assert.match(headers['content-type'] ?? '', /^text\/html/);
    assert.match(text, /^<!doctype html><html lang="en">/i);
    assert.match(text, /<section id="register-stepper"/);
    assert.ok(text.endsWith('</html>'));
    assert.doesNotMatch(text, / style="/);

    const [, stateJson = ''] = /id="page-state" type="application\/json">([^<]*)</.exec(text) ?? [];
    assert.deepEqual(JSON.parse(stateJson), {
      site: {
        officeEmail: config.office.email,
        officePhone: config.office.phone,
        officeFax: null,
        officePostalAddress: null,
        officeLegalName: null,
        registrationOpen: true,
        stripePublishableKey: config.stripe.publishableKey,
        stripeScriptUrl: null,
        metaPixelId: null,
      },
      stepper: { activeStep: 0, skipped: {}, data: {}, drafts: {} },
    });
  });

  test('R1.15 has one inline script before one inline style sheet, and the policy allows exactly these texts', async (t) => {
    const { app } = await startTestSite(t);
    const { text, headers } = await request(app).get('/');
    const inline = [...text.matchAll(/<(script|style)>(.*?)<\/\1>/gs)];
    assert.deepEqual(
      inline.map(([, element]) => element),
      ['script', 'style'],
    );
    for (const [, element, content = ''] of inline) {
      const hash = createHash('sha256').update(content).digest('base64');
      const directive = new RegExp(`${element}-src [^;]*`).exec(headers['content-security-policy'] ?? '');
      assert.ok(directive?.[0].includes(`'sha256-${hash}'`));
    }
    const [head = ''] = text.split('</head>');
    assert.doesNotMatch(head, /rel="stylesheet"/);
    for (const [tag] of text.matchAll(/<script [^>]*>/g)) {
      assert.match(tag, / src="\/static\/js\/|type="application\/(ld\+)?json"/);
    }
  });

  test('sends a strict policy: nothing else inline, and no hosts except Stripe and the video hosts', async (t) => {
    const { app } = await startTestSite(t);
    const { headers } = await request(app).get('/');
    const policy = headers['content-security-policy'] ?? '';
    assert.doesNotMatch(policy, /unsafe-|\*(?!\.js\.stripe\.com)/);
    assert.match(
      policy,
      /script-src 'self'(?: 'sha256-[^']+'){2} https:\/\/js\.stripe\.com https:\/\/\*\.js\.stripe\.com;/,
    );
    assert.match(policy, /connect-src 'self' https:\/\/api\.stripe\.com;/);
    assert.match(
      policy,
      /frame-src [^;]*https:\/\/hooks\.stripe\.com[^;]*https:\/\/www\.youtube-nocookie\.com/,
    );
    assert.match(policy, /frame-ancestors 'none'/);
    assert.equal(headers['x-powered-by'], undefined);
  });
});

describe('the rest of the public listener', () => {
  test('for a missing page people get a page in the site’s look, and programs get JSON', async (t) => {
    const { app } = await startTestSite(t);
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const page = await request(app).get('/nothing').set('Accept', browser).expect(404);
    assert.match(page.headers['content-type'] ?? '', /^text\/html/);
    assert.match(page.text, /<h1>This door leads nowhere<\/h1>/);
    assert.match(page.text, /<link rel="stylesheet" href="\/static\//);
    assert.match(page.text, /<a class="button" href="\/">/);
    const endpoint = await request(app).get(CREATE_PAYMENT_PATH).set('Accept', browser).expect(405);
    assert.equal(endpoint.text, page.text);
    const data = await request(app).get('/nothing').set('Accept', 'application/json').expect(404);
    assert.equal(data.body.error.code, 'not_found');
    assert.equal(data.headers.vary, 'Accept');
  });

  test('a request has one line in the log, with the id that its answer carries', async (t) => {
    const { app, log } = await startTestSite(t);
    const ids = [];
    for (const path of ['/?email=wilma@example.org', '/wilma@example.org/5550142', CREATE_PAYMENT_PATH]) {
      const { headers } = await request(app).get(path);
      ids.push(headers['x-request-id']);
    }
    const logged = log
      .lines('"req":')
      .map(({ req, res, code }) => ({ path: undefined, ...req, ...res, code }));
    assert.deepEqual(logged, [
      { id: ids[0], method: 'GET', path: '/', status: 200, code: undefined },
      { id: ids[1], method: 'GET', path: undefined, status: 404, code: 'not_found' },
      { id: ids[2], method: 'GET', path: CREATE_PAYMENT_PATH, status: 405, code: 'method_not_allowed' },
    ]);
    assert.doesNotMatch(log.text(), /wilma|5550142/);
    for (const id of ids) assert.equal(log.text().split(String(id)).length, 2);
  });

  test('health: alive and ready even while Redis is away, which only the ops listener tells', async (t) => {
    const site = await startTestSite(t);
    const { app, redis, connection } = site;
    const ops = openTestOffice(site);
    await request(app).get('/healthz').expect(200, { status: 'ok' });
    await request(app).get('/readyz').expect(200, { status: 'ok' });
    await request(ops)
      .get('/readyz')
      .expect(200, { status: 'ok', redis: 'ok', stripe: 'unknown', register: 'ok' });
    const closed = new Promise((resolve) => connection.once('close', resolve));
    await redis.stop();
    await closed;
    await request(app).get('/healthz').expect(200);
    await request(app).get('/readyz').expect(200, { status: 'ok' });
    await request(ops)
      .get('/readyz')
      .expect(200, { status: 'ok', redis: 'away', stripe: 'unknown', register: 'ok' });
  });
});

const body = JSON.stringify(contactStep);
const head = [
  `POST ${CREATE_PAYMENT_PATH} HTTP/1.1`,
  'Host: here',
  'Content-Type: application/json',
  `Content-Length: ${Buffer.byteLength(body)}`,
  `Idempotency-Key: ${'a'.repeat(32)}`,
];

describe('the log of requests', () => {
  test('a visitor who leaves is logged as such, and so is a failure afterwards', async (t) => {
    const events = new EventTarget();
    const asked = once(events, 'asked');
    const { app, log } = await startTestSite(t, {
      async intercept() {
        const answer = once(events, 'answer');
        events.dispatchEvent(new Event('asked'));
        await answer;
        throw new Error('Out of order');
      },
    });
    const { url } = await startListener(t, {}, app);
    const visitor = await connectRaw(url);
    visitor.send(`${head.join('\r\n')}\r\n\r\n${body}`);
    await asked;
    visitor.socket.destroy();
    await log.until('request aborted');
    events.addEventListener('asked', () => events.dispatchEvent(new Event('answer')));
    events.dispatchEvent(new Event('answer'));
    await log.until('request failed');
    const lines = log.lines('"req":');
    const [left, failed] = lines;
    assert.equal(lines.length, 2);
    assert.deepEqual([left.level, left.req.path, left.res.status], ['info', CREATE_PAYMENT_PATH, undefined]);
    assert.deepEqual(
      [failed.level, failed.req.id, failed.code],
      ['error', left.req.id, 'payment_provider_error'],
    );
    assert.match(failed.err.cause.stack, /Stripe/);
  });
});

describe('the app’s metrics', () => {
  test('count requests by route and status, calls to Stripe by operation, refusals by limit; contain nothing that was typed', async (t) => {
    const { app, metrics } = await startTestSite(t, { env: { RATE_LIMIT_PER_ADDRESS: '1' } });
    await request(app).get('/').expect(200);
    // Waits for the first render, which may still be compressed.
    await request(app).get('/').expect(200);
    await request(app).get('/').expect(200);
    await request(app).get('/wilma@example.org').expect(404);
    await submitContact(app, {}, 'a'.repeat(32)).expect(200);
    await submitContact(app, {}, 'b'.repeat(32)).expect(429);
    const text = await metrics.metrics();
    for (const line of [
      'http_request_duration_seconds_count{route="page",status="200"} 3',
      'page_cache_requests_total{result="miss"} 1',
      'page_render_duration_seconds_count{outcome="whole"} 1',
      'http_request_duration_seconds_count{route="other",status="404"} 1',
      'http_request_duration_seconds_count{route="registration",status="200"} 1',
      'http_request_duration_seconds_count{route="registration",status="429"} 1',
      'stripe_call_duration_seconds_count{operation="POST customers",status="200"} 1',
      'stripe_call_duration_seconds_count{operation="POST payment_intents",status="200"} 1',
      'registrations_refused_total{limit="registrations-by-address"} 1',
      'letters_waiting_total{limit="letters-by-email"} 0',
      'registrations_counted_in_memory_total 0',
      'deposits_total{event="begun"} 1',
      'deposits_total{event="paid"} 0',
    ]) {
      assert.ok(text.includes(line), `no ${line} in\n${text}`);
    }
    assert.match(text, /^page_cache_requests_total{result="hit"} [12]$/m);
    assert.equal(text.includes('wilma'), false);
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
    const ops = openTestOffice(site);
    await request(ops)
      .get('/readyz')
      .expect(200, { status: 'ok', redis: 'ok', stripe: 'away', register: 'ok' });
  });
});
