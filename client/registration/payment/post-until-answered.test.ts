import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import { startListener } from '#server/testing/test-listener.ts';
import { NetworkError, RequestFailedError } from './http-client.ts';
import { postUntilAnswered } from './post-until-answered.ts';

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
