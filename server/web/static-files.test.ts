import assert from 'node:assert/strict';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestListener,
} from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import request from 'supertest';
import { until } from '#scripts/product/child.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { BUILD, startTestSite } from '#server/testing/test-site.ts';
import { videos } from '#shared/content/compiled/on-sale.ts';
import { readAssets } from './assets.ts';

const VIDEO = videos[0]?.src ?? '';

async function startSite(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'public-'));
  const removeFiles = () => rm(folder, { recursive: true, force: true });
  cleanUp(t, removeFiles);
  const assets = await readAssets(BUILD);
  await cp(assets.publicFolder, folder, { recursive: true });
  const changes = { assets: { ...assets, publicFolder: folder } };
  const { app, log } = await startTestSite(t, { redisRunning: false, changes });
  const server = createServer(app).listen(0, '127.0.0.1');
  cleanUp(t, async () => void server.close());
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  /** Asks for the bytes as they are sent; supertest would decode them. */
  const ask = async (path: string, headers: OutgoingHttpHeaders = {}, method = 'GET') => {
    const sent = httpRequest({ port: address.port, path, headers, method, agent: false }).end();
    const [answer]: IncomingMessage[] = await once(sent, 'response');
    assert.ok(answer);
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: Buffer.concat(await answer.toArray()),
    };
  };
  return { app, ask, script: assets.script, built: assets.publicFolder, folder, log, removeFiles };
}

describe('static files', () => {
  test('a script comes in the smallest encoding that the client accepts, each with a strong tag of its own, to be cached for ever', async (t) => {
    const { ask, script, built } = await startSite(t);
    const lengths: number[] = [];
    const tags = new Set<string>();
    for (const [accepted, encoding, decode] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['br;q=0, gzip', 'gzip', gunzipSync],
      ['identity', undefined, undefined],
      ['*;q=0', undefined, undefined],
    ] as const) {
      const encodings = { 'Accept-Encoding': accepted };
      const { status, headers, body } = await ask(script, encodings);
      assert.deepEqual([status, headers['content-encoding']], [200, encoding]);
      assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
      assert.equal(headers.vary, 'Accept-Encoding');
      assert.ok(headers['content-security-policy']);
      assert.match(headers.etag ?? '', /^"[\w-]+"$/);
      assert.deepEqual(decode ? decode(body) : body, await readFile(join(built, script)));
      const again = await ask(script, { ...encodings, 'If-None-Match': `"another", ${headers.etag}` });
      assert.deepEqual(
        [again.status, again.headers.etag, again.headers.vary],
        [304, headers.etag, 'Accept-Encoding'],
      );
      const head = await ask(script, encodings, 'HEAD');
      assert.deepEqual(
        [head.status, head.headers.etag, head.headers['content-length'], head.body.length],
        [200, headers.etag, String(body.length), 0],
      );
      lengths.push(body.length);
      tags.add(headers.etag ?? '');
    }
    const [br = 0, gzip = 0, identity = 0] = lengths;
    assert.ok(br < gzip && gzip < identity);
    assert.equal(tags.size, 3);
    assert.equal((await ask(script, {}, 'POST')).status, 405);
    for (const ending of ['.br', '.gz']) assert.equal((await ask(script + ending)).status, 404);
  });

  test('a name of an earlier release is not found, and nobody keeps that answer', async (t) => {
    const { ask, script } = await startSite(t);
    const old = script.replace(/-[A-Z0-9]{8}/, '-0LDNAME0');
    assert.notEqual(old, script);
    const { status, headers } = await ask(old);
    assert.deepEqual([status, headers['cache-control']], [404, 'no-store']);
  });

  test('a file that is gone from the disk fails its request only, which is logged', async (t) => {
    const { ask, script, log, removeFiles } = await startSite(t);
    const { headers: before } = await ask(script, { 'Accept-Encoding': 'br' });
    await removeFiles();
    for (const path of [script, VIDEO]) {
      const { status, headers } = await ask(path, { 'Accept-Encoding': 'br' });
      assert.deepEqual(
        [status, headers['cache-control'], headers['content-encoding']],
        [500, 'no-store', undefined],
      );
      assert.notEqual(headers.etag, before.etag);
    }
    assert.match(log.text(), /ENOENT/);
  });

  test('R1.7 a video is served in ranges, uncompressed', async (t) => {
    const { ask } = await startSite(t);
    const whole = await ask(VIDEO, { 'Accept-Encoding': 'br, gzip' });
    const { length: size } = whole.body;
    assert.deepEqual(
      [whole.status, whole.headers['content-encoding'], whole.headers['content-type']],
      [200, undefined, 'video/mp4'],
    );
    assert.match(whole.headers.etag ?? '', /^"[\w-]+"$/);
    for (const [range, from, to] of [
      ['10-19', 10, 19],
      ['0-', 0, size - 1],
      ['-10', size - 10, size - 1],
      [`${size - 1}-${size + 1}`, size - 1, size - 1],
    ] as const) {
      const { status, headers, body } = await ask(VIDEO, { Range: `bytes=${range}` });
      assert.deepEqual([status, headers['content-range']], [206, `bytes ${from}-${to}/${size}`]);
      assert.deepEqual(body, whole.body.subarray(from, to + 1));
    }
    const beyond = await ask(VIDEO, { Range: 'bytes=99999999-' });
    assert.deepEqual(
      [beyond.status, beyond.headers['content-range'], beyond.headers['cache-control']],
      [416, `bytes */${size}`, 'no-store'],
    );
    for (const [tag, status] of [
      [whole.headers.etag, 206],
      ['"another"', 200],
    ] as const)
      assert.equal((await ask(VIDEO, { Range: 'bytes=10-19', 'If-Range': tag })).status, status);
  });

  test('a range of a compressed script is one of its compressed bytes', async (t) => {
    const { ask, script } = await startSite(t);
    const compressed = { 'Accept-Encoding': 'br' };
    const whole = await ask(script, compressed);
    const part = await ask(script, { ...compressed, Range: 'bytes=4-', 'If-Range': whole.headers.etag });
    assert.deepEqual([part.status, part.headers['content-encoding']], [206, 'br']);
    assert.deepEqual(part.body, whole.body.subarray(4));
    const beyond = await ask(script, { ...compressed, Range: 'bytes=99999999-' });
    assert.deepEqual([beyond.status, beyond.headers['content-encoding']], [416, undefined]);
    assert.match(String(beyond.body), /beyond the end/);
  });

  test('a visitor who leaves before her file comes is not logged as a failure, and leaves no file open', async (t) => {
    const { app, log, folder } = await startSite(t);
    const leaving: RequestListener = (req, res) => {
      app(req, res);
      res.destroy();
    };
    for (let time = 1; time <= 5; time += 1) await assert.rejects(request(leaving).get(VIDEO));
    await log.until('request aborted');
    await request(app).get(VIDEO).expect(200);
    assert.doesNotMatch(log.text(), /request failed/);
    if (process.platform !== 'linux') return;
    await until('all files are closed', async () => {
      const open = (await readdir('/proc/self/fd')).map((fd) =>
        readlink(`/proc/self/fd/${fd}`).catch(() => ''),
      );
      return (await Promise.all(open)).every((path) => !path.startsWith(folder));
    });
  });
});
