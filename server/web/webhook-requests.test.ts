import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { sampleMailEvents } from '#scripts/product/environment.ts';
import { MAIL_EVENTS_PATH } from '#server/letters/mail-events.ts';
import { WEBHOOK_PATH } from '#server/stripe/webhook-route.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { connectRaw, startListener } from '#server/testing/network.ts';
import { startTestSite } from '#server/testing/test-site.ts';

const nowS = Math.floor(Date.now() / 1000);
const hex = '0'.repeat(64);
const plausible = `Stripe-Signature: t=${nowS},v1=${hex}`;

async function start(t: TestContext) {
  const env = { ...sampleMailEvents, TRUST_PROXY: '1' };
  const { app, metrics, log } = await startTestSite(t, { env });
  const { url } = await startListener(t, {}, app);
  /** Sends the head of a request, and a beginning of its body. */
  const begin = async (
    path: string,
    headers: readonly string[],
    body = '',
    length = 'Content-Length: 900',
  ) => {
    const client = await connectRaw(url);
    cleanUp(t, async () => client.socket.destroy());
    const lines = [
      `POST ${path} HTTP/1.1`,
      'Host: here',
      'Content-Type: application/json',
      length,
      ...headers,
    ];
    client.send(`${lines.join('\r\n')}\r\n\r\n${body}`);
    return client;
  };
  return { begin, metrics, log };
}

describe('the body of a webhook', () => {
  test('R4.6 is not read when its signature is missing; that of an e-mail event neither when it is malformed or too old', async (t) => {
    const { begin, metrics } = await start(t);
    const mailSignature = `webhook-signature: v1,${Buffer.alloc(32).toString('base64')}`;
    const refused = [
      [WEBHOOK_PATH],
      [WEBHOOK_PATH, 'Stripe-Signature: '],
      [MAIL_EVENTS_PATH],
      [MAIL_EVENTS_PATH, 'webhook-id: 1', `webhook-timestamp: ${nowS}`],
      [MAIL_EVENTS_PATH, 'webhook-id: 1', `webhook-timestamp: ${nowS}`, 'webhook-signature: v1,abc'],
      [MAIL_EVENTS_PATH, 'webhook-id: 1', `webhook-timestamp: ${nowS - 400}`, mailSignature],
    ] as const;
    for (const [path, ...headers] of refused) {
      const client = await begin(path, headers);
      await client.until('HTTP/1.1 400');
      await client.until('"invalid_signature"');
    }
    const mailRefusals = refused.filter(([path]) => path !== WEBHOOK_PATH).length;
    assert.match(await metrics.metrics(), new RegExp(`^mail_events_refused_total ${mailRefusals}$`, 'm'));
  });

  test('R4.6 above what the provider sends gets 413, announced or not', async (t) => {
    const { begin } = await start(t);
    const size = 300_000;
    const announced = await begin(WEBHOOK_PATH, [plausible], ' '.repeat(size), `Content-Length: ${size}`);
    await announced.until('HTTP/1.1 413');
    const chunk = `${size.toString(16)}\r\n${' '.repeat(size)}\r\n0\r\n\r\n`;
    const chunked = await begin(WEBHOOK_PATH, [plausible], chunk, 'Transfer-Encoding: chunked');
    await chunked.until('HTTP/1.1 413');
  });

  test('R4.6 that does not come completely is no failure of the site', async (t) => {
    const { begin, log } = await start(t);
    const client = await begin(WEBHOOK_PATH, [plausible, 'Expect: 100-continue']);
    await client.until('100 Continue');
    client.socket.resetAndDestroy();
    await log.until('request aborted');
    await (await begin(WEBHOOK_PATH, ['Connection: close'])).closed();
    assert.deepEqual(log.lines('request failed'), []);
  });
});
