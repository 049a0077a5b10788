import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { connectRaw, type RawClient, sendRaw } from '#server/testing/raw-client.ts';
import { GET, startListener } from '#server/testing/test-listener.ts';

describe('slow and greedy clients', () => {
  const quick = { headMs: 100, requestMs: 200, checkMs: 20 };

  test('a head that does not come is not waited for', async (t) => {
    const { url } = await startListener(t, quick);
    for (const beginning of ['', 'GET / HT', `${GET}X-Slow: a`]) {
      assert.equal((await sendRaw(url, beginning)).status, 408);
    }
  });

  test('nor is one that comes a header at a time', async (t) => {
    const { url } = await startListener(t, quick);
    const client = await connectRaw(url);
    client.send(GET);
    const drip = setInterval(() => client.send('X-Drip: 1\r\n'), 10);
    const { status } = await client.closed();
    clearInterval(drip);
    assert.equal(status, 408);
  });

  test('nor is a body that comes a byte at a time', async (t) => {
    const { url } = await startListener(t, quick);
    const client = await connectRaw(url);
    client.send('POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1000\r\n\r\n');
    const drip = setInterval(() => client.send('x'), 10);
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

  test('a connection that idles is closed, without an answer to nothing', async (t) => {
    const { url } = await startListener(t, { idleMs: 50 });
    const { count } = await sendRaw(url, `${GET}\r\n`);
    assert.equal(count, 1);
  });

  test('connections above the bound are closed, and let in once others leave', async (t) => {
    const { url, metrics, log } = await startListener(t, { connections: 2 });
    const held: RawClient[] = [];
    while (held.length < 2) {
      const client = await connectRaw(url);
      client.send('POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n');
      await client.until('100 Continue');
      held.push(client);
    }
    for (let time = 1; time <= 2; time += 1) {
      assert.equal((await sendRaw(url, `${GET}\r\n`)).status, undefined);
    }
    assert.match(await metrics.metrics(), /^http_connections 2$/m);
    assert.match(await metrics.metrics(), /^http_connections_dropped_total 2$/m);
    assert.equal(log.text().split('Connections are refused').length - 1, 1);
    for (const { socket } of held) socket.destroy();
    let status: number | undefined;
    while (status === undefined) status = (await sendRaw(url, `${GET}Connection: close\r\n\r\n`)).status;
    assert.equal(status, 200);
  });

  test('connections that ask nothing do not shut others out, those that came first are closed', async (t) => {
    const { url, metrics } = await startListener(t, { connections: 20 });
    const [kept, ...silent] = await Promise.all(Array.from({ length: 19 }, () => connectRaw(url)));
    assert.ok(kept);
    kept.send(`${GET}\r\n`);
    await kept.until('ok');
    for (let time = 1; time <= 40; time += 1) {
      const visitor = await connectRaw(url);
      visitor.send(`${GET}\r\n`);
      await visitor.until('ok');
    }
    for (const { closed } of [kept, ...silent]) await closed();
    const told = await metrics.metrics();
    assert.match(told, /^http_connections_dropped_total 0$/m);
    assert.ok(Number(/^http_connections (\d+)$/m.exec(told)?.[1]) <= 20);
  });

  test('a head beyond its bound gets 431, for its length as for its number of headers', async (t) => {
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
