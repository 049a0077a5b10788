import { once } from 'node:events';
import { createServer } from 'node:http';
import { brotliCompressSync } from 'node:zlib';
import { launchBrowser } from '#client/e2e/run/browser.ts';
import { median } from '#scripts/drills/drill.ts';
import { measurePhone, type PhoneFigures } from './phone.ts';

const ROUNDS = 3;

/** Measures on a throttled phone, in turn, the page and the same HTML without scripts, served from memory. */
export async function measurePhones(siteUrl: string): Promise<Record<'page' | 'still', PhoneFigures>> {
  const still = await serveStill(siteUrl);
  const browser = await launchBrowser();
  try {
    const visits = {
      page: { url: siteUrl, application: true },
      still: { url: still.url, application: false },
    };
    const results = { page: [] as PhoneFigures[], still: [] as PhoneFigures[] };
    for (let round = 0; round < ROUNDS; round += 1) {
      results.page.push(await measurePhone(browser, visits.page));
      results.still.push(await measurePhone(browser, visits.still));
    }
    return { page: medianOf(results.page), still: medianOf(results.still) };
  } finally {
    await browser.close();
    still.close();
  }
}

function medianOf(all: readonly PhoneFigures[]): PhoneFigures {
  const of = (key: keyof PhoneFigures): number => median(all.map((figures) => figures[key] ?? Number.NaN));
  return {
    fcp: of('fcp'),
    lcp: of('lcp'),
    tbt: of('tbt'),
    cls: of('cls'),
    faq: of('faq'),
    pressAtOnce: of('pressAtOnce'),
    pressLater: of('pressLater'),
  };
}

/** Serves the page without its scripts; all other files that it names are fetched from the site. */
async function serveStill(siteUrl: string): Promise<{ url: string; close: () => void }> {
  const html = await (await fetch(siteUrl)).text();
  const still = html
    .replace(/<script type="module"[^>]*><\/script>/, '')
    .replaceAll(/<link rel="modulepreload"[^>]*>/g, '');
  const body = brotliCompressSync(still);
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Encoding': 'br' };
  const server = createServer(async (req, res) => {
    if (req.url === '/') {
      res.writeHead(200, headers).end(body);
      return;
    }
    const answer = await fetch(new URL(req.url ?? '', siteUrl));
    const type = answer.headers.get('content-type') ?? 'application/octet-stream';
    res.writeHead(answer.status, { 'Content-Type': type }).end(Buffer.from(await answer.arrayBuffer()));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('Listening on no port');
  return { url: `http://127.0.0.1:${address.port}/`, close: () => server.close() };
}
