import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sendRaw } from './testing/raw-client.ts';
import { GET, startListener } from './testing/test-listener.ts';

describe('what is no request', () => {
  test('gets a bare 4xx, once, and the connection ends', async (t) => {
    const { url, metrics } = await startListener(t);
    const garbled = [
      'hello\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      `${GET}Broken\r\n\r\n`,
      `${GET}X: \u0000\r\n\r\n`,
      'POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: here\r\nContent-Length: -1\r\n\r\n',
      'POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      'GET / HTTP/1.1\r\n\r\n',
      Buffer.from('16030100c8010000c40303', 'hex'),
    ];
    for (const text of garbled) {
      const answer = await sendRaw(url, text);
      assert.equal(answer.status, 400, String(text));
      assert.equal(answer.count, 1);
      assert.match(answer.text, /Connection: close\r\n/i);
      assert.ok(answer.text.endsWith('\r\n\r\n') || answer.text.endsWith('0\r\n\r\n'));
    }
    // `GET / HTTP/1.1` without a host gets its 400 from Node itself, and is not counted.
    const counted = `http_refused_total{status="400"} ${garbled.length - 1}`;
    assert.ok((await metrics.metrics()).includes(counted));
    const still = await sendRaw(url, `${GET}Connection: close\r\n\r\n`);
    assert.equal(still.status, 200);
  });

  test('is not answered in the place of a request before it', async (t) => {
    const { url } = await startListener(t, {}, () => {});
    const { text } = await sendRaw(url, `${GET}\r\nhello\r\n\r\n`);
    assert.equal(text, '');
  });

  test('tunnels and unknown expectations are refused', async (t) => {
    const { url, metrics } = await startListener(t);
    const tunnel = await sendRaw(url, 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n');
    assert.equal(tunnel.status, 405);
    assert.match(tunnel.text, /\r\nAllow: GET, HEAD\r\n/);
    assert.equal((await sendRaw(url, `${GET}Expect: miracles\r\n\r\n`)).status, 417);
    const told = await metrics.metrics();
    for (const status of [405, 417]) assert.ok(told.includes(`http_refused_total{status="${status}"} 1`));
  });
});
