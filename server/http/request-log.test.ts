import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { cleanUp } from '#server/testing/clean-up.ts';
import { connectRaw } from '#server/testing/network.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { startTestSite } from '#server/testing/test-site.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';
import { listen } from './listen.ts';

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
    const { url, close } = await listen(app, { host: '127.0.0.1', port: 0 });
    cleanUp(t, close);
    const visitor = await connectRaw(url);
    visitor.send(`${head.join('\r\n')}\r\n\r\n${body}`);
    await asked;
    visitor.socket.destroy();
    await log.until('request aborted');
    events.addEventListener('asked', () => events.dispatchEvent(new Event('answer')));
    events.dispatchEvent(new Event('answer'));
    await log.until('request failed');
    const lines = log
      .text()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ req }) => req);
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
