import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { connectRaw, GET, startListener } from '#server/testing/network.ts';
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
