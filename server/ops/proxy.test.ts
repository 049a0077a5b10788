import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { startCaddy } from '#scripts/product/caddy.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { cleanUp } from '#server/testing/clean-up.ts';
import { connectRaw, startListener } from '#server/testing/network.ts';

const SITE = 'retreat.example';
const OFFICE = 'office.retreat.example';

/** A request as an app gets it. */
interface Arrived {
  url: string;
  headers: NodeJS.Dict<string | string[]>;
}

/** A listener behind the proxy, which records what arrives. */
async function startBehind(t: TestContext) {
  const arrived: Arrived[] = [];
  const { url, close } = await startListener(t, {}, ({ url = '', headers }, res) => {
    if (url !== '/readyz') arrived.push({ url, headers });
    res.end();
  });
  return { arrived, close, port: Number(new URL(url).port) };
}

/** The example as it is written, on ports of its own and without TLS; one port of each range answers. */
async function startProxy(t: TestContext, trusted = '') {
  const site = await startBehind(t);
  const ops = await startBehind(t);
  const [port, free] = [await findFreePort(), await findFreePort()];
  const folder = await mkdtemp(join(tmpdir(), 'caddy-'));
  cleanUp(t, () => rm(folder, { recursive: true }));
  const lines: string[] = [];
  const caddy = await startCaddy({
    port,
    folder,
    sites: [`127.0.0.1:${free}`, `127.0.0.1:${site.port}`],
    ops: [`127.0.0.1:${free}`, `127.0.0.1:${ops.port}`],
    change: (config) => config.replaceAll('lb_try_duration 15s', `lb_try_duration 2s\n${trusted}`),
    onLine: (line) => void lines.push(line),
  });
  cleanUp(t, () => caddy.stop());
  /** Requests a path exactly as it is written, with a forged visitor address. */
  const get = (host: string, path: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { Host: host, 'X-Forwarded-For': '192.0.2.6' };
      request({ port, path, headers, agent: false }, (answer) => resolve(answer.resume()))
        .once('error', reject)
        .end();
    });
  /** Sends a request without its last byte. */
  const begin = async (host: string, path: string) => {
    const client = await connectRaw(`http://127.0.0.1:${port}`);
    cleanUp(t, async () => client.socket.destroy());
    client.send(`POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\n\r\nx`);
    return client;
  };
  return { site, ops, get, begin, lines };
}

describe('the proxy of the operations guide', () => {
  test('publishes the office’s pages under their own name, and nothing else of the ops listener', async (t) => {
    const { site, ops, get } = await startProxy(t);
    const published = ['/office', '/office?words=Wilma', '/office/sign-in', '/static/css/office-12.css'];
    for (const path of published) assert.equal((await get(OFFICE, path)).statusCode, 200, path);
    const root = await get(OFFICE, '/');
    assert.deepEqual([root.statusCode, root.headers.location], [302, '/office']);
    for (const path of [
      '/metrics',
      '/healthz',
      '/officer',
      '//metrics',
      '/office/../metrics',
      '/office/..%2fmetrics',
      '/static/%2e%2e/metrics',
      '/%6detrics',
      '/metrics/../office',
      '/metrics/x/..%2f..%2foffice',
      '/metrics?/office',
      '/metrics\\..\\office',
    ]) {
      assert.equal((await get(OFFICE, path)).statusCode, 404, path);
    }
    assert.deepEqual(
      ops.arrived.map(({ url }) => url),
      published,
    );
    assert.deepEqual(site.arrived, []);
  });

  test('passes a request on when it is complete, so that half-sent ones hold no connection of an app', async (t) => {
    const { site, ops, get, begin } = await startProxy(t);
    for (const [host, path, listener] of [
      [SITE, '/webhooks/stripe', site],
      [OFFICE, '/office/sign-in', ops],
    ] as const) {
      const half = await begin(host, path);
      assert.equal((await get(host, '/office')).statusCode, 200);
      assert.deepEqual(
        listener.arrived.map(({ url }) => url),
        ['/office'],
      );
      half.send('y');
      await half.until('HTTP/1.1 200');
      assert.equal(listener.arrived.at(-1)?.url, path);
    }
  });

  for (const [what, trusted, address] of [
    ['the visitor’s address', '', '127.0.0.1'],
    [
      'with a CDN that it trusts, the visitor’s address before the CDN’s',
      'trusted_proxies 127.0.0.1/32',
      '192.0.2.6, 127.0.0.1',
    ],
  ] as const)
    test(`tells both listeners the requested host and, ${what}`, async (t) => {
      const { site, ops, get } = await startProxy(t, trusted);
      await get(SITE, '/');
      await get(OFFICE, '/office');
      for (const [host, { arrived }] of [
        [SITE, site],
        [OFFICE, ops],
      ] as const) {
        const { headers } = arrived[0] ?? assert.fail();
        assert.deepEqual(
          [headers.host, headers['x-forwarded-for'], headers['x-forwarded-proto']],
          [host, address, 'http'],
        );
      }
    });

  test('logs no link of a registrant and no search words, also when no app answers', async (t) => {
    const { site, ops, get, lines } = await startProxy(t);
    await Promise.all([site.close(), ops.close()]);
    const answers = await Promise.all([get(SITE, '/place/v1.token'), get(OFFICE, '/office?words=Wilma')]);
    for (const { statusCode = 0 } of answers) assert.ok(statusCode >= 500);
    assert.doesNotMatch(lines.join('\n'), /v1\.token|Wilma/);
  });
});
