import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, test } from 'node:test';
import { connectRaw, GET, type RawClient, sendRaw, startListener } from '#server/testing/network.ts';

describe('slow and greedy clients', () => {
  const quick = { headMs: 100, requestMs: 200, checkMs: 20 };

  test('a request head that does not come in time gets 408', async (t) => {
    const { url } = await startListener(t, quick);
    for (const beginning of ['', 'GET / HT', `${GET}X-Slow: a`]) {
      assert.equal((await sendRaw(url, beginning)).status, 408);
    }
  });

  for (const [what, beginning, drop] of [
    ['a head that comes one header', GET, 'X-Drip: 1\r\n'],
    ['a body that comes one byte', 'POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1000\r\n\r\n', 'x'],
  ] as const)
    test(`${what} at a time gets 408`, async (t) => {
      const { url } = await startListener(t, quick);
      const client = await connectRaw(url);
      client.send(beginning);
      const drip = setInterval(() => client.send(drop), 10);
      const { status, count } = await client.closed();
      clearInterval(drip);
      assert.deepEqual({ status, count }, { status: 408, count: 1 });
    });

  test('a client that does not read its answer is cut off', async (t) => {
    const cut: Promise<unknown>[] = [];
    const { url } = await startListener(t, { silentMs: 100 }, (_req, res) => {
      cut.push(once(res, 'close'));
      res.end(Buffer.alloc(50_000_000));
    });
    const client = await connectRaw(url);
    client.socket.pause();
    const closed = client.closed();
    client.send(`${GET}\r\n`);
    while (cut.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await Promise.all(cut);
    client.socket.resume();
    assert.ok((await closed).text.length < 50_000_000);
  });

  test('an idle connection is closed without another answer', async (t) => {
    const { url } = await startListener(t, { idleMs: 50 });
    const { count } = await sendRaw(url, `${GET}\r\n`);
    assert.equal(count, 1);
  });

  const unfinished = 'POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n\r\nx';
  const page = `${GET}Connection: close\r\n\r\n`;
  const big = Buffer.alloc(20_000_000);
  for (const [who, path, beginning, answers] of [
    ['say nothing', '/', '', undefined],
    ['do not finish a head', '/', 'GET / HT', undefined],
    ['do not finish a body', '/', unfinished, undefined],
    ['are idle', '/', `${GET}\r\n`, 'ok'],
    ['do not read the answer', '/big', 'GET /big HTTP/1.1\r\nHost: here\r\n\r\n', 'HTTP/1.1 200'],
  ] as const) {
    test(`clients that ${who} hold all connections, and the next one is answered`, async (t) => {
      const { url, metrics, log } = await startListener(t, { connections: 3 }, (req, res) => {
        req.resume().once('end', () => res.end(req.url === '/big' ? big : 'ok'));
      });
      const held: RawClient[] = [];
      for (let count = 1; count <= 4; count += 1) {
        const client = await connectRaw(url);
        client.send(beginning);
        if (answers) await client.until(answers);
        if (path === '/big') client.socket.pause();
        held.push(client);
      }
      assert.equal((await sendRaw(url, page)).status, 200);
      for (const { socket } of held) socket.resume();
      await Promise.all(held.slice(0, 2).map((client) => client.closed()));
      for (const { socket } of held.slice(2)) {
        assert.equal(socket.closed, false);
        socket.destroy();
      }
      assert.match(await metrics.metrics(), /^http_connections_dropped_total 2$/m);
      assert.equal(log.text().split('Connections are closed').length - 1, 1);
    });
  }

  test('a connection whose request is being answered is never closed for another', async (t) => {
    const waiting: ServerResponse[] = [];
    const { url, metrics } = await startListener(
      t,
      { connections: 2 },
      (_req, res) => void waiting.push(res),
    );
    const answers = [sendRaw(url, page), sendRaw(url, page)];
    while (waiting.length < 2) await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await sendRaw(url, page)).status, undefined);
    assert.match(await metrics.metrics(), /^http_connections 2$/m);
    assert.match(await metrics.metrics(), /^http_connections_dropped_total 1$/m);
    for (const res of waiting) res.end('ok');
    for (const { status } of await Promise.all(answers)) assert.equal(status, 200);
  });

  test('of too many unfinished bodies, the oldest gets 503', async (t) => {
    const { url, metrics } = await startListener(t, { bodies: 2 });
    const held: RawClient[] = [];
    for (let count = 1; count <= 3; count += 1) {
      const client = await connectRaw(url);
      client.send(unfinished);
      held.push(client);
      if (count === 1) await sendRaw(url, `${unfinished.replace('Host', 'Connection: close\r\nHost')}y`);
    }
    const [first, ...others] = held;
    const refused = await first?.closed();
    assert.equal(refused?.status, 503);
    assert.match(refused.text, /\r\nRetry-After: 60\r\n/);
    for (const client of others) client.send('y');
    await Promise.all(others.map((client) => client.until('ok')));
    for (const { socket } of others) socket.destroy();
    assert.match(await metrics.metrics(), /^http_refused_total\{status="503"\} 1$/m);
  });

  test('a head above its limits gets 431, whether by its length or by its number of headers', async (t) => {
    const { url, metrics } = await startListener(t);
    const long = `${GET}X-Long: ${'a'.repeat(17_000)}\r\n\r\n`;
    const many = `${GET}${'X-Many: 1\r\n'.repeat(120)}\r\n`;
    const url17k = `GET /${'a'.repeat(17_000)} HTTP/1.1\r\nHost: here\r\n\r\n`;
    for (const head of [long, many, url17k]) assert.equal((await sendRaw(url, head)).status, 431);
    assert.match(await metrics.metrics(), /^http_refused_total\{status="431"\} 3$/m);
    const some = `${GET}${'X-Some: 1\r\n'.repeat(80)}Connection: close\r\n\r\n`;
    assert.equal((await sendRaw(url, some)).status, 200);
  });
});

describe('an invalid request', () => {
  test('gets one bare 400, and the connection ends', async (t) => {
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

  test('with two of a header that may occur once reaches no handler, nor does what follows it', async (t) => {
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

  test('with a body of ambiguous length gets 400', async (t) => {
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

  test('for a tunnel or with an unknown expectation is refused', async (t) => {
    const { url, metrics } = await startListener(t);
    const tunnel = await sendRaw(url, 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n');
    assert.equal(tunnel.status, 405);
    assert.match(tunnel.text, /\r\nAllow: GET, HEAD\r\n/);
    assert.ok((await metrics.metrics()).includes('http_refused_total{status="405"} 1'));
    const expectation = `${GET}Expect: miracles\r\nConnection: close\r\n\r\n`;
    assert.equal((await sendRaw(url, expectation)).status, 417);
  });
});
