import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import request from 'supertest';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';
import { openTestOffice } from './testing/test-office.ts';
import { startTestSite } from './testing/test-site.ts';

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
        metaPixelScriptUrl: null,
      },
      stepper: { activeStep: 0, skipped: {}, data: {}, drafts: {} },
    });
  });

  test('every visitor gets a fresh store', async (t) => {
    const { app } = await startTestSite(t);
    const [first, second] = await Promise.all([request(app).get('/'), request(app).get('/')]);
    assert.equal(first.text, second.text);
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
  test('built files are served, and cached for ever under their hashed names', async (t) => {
    const { app } = await startTestSite(t);
    const { text } = await request(app).get('/');
    const paths = [...text.matchAll(/(?:src|href)="(\/static\/[^"]+)"/g)].map(([, path]) => path ?? '');
    assert.ok(paths.length >= 2);
    for (const path of paths) {
      const { headers } = await request(app).get(path).expect(200);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    }
    const icon = await request(app).get('/favicon.svg').expect(200);
    assert.equal(icon.headers['cache-control'], 'public, max-age=3600');
  });

  test('other addresses get 404, also those above the public folder', async (t) => {
    const { app } = await startTestSite(t);
    for (const path of ['/nothing', '/manifest.json', '/start-app.js', '/..%2fmanifest.json', '/queues']) {
      const { body } = await request(app).get(path).expect(404);
      assert.equal(body.error.code, 'not_found');
    }
  });

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
    const lines = log
      .text()
      .split('\n')
      .filter((line) => line.includes('"req":'));
    const logged = lines
      .map((line) => JSON.parse(line))
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
    const ops = openTestOffice(t, site);
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
