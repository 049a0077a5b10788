import assert from 'node:assert/strict';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import express from 'express';
import request from 'supertest';
import { readAssets } from '#server/page/assets.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { BUILD, startTestSite } from '#server/testing/test-site.ts';
import { videos } from '#shared/content/compiled/on-sale/videos.ts';
import { acceptedEncodings, encodings } from './representation.ts';

const ranked = (header: string | undefined): string => acceptedEncodings(header).join(' ');

describe('the encodings that a request accepts', () => {
  test('exclude a refused one; without a preference identity comes last', () => {
    assert.equal(ranked(undefined), 'identity');
    assert.equal(ranked(''), 'identity');
    assert.equal(ranked('gzip, deflate, br, zstd'), 'br gzip identity');
    assert.equal(ranked('gzip'), 'gzip identity');
    assert.equal(ranked('br;q=0, gzip'), 'gzip identity');
    assert.equal(ranked('*'), 'br gzip identity');
    assert.equal(ranked('*;q=0'), '');
    assert.equal(ranked('identity;q=0'), '');
    assert.equal(ranked('identity;q=0, *'), 'br gzip');
    assert.equal(ranked('*;q=0, identity'), 'identity');
    assert.equal(ranked('BR;Q=0.000, gzip ; q=0.5'), 'gzip identity');
    assert.equal(ranked('br;q=often, gzip'), 'gzip identity');
  });

  test('follow the visitor’s preference before ours', () => {
    assert.equal(ranked('br;q=0.5, gzip;q=0.8'), 'gzip br identity');
    assert.equal(ranked('identity, br;q=0.9'), 'identity br');
    assert.equal(ranked('gzip;q=0.2, *;q=0.7'), 'br identity gzip');
  });

  test('are the same that Express accepts', () => {
    for (const header of ['gzip', 'br;q=0', '*', '*;q=0', 'identity;q=0', 'identity;q=0.5, *;q=0', 'a, b']) {
      const request = { headers: { 'accept-encoding': header } };
      for (const encoding of encodings) {
        const accepted = express.request.acceptsEncodings.call(request, encoding) !== false;
        assert.equal(acceptedEncodings(header).includes(encoding), accepted, `${encoding} of "${header}"`);
      }
    }
  });
});

const VIDEO = videos[0]?.src ?? '';

async function startSite(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'public-'));
  const removeFiles = () => rm(folder, { recursive: true, force: true });
  cleanUp(t, removeFiles);
  const assets = await readAssets(BUILD);
  await cp(assets.publicFolder, folder, { recursive: true });
  const changes = { assets: { ...assets, publicFolder: folder } };
  const { app, log, metrics } = await startTestSite(t, { redisRunning: false, changes });
  return { app, script: assets.script, log, metrics, removeFiles };
}

/** All headers except those that differ with each answer. */
function lastingHeaders({ date, 'x-request-id': id, ...headers }: Record<string, string>) {
  assert.match(id ?? '', /^[\da-f-]{36}$/);
  return headers;
}

describe('static files', () => {
  test('a script comes in the best encoding that the client accepts, to be cached for ever', async (t) => {
    const { app, script } = await startSite(t);
    const lengths = [];
    for (const [accepted, encoding] of [
      ['gzip, br', 'br'],
      ['gzip', 'gzip'],
      ['identity', undefined],
      ['br;q=0, gzip;q=0', undefined],
    ] as const) {
      const { headers } = await request(app).head(script).set('Accept-Encoding', accepted).expect(200);
      assert.equal(headers['content-encoding'], encoding);
      assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers.vary, 'Accept-Encoding');
      lengths.push(Number(headers['content-length']));
    }
    const [br = 0, gzip = 0, identity = 0] = lengths;
    assert.ok(br < gzip && gzip < identity);
  });

  for (const encoding of ['br', 'gzip', 'identity'])
    test(`a script is read from disk once, and then served from memory with the same headers: ${encoding}`, async (t) => {
      const { app, script, log, metrics, removeFiles } = await startSite(t);
      const ask = (path = script) => request(app).get(path).set('Accept-Encoding', encoding).expect(200);
      const first = await ask();
      await removeFiles();
      const second = await ask();
      assert.equal(second.text, first.text);
      assert.deepEqual(lastingHeaders(second.headers), lastingHeaders(first.headers));
      assert.ok(first.headers['content-security-policy']);
      assert.equal((await ask(`${script}?again`)).text, first.text);
      const head = await request(app).head(script).set('Accept-Encoding', encoding).expect(200);
      assert.deepEqual(lastingHeaders(head.headers), lastingHeaders(first.headers));
      await log.until(`"id":"${second.headers['x-request-id']}","method":"GET","path":"${script}"`);
      assert.match(
        await metrics.metrics(),
        /^http_request_duration_seconds_count\{route="static",status="200"\} 4$/m,
      );
      await request(app).post(script).expect(405);
      for (const ending of ['.br', '.gz'])
        await request(app)
          .get(script + ending)
          .set('Accept-Encoding', encoding)
          .expect(404);
    });

  test('a file that the client has is not sent again', async (t) => {
    const { app, script } = await startSite(t);
    for (const path of [script, '/favicon.ico', VIDEO]) {
      const { headers } = await request(app).get(path).expect(200);
      assert.match(headers.etag ?? '', /^"[\w-]+"$/);
      const again = request(app)
        .get(path)
        .set('If-None-Match', headers.etag ?? '');
      assert.equal((await again.expect(304)).headers.etag, headers.etag);
    }
  });

  test('R1.9 the illustration of the approach is a file of the site, to be cached for ever', async (t) => {
    const { app } = await startSite(t);
    const { text: html } = await request(app).get('/').expect(200);
    const images = [...html.matchAll(/<img[^>]* src="([^"]*)" alt="Illustration of a mindful journey"/g)];
    assert.equal(images.length, 1);
    const { headers, body } = await request(app)
      .get(images[0]?.[1] ?? '')
      .expect(200);
    assert.equal(headers['content-type'], 'image/svg+xml');
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.ok(headers['content-encoding']);
    assert.match(String(body), /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  });

  test('R1.7 a video is served in ranges, uncompressed', async (t) => {
    const { app } = await startSite(t);
    const whole = await request(app).get(VIDEO).set('Accept-Encoding', 'br, gzip').buffer(true).expect(200);
    assert.equal(whole.headers['content-encoding'], undefined);
    assert.equal(whole.headers['content-type'], 'video/mp4');
    const { headers, body } = await request(app)
      .get(VIDEO)
      .set('Range', 'bytes=10-19')
      .buffer(true)
      .expect(206);
    assert.equal(headers['content-range'], `bytes 10-19/${whole.headers['content-length']}`);
    assert.deepEqual(body, whole.body.subarray(10, 20));
    const beyond = await request(app).get(VIDEO).set('Range', 'bytes=99999999-').expect(416);
    assert.equal(beyond.headers['content-range'], `bytes */${whole.headers['content-length']}`);
    const stale = request(app).get(VIDEO).set({ Range: 'bytes=10-19', 'If-Range': '"another"' });
    await stale.expect(200);
  });

  test('a visitor who leaves before her file comes is not logged as a failure', async (t) => {
    const { app, log } = await startSite(t);
    const leaving: RequestListener = (req, res) => {
      app(req, res);
      res.destroy();
    };
    await assert.rejects(request(leaving).get(VIDEO));
    await log.until('request aborted');
    await request(app).get(VIDEO).expect(200);
    assert.doesNotMatch(log.text(), /request failed/);
  });
});
