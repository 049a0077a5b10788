import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import request from 'supertest';
import { startSiteWithPlaces, startTestSite } from '#server/testing/test-site.ts';
import { keptForSeconds } from './cache-policy.ts';
import { type RenderPage, renderToMemory } from './page-cache.ts';

const BEGINS = new Date('2026-01-22T00:00:00-08:00');

/** A site that listens, whose renders are counted. */
async function startSite(t: TestContext, options: { render?: RenderPage; env?: NodeJS.ProcessEnv } = {}) {
  const clock = { now: new Date(BEGINS.getTime() - 60_000) };
  let renders = 0;
  const renderPage: RenderPage = (page, open) => {
    renders += 1;
    return (options.render ?? renderToMemory)(page, open);
  };
  const { app, log, metrics } = await startTestSite(t, {
    redisRunning: false,
    changes: { renderPage, now: () => clock.now },
    ...(options.env && { env: options.env }),
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const getPage = (headers: Record<string, string> = {}) =>
    request(server)
      .get('/')
      .set({ 'Accept-Encoding': 'identity', ...headers });
  return { server, get: getPage, clock, log, metrics, countRenders: () => renders };
}

describe('the cached page', () => {
  test('is streamed to the first visitor, and comes from memory for all others, with the same headers', async (t) => {
    const site = await startSite(t);
    const first = await site.get();
    const second = await site.get();
    assert.equal(first.headers['transfer-encoding'], 'chunked');
    assert.equal(second.headers['content-length'], String(Buffer.byteLength(first.text)));
    assert.equal(second.text, first.text);
    assert.equal(site.countRenders(), 1);
    for (const name of ['content-type', 'content-security-policy', 'permissions-policy', 'vary'])
      assert.equal(second.headers[name], first.headers[name], name);
    assert.equal(first.headers['cache-control'], 'no-store');
    assert.equal(second.headers['cache-control'], keptForSeconds['Cache-Control']);
    assert.match(second.headers['x-request-id'] ?? '', /^[\da-f-]{36}$/);
    assert.notEqual(second.headers['x-request-id'], first.headers['x-request-id']);
  });

  test('is the same whatever cookie, query or header of a proxy a request has', async (t) => {
    const site = await startSite(t);
    const { text } = await site.get();
    const forged = {
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'http',
      'X-Original-URL': '/place',
      'X-HTTP-Method-Override': 'POST',
      Cookie: 'place=v1.x; other=y',
      Accept: 'application/json',
      Range: 'bytes=0-9',
    };
    assert.equal((await site.get(forged).query({ utm_source: 'x' }).expect(200)).text, text);
  });

  test('brotli, gzip and identity hold the same page, each with a tag of its own', async (t) => {
    const site = await startSite(t);
    const { text } = await site.get();
    const tags = new Set<string>();
    for (const [encoding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { tag, body } = await getRaw(site.server, encoding);
      assert.equal(decode(body).toString(), text);
      tags.add(tag ?? '');
    }
    tags.add((await site.get()).headers.etag ?? '');
    assert.equal(tags.size, 3);
    for (const tag of tags) assert.match(tag, /^"[\w-]+"$/);
  });

  test('a client that has the page gets 304; HEAD gets only the headers', async (t) => {
    const site = await startSite(t);
    await site.get();
    const { headers } = await site.get();
    const tag = headers.etag ?? '';
    assert.equal(headers['cdn-cache-control'], 'max-age=10, stale-while-revalidate=10, stale-if-error=3600');
    assert.equal(headers['set-cookie'], undefined);
    for (const known of [tag, `"other", W/${tag}`, '*']) {
      const answer = await site.get({ 'If-None-Match': known }).expect(304);
      assert.equal(answer.text, '');
      for (const name of ['etag', 'cache-control', 'cdn-cache-control', 'vary', 'content-security-policy'])
        assert.equal(answer.headers[name], headers[name], name);
    }
    await site.get({ 'If-None-Match': '"other"' }).expect(200);
    const head = await request(site.server).head('/').set('Accept-Encoding', 'identity').expect(200);
    assert.equal(head.headers['content-length'], headers['content-length']);
    assert.equal(head.headers.etag, tag);
  });

  test('a client that accepts none of our encodings gets 406, even before the page is there', async (t) => {
    const site = await startSite(t);
    for (const _ of [1, 2]) {
      const answer = await request(site.server).head('/').set('Accept-Encoding', '*;q=0');
      assert.equal(answer.status, 406);
    }
  });

  test('fifty first visitors at once cost one render', async (t) => {
    const site = await startSite(t);
    const answers = await Promise.all(Array.from({ length: 50 }, () => site.get()));
    assert.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
    assert.equal(answers[0]?.status, 200);
    assert.equal(site.countRenders(), 1);
    const metrics = await site.metrics.metrics();
    assert.match(metrics, /^page_cache_requests_total{result="miss"} 1$/m);
    const spared = [...metrics.matchAll(/^page_cache_requests_total{result="(?:hit|shared)"} (\d+)$/gm)];
    assert.equal(
      spared.reduce((sum, [, count]) => sum + Number(count), 0),
      49,
    );
  });

  test('a failed render is reported to all who wait for it, and not cached', async (t) => {
    let broken = true;
    const site = await startSite(t, {
      render: async (page, open) => {
        if (broken) throw new Error('Out of ink');
        return renderToMemory(page, open);
      },
    });
    const failed = await Promise.all([site.get(), site.get()]);
    assert.deepEqual(
      failed.map(({ status }) => status),
      [500, 500],
    );
    assert.match(site.log.text(), /Out of ink/);
    broken = false;
    await site.get().expect(200);
    const metrics = await site.metrics.metrics();
    assert.match(metrics, /^page_render_duration_seconds_count{outcome="failed"} [12]$/m);
    assert.match(metrics, /^page_render_duration_seconds_count{outcome="whole"} 1$/m);
  });

  test('an incomplete page is not cached', async (t) => {
    const site = await startSite(t, {
      render: async (page, open) => ({ ...(await renderToMemory(page, open)), failure: new Error('A part') }),
    });
    await site.get().expect(200);
    // Waits for the first one, which may still be compressed.
    await request(site.server).head('/').expect(200);
    const { headers } = await request(site.server).head('/').expect(200);
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['cdn-cache-control'], undefined);
    assert.equal(site.countRenders(), 2);
    assert.match(site.log.text(), /The page was not rendered completely/);
    assert.match(
      await site.metrics.metrics(),
      /^page_render_duration_seconds_count{outcome="incomplete"} 2$/m,
    );
  });

  test('R8 the page says how the balance of a late deposit follows it', async (t) => {
    const site = await startSite(t, { env: { REGISTRATION: 'auto' } });
    for (const [moment, words] of [
      ['2025-12-14T16:59:59-08:00', 'is charged to the same card on December\u00a021, 2025'],
      ['2025-12-15T00:00:00-08:00', 'is charged to the same card seven days after the deposit'],
      ['2026-01-20T00:00:00-08:00', 'The retreat office will ask you for the balance of'],
    ] as const) {
      site.clock.now = new Date(moment);
      assert.ok((await site.get()).text.includes(words), `${moment}: ${words}`);
    }
  });

  test('the page changes at the moment when registration closes by itself', async (t) => {
    const site = await startSite(t, { env: { REGISTRATION: 'auto' } });
    await site.get();
    const open = await site.get();
    assert.match(open.text, /"registrationOpen":true/);
    site.clock.now = BEGINS;
    const closed = await site.get();
    assert.match(closed.text, /"registrationOpen":false/);
    assert.match(closed.text, /Registration has closed/);
    assert.match(
      (await site.get({ 'If-None-Match': open.headers.etag ?? '' }).expect(200)).text,
      /has closed/,
    );
    assert.equal(site.countRenders(), 2);
  });
});

/** The bytes as they came; supertest would decode them. */
async function getRaw(server: Server, encoding: string): Promise<{ tag: string | undefined; body: Buffer }> {
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  const asked = get({ port: address.port, headers: { 'Accept-Encoding': encoding }, agent: false });
  const [answer]: IncomingMessage[] = await once(asked, 'response');
  assert.ok(answer);
  assert.equal(answer.headers['content-encoding'], encoding);
  assert.equal(answer.headers.vary, 'Accept-Encoding');
  return { tag: answer.headers.etag, body: Buffer.concat(await answer.toArray()) };
}

/** What the structured data say of the number of places, whether or not it is reached. */
const CAPACITY = '"maximumVirtualAttendeeCapacity":1,';

test('while there are places the page is the same to the byte as without a limit of places', async (t) => {
  const { app: unbounded } = await startTestSite(t);
  const before = await request(unbounded).get('/').expect(200);
  const { app } = await startSiteWithPlaces(t, 1);
  const { text } = await request(app).get('/').expect(200);
  assert.equal(text.replace(CAPACITY, ''), before.text);
  assert.equal(text.length, before.text.length + CAPACITY.length);
});

test('once the last place is held the page says so, search engines see that it is sold out, and calls to action stay', async (t) => {
  let renders = 0;
  const site = await startSiteWithPlaces(t, 1, {
    changes: {
      renderPage: (page, open) => {
        renders += 1;
        return renderToMemory(page, open);
      },
    },
  });
  const page = async () => (await request(site.app).get('/').expect(200)).text;
  const before = await page();
  assert.match(before, /schema\.org\/InStock/);
  await site.visit('anna').submit();
  await site.placesShown.look();
  const full = await page();
  assert.match(full, /schema\.org\/SoldOut/);
  assert.match(full, /<h2 id="register-title"><span class="reserve-open">Every place is taken/);
  const callsToAction = (html: string) => html.split('href="#register-stepper"').length;
  assert.equal(callsToAction(full), callsToAction(before));
  assert.doesNotMatch(full, /waiting-list/);
  t.mock.method(site.admission.places, 'count', () => Promise.reject(new Error('The register is locked')));
  await site.placesShown.look();
  assert.equal(await page(), before);
  assert.equal(renders, 2);
});
