import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { type RequestListener, request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild, waitForAnswer } from '#scripts/product/child.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { ensureProgram, programs } from '#scripts/product/system-package.ts';
import { cleanUp, testFolder } from '#server/testing/clean-up.ts';
import { startListener } from '#server/testing/network.ts';
import { startOwnPage } from '#server/testing/test-own-page.ts';
import { startTestSite } from '#server/testing/test-site.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';

const LATEST_MS = 8_000;
const POLL_MS = 50;

/** Replaces the ten seconds for which an app lets caches keep an answer. */
const SHORT_S = 1;

/** An app that records what arrives, and whose answers caches keep for a shorter time than usual. */
async function startOrigin(t: TestContext, app: RequestListener) {
  const arrived: (string | undefined)[] = [];
  const { url, close } = await startListener(t, {}, (req, res) => {
    arrived.push(req.url);
    const { writeHead } = res;
    t.mock.method(res, 'writeHead', (status: number, own: Record<string, string> = {}) => {
      const told = String(own['Cache-Control'] ?? res.getHeader('Cache-Control') ?? 'no-store');
      const short = { 'Cache-Control': told.replaceAll('=10,', `=${SHORT_S},`) };
      return Reflect.apply(writeHead, res, [status, { ...own, ...short }]);
    });
    app(req, res);
  });
  return { url, close, arrived, count: (path: string) => arrived.filter((one) => one === path).length };
}

/** A site with a registrant behind a cache, which already has the page in each encoding. */
async function startSite(t: TestContext) {
  const ownPage = await startOwnPage(t, { env: { REGISTRATION: 'auto' } });
  const origin = await startOrigin(t, ownPage.app);
  const cache = await startCache(t, [origin.url]);
  for (const encoding of [undefined, 'gzip', 'br'])
    await until(
      () => cache.ask('/', { 'Accept-Encoding': encoding ?? 'identity' }),
      ({ cached, headers }) => cached === 'HIT' && headers['content-encoding'] === encoding,
    );
  return { ...ownPage, origin, cache };
}

/** Asks until an answer is as wanted. */
async function until(ask: () => Promise<CacheAnswer>, isWanted: (answer: CacheAnswer) => boolean) {
  const end = Date.now() + LATEST_MS;
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    assert.ok(Date.now() < end, `still ${answer.status} ${answer.cached}`);
    await delay(POLL_MS);
  }
}

