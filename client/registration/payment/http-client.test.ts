import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import { startListener } from '#server/testing/network.ts';
import {
  CanceledError,
  NetworkError,
  post,
  postUntilAnswered,
  RequestFailedError,
  TimeoutError,
  UnsupportedProtocolError,
} from './http-client.ts';

describe('the HTTP client', () => {
  for (const status of [200, 201, 299]) {
    test(`R7.2 ${status} is success: JSON out, JSON back`, async (t) => {
      const { url } = await startListener(t, {}, async (req, res) => {
        const body = (await req.toArray()).join('');
        res.writeHead(status).end(JSON.stringify({ type: req.headers['content-type'], body }));
      });
      assert.deepEqual(await post(url, { json: { first: 1 } }), {
        type: 'application/json',
        body: '{"first":1}',
      });
    });
  }

  test('R7.2 any other status is a typed error with the status and the server’s body', async (t) => {
    const { url } = await startListener(t, {}, (_req, res) =>
      res.writeHead(409).end('{"error":{"code":"taken"}}'),
    );
    const expected = { name: 'RequestFailedError', status: 409, body: { error: { code: 'taken' } } };
    await assert.rejects(post(url, { json: {} }), expected);
    await assert.rejects(
      post(url, { json: {} }),
      new RegExp(`POST ${url}: request failed with status code 409`),
    );
  });

  test('R7.2 an answer that is not JSON is not an error by itself', async (t) => {
    const { url } = await startListener(t, {}, (req, res) =>
      res.writeHead(req.url === '/fails' ? 502 : 200).end('<html>'),
    );
    assert.equal(await post(url, { json: {} }), undefined);
    const failed = await post(new URL('/fails', url).href, { json: {} }).catch((error: unknown) => error);
    assert.ok(failed instanceof RequestFailedError);
    assert.equal(failed.body, undefined);
  });

  test('R7.2 network error: no server, or the connection lost in the middle of the answer', async (t) => {
    const { url } = await startListener(t, {}, (_req, res) => {
      res.writeHead(200, { 'Content-Length': '100' }).write('{"half":');
      setImmediate(() => res.destroy());
    });
    await assert.rejects(post(url, { json: {} }), NetworkError);
    await assert.rejects(post('http://127.0.0.1:1/', { json: {} }), NetworkError);
  });

  test('R7.2 a request times out only if a timeout is set; aborting it is another error', async (t) => {
    const { url } = await startListener(t, {}, () => {});
    await assert.rejects(post(url, { json: {}, timeoutMs: 20 }), TimeoutError);
    const controller = new AbortController();
    const request = post(url, { json: {}, timeoutMs: 60_000, signal: controller.signal });
    controller.abort();
    await assert.rejects(request, CanceledError);
  });

  test('R7.2 an unsupported protocol is refused before anything is sent', async () => {
    await assert.rejects(post('ftp://127.0.0.1/', { json: {} }), UnsupportedProtocolError);
  });
});

/** Starts a site that gives these answers to its first requests, and succeeds at all later ones. */
async function startSite(t: TestContext, ...answers: RequestListener[]) {
  const keys: unknown[] = [];
  const { url } = await startListener(t, {}, (req, res) => {
    keys.push(req.headers['idempotency-key']);
    const answer = answers.shift() ?? (() => res.end('{"made":1}'));
    answer(req, res);
  });
  const send = () => postUntilAnswered(url, { headers: { 'Idempotency-Key': 'k' }, json: {} }, [1, 1]);
  return { keys, send };
}

const dies: RequestListener = (req) => req.socket.destroy();
const says =
  (status: number, body: string): RequestListener =>
  (_req, res) =>
    res.writeHead(status).end(body);

describe('a request to the site', () => {
  test('R4.5 is retried with the same idempotency key if its process died before answering', async (t) => {
    const { keys, send } = await startSite(t, dies, says(502, ''));
    assert.deepEqual(await send(), { made: 1 });
    assert.deepEqual(keys, ['k', 'k', 'k']);
  });

  test('R7.2 is retried twice at most, then fails', async (t) => {
    const { keys, send } = await startSite(t, dies, dies, dies);
    await assert.rejects(send(), NetworkError);
    assert.equal(keys.length, 3);
    const proxied = await startSite(t, says(502, ''), says(503, '<html>'), says(504, ''));
    await assert.rejects(proxied.send(), { name: 'RequestFailedError', status: 504 });
  });

  test('R7.2 is not retried if the site itself has answered', async (t) => {
    for (const [status, body] of [
      [502, '{"error":{}}'],
      [409, '{"error":{}}'],
      [500, ''],
      [429, ''],
    ] as const) {
      const { keys, send } = await startSite(t, says(status, body));
      await assert.rejects(send(), RequestFailedError);
      assert.equal(keys.length, 1, `${status}`);
    }
  });
});
