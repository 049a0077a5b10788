import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { connectRaw, GET, sendRaw, startListener } from '#server/testing/network.ts';
import { listen } from './listen.ts';

describe('listen', () => {
  test('a port that is taken is named in the error', async (t) => {
    const { url } = await startListener(t);
    const port = Number(new URL(url).port);
    const second = listen(() => {}, { host: '127.0.0.1', port });
    await assert.rejects(second, {
      name: 'ListenError',
      message: `Port ${port} on 127.0.0.1 is taken by another program.`,
    });
  });

  for (const [host, words] of [
    ['192.0.2.1', 'This machine has no address 192.0.2.1'],
    ['host.invalid', 'The name host.invalid leads to no address'],
  ] as const) {
    test(`${host}, where nothing can listen, is named in the error`, async () => {
      const listener = listen(() => {}, { host, port: 0 });
      await assert.rejects(listener, { name: 'ListenError', message: new RegExp(`^${words}`) });
    });
  }
});

describe('closing', () => {
  test('refuses new connections, finishes requests in flight, and ends kept-alive connections with their next answer', async (t) => {
    let release = (): void => {};
    const asked = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { url, close } = await startListener(t, {}, async (req, res) => {
      if (req.url === '/slow') await asked;
      res.end('ok');
    });
    const slow = await connectRaw(url);
    slow.send('GET /slow HTTP/1.1\r\nHost: here\r\n\r\n');
    const kept = await connectRaw(url);
    kept.send(`${GET}\r\n`);
    await kept.until('ok');
    const closed = close();
    let refused = false;
    while (!refused)
      refused = await connectRaw(url).then(
        ({ socket }) => !socket.destroy(),
        () => true,
      );
    kept.send(`${GET}\r\n`);
    release();
    const [late, finished] = await Promise.all([kept.closed(), slow.closed()]);
    assert.equal(late.count, 2);
    assert.equal(late.text.match(/Connection: close/gi)?.length, 1);
    assert.equal(finished.status, 200);
    assert.match(finished.text, /Connection: close/i);
    await closed;
  });

  test('lets a slow client read all of its answer', async (t) => {
    const size = 30_000_000;
    let ended = (): void => {};
    const written = new Promise<void>((resolve) => {
      ended = resolve;
    });
    const { url, close } = await startListener(t, {}, (_req, res) => {
      res.end('x'.repeat(size));
      ended();
    });
    const reader = await connectRaw(url);
    reader.socket.pause();
    reader.send(`${GET}\r\n`);
    await written;
    const closed = close();
    setTimeout(() => reader.socket.resume(), 2_500);
    const { text } = await reader.closed();
    assert.ok(text.length > size);
    await closed;
  });

  test('closes idle connections, and cuts off requests that do not end', async (t) => {
    const { url, close } = await startListener(t);
    const idle = await connectRaw(url);
    idle.send(`${GET}\r\n`);
    await idle.until('ok');
    assert.equal(await close(), 0);
    assert.equal((await idle.closed()).count, 1);

    const { url: other, close: closeOther } = await startListener(t, {}, () => {});
    const endless = await connectRaw(other);
    endless.send(`${GET}\r\n`);
    assert.equal(await closeOther(), 1);
    assert.equal((await endless.closed()).count, 0);
  });
});

describe('slow and greedy clients', () => {
  const quick = { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20 };

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
    const { url } = await startListener(t, { timeout: 100 }, (_req, res) => {
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

  test('a head above its limit gets 431, and of a shorter one no header is lost', async (t) => {
    const { url } = await startListener(t, {}, ({ rawHeaders }, res) => {
      res.end(`${rawHeaders.length / 2} headers`);
    });
    const long = `${GET}X-Long: ${'a'.repeat(17_000)}\r\n\r\n`;
    const many = `${GET}${'X-Many: 1\r\n'.repeat(2_500)}\r\n`;
    const url17k = `GET /${'a'.repeat(17_000)} HTTP/1.1\r\nHost: here\r\n\r\n`;
    for (const head of [long, many, url17k]) assert.equal((await sendRaw(url, head)).status, 431);
    const some = `${GET}${'a:\r\n'.repeat(2_500)}Connection: close\r\n\r\n`;
    assert.match((await sendRaw(url, some)).text, /2502 headers$/);
  });
});

describe('an invalid request', () => {
  test('with two of a header that may occur once reaches no handler', async (t) => {
    let handled = 0;
    const { url } = await startListener(t, {}, (_req, res) => {
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
      const { status, count, text } = await sendRaw(url, `${GET}${headers}\r\n`);
      assert.deepEqual({ status, count }, { status: 400, count: 1 }, headers);
      assert.match(text, /\r\nConnection: close\r\n/i);
      assert.ok(text.endsWith('\r\n\r\n') || text.endsWith('0\r\n\r\n'));
      assert.doesNotMatch(text, /evil/);
    }
    assert.equal(handled, 0);

    const others = 'X-Host: a\r\nX-Host: b\r\nCookie: a=b\r\nCookie: c=d\r\nAccept: a\r\nAccept: b\r\n';
    assert.equal((await sendRaw(url, `${GET}${others}Connection: close\r\n\r\n`)).status, 200);
  });

  test('with a body of ambiguous length gets 400', async (t) => {
    const { url } = await startListener(t);
    for (const headers of [
      'Content-Length: 1\r\nContent-Length: 1\r\n',
      'Content-Length: 1, 1\r\n',
      'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n',
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
});