describe('a cache in front', () => {
  test('shows the page while no app answers, and fails what only an app can answer', async (t) => {
    const { cache, origin, enter, assets } = await startSite(t);
    const Cookie = await enter();
    const page = await cache.ask('/');
    const script = await cache.ask(assets.script);
    await cache.ask(OWN_PAGE_PATH, { Cookie });
    await origin.close();
    await until(
      () => cache.ask('/'),
      ({ cached }) => cached === 'STALE',
    );
    // Also when the stale-while-revalidate time is over.
    await delay(2_100);
    const stale = await cache.ask('/');
    assert.deepEqual([stale.status, stale.cached, stale.body.equals(page.body)], [200, 'STALE', true]);
    assert.ok((await cache.ask(assets.script)).body.equals(script.body));
    assert.equal((await cache.ask(OWN_PAGE_PATH, { Cookie })).status, 502);
    assert.equal((await cache.ask('/createPayment', {}, 'POST')).status, 502);
  });

  test('holds nothing of a registrant, whatever address she requests, also if an attacker made it', async (t) => {
    const { cache, origin, enter, tokenWith } = await startSite(t);
    const token = tokenWith();
    const Cookie = await enter();
    const link = `${ownPagePaths.enter}${token}`;
    const paths = [
      OWN_PAGE_PATH,
      link,
      `${OWN_PAGE_PATH}/x.css`,
      `${OWN_PAGE_PATH}?x.js`,
      `${OWN_PAGE_PATH}%2fx.css`,
      '/static/../place',
      '/office/anything.js',
      '/place/..%2f',
    ];
    for (const path of paths) {
      for (const _ of [1, 2]) {
        const { cached } = await cache.ask(path, { Cookie });
        assert.ok(cached === 'MISS' || cached === undefined, `${path} ${cached}`);
      }
      assert.equal(origin.count(path), 2, path);
    }
    const seen = await cache.ask(OWN_PAGE_PATH, { Cookie });
    assert.match(seen.body.toString(), /Wilma/);
    const held = await cache.holds();
    assert.match(held, /KEY: {2}\//);
    for (const secret of ['Wilma', token, Cookie.slice(6)]) assert.ok(!held.includes(secret));
    assert.ok(!cache.lines.join('\n').includes(token));
  });

  test('keeps hashed files, asks another app for files that one app does not have, and keeps no 404', async (t) => {
    const { app, assets } = await startTestSite(t, { redisRunning: false });
    const files = Object.fromEntries(Object.entries(assets.files).filter(([path]) => path !== assets.script));
    const other = await startTestSite(t, { redisRunning: false, changes: { assets: { ...assets, files } } });
    const origins = [await startOrigin(t, other.app), await startOrigin(t, app)];
    const cache = await startCache(
      t,
      origins.map(({ url }) => url),
    );
    const answers = [];
    for (const query of ['', '?again=1', '?again=2', '?again=3'])
      answers.push(await cache.ask(`${assets.script}${query}`));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.ok(origins.every(({ arrived }) => arrived.length > 0));
    // nginx does not keep what it had to ask for twice.
    await until(
      () => cache.ask(assets.script),
      ({ cached }) => cached === 'HIT',
    );
    const gone = `${assets.script}x`;
    for (const _ of [1, 2]) assert.equal((await cache.ask(gone)).status, 404);
    assert.ok(!(await cache.holds()).includes(gone));
  });
});

const CONFIG = new URL('cdn.nginx.conf', import.meta.url);

/** Temporary folders that nginx opens even if it does not need them. */
const FOLDERS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

interface CacheAnswer {
  status: number | undefined;
  headers: NodeJS.Dict<string | string[]>;
  body: Buffer;
  /** `MISS`, `HIT`, `STALE` and the like; undefined if nginx did not look into the cache. */
  cached: unknown;
}

/** Starts the cache of server/ops/cdn.nginx.conf in front of these apps, with its own port and folder. */
async function startCache(t: TestContext, apps: readonly string[]) {
  const folder = await testFolder(t, 'nginx');
  const kept = join(folder, 'kept');
  const [port, free] = [await findFreePort(), await findFreePort()];
  const temporary = FOLDERS.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n');
  const servers = apps.map((app) => `server ${new URL(app).host} max_fails=0;`).join('\n');
  const config = (await readFile(CONFIG, 'utf8'))
    .replace('/run/nginx.pid', join(folder, 'nginx.pid'))
    .replace('/var/cache/nginx/retreat', kept)
    .replace('http {', `http {\n${temporary}\nserver { listen 127.0.0.1:${free}; return 204; }`)
    .replace(/(\s+server \S+ max_fails=0;)+/, `\n${servers}`)
    .replace('listen 80;', `listen 127.0.0.1:${port} default_server;`);
  const file = join(folder, 'nginx.conf');
  await writeFile(file, config);
  // Otherwise nginx, if root starts it, runs its workers as a user who may not enter the folder.
  const asItself = process.getuid?.() === 0 ? 'user root;' : '';
  const lines: string[] = [];
  const nginx = startChild({
    name: 'nginx',
    command: ensureProgram(programs.nginx),
    args: ['-e', 'stderr', '-c', file, '-g', `daemon off; ${asItself}`],
    onLine: (line) => void lines.push(line),
  });
  cleanUp(t, () => nginx.stop());
  await waitForAnswer(`http://127.0.0.1:${free}/`, nginx);
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    lines,
    ask: (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      new Promise<CacheAnswer>((resolve, reject) => {
        const sent = request({ port, path, method, headers, agent: false }, async (answer) => {
          const { statusCode: status } = answer;
          const body = await buffer(answer);
          resolve({ status, headers: answer.headers, body, cached: answer.headers['x-cache'] });
        });
        sent.once('error', reject).end();
      }),
    /** The contents of all cached files, as one text. */
    async holds(): Promise<string> {
      const entries = await readdir(kept, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      const texts = files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1'));
      return (await Promise.all(texts)).join('\n');
    },
  };
}
