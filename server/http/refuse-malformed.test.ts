import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sendRaw } from '#server/testing/raw-client.ts';
import { GET, startListener } from '#server/testing/test-listener.ts';

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

  test('two of a header that can be one only: no handler sees them, nor what follows', async (t) => {
    let handled = 0;
    const { url, metrics } = await startListener(t, {}, (_req, res) => {
      handled += 1;
      res.end('ok');
    });
    const twice = [
      'Host: evil.example\r\n',
      'host: here\r\n',
      'HOST:\r\n',
      'X-Between: 1\r\nHost: evil.example\r\n',
      'Authorization: Basic b3Bz\r\nauthorization: Basic c2Vj\r\n',
      'Content-Type: application/json\r\nContent-Type: text/plain\r\n',
    ];
    for (const headers of twice) {
      const { status, count, text } = await sendRaw(url, `${GET}${headers}\r\n${GET}\r\n`);
      assert.deepEqual({ status, count }, { status: 400, count: 1 }, headers);
      assert.match(text, /\r\nConnection: close\r\n/i);
      assert.ok(text.endsWith('\r\n\r\n') || text.endsWith('0\r\n\r\n'));
      assert.doesNotMatch(text, /evil/);
    }
    assert.equal(handled, 0);
    assert.ok((await metrics.metrics()).includes(`http_refused_total{status="400"} ${twice.length}`));

    const others = 'X-Host: a\r\nX-Host: b\r\nCookie: a=b\r\nCookie: c=d\r\nAccept: a\r\nAccept: b\r\n';
    assert.equal((await sendRaw(url, `${GET}${others}Connection: close\r\n\r\n`)).status, 200);
  });

  test('nor is a body read whose end can be told in two ways', async (t) => {
    const { url } = await startListener(t);
    for (const headers of [
      'Content-Length: 1\r\nContent-Length: 1\r\n',
      'Content-Length: 1, 1\r\n',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n',
      'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n',
    ]) {
      const { status, count } = await sendRaw(
        url,
        `POST / HTTP/1.1\r\nHost: here\r\n${headers}\r\n0\r\n\r\n`,
      );
      assert.deepEqual({ status, count }, { status: 400, count: 1 }, headers);
    }
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
