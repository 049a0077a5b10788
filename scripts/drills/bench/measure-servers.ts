import { writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '#scripts/product/child.ts';
import { sandboxKeys } from '#scripts/product/environment.ts';
import { waitForAnswer } from '#scripts/product/launch.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { PLACE_PATH } from '#shared/place.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';
import { paidPlaces } from './paid-places.ts';
import { type Figures, measureRounds, type Subject } from './rounds.ts';
import type { Stage } from './stage.ts';

const BARE_SERVER = fileURLToPath(new URL('./bare-server.ts', import.meta.url));
const RENDER_SERVER = fileURLToPath(new URL('./render-server.ts', import.meta.url));
const BARE_REGISTRATION = fileURLToPath(new URL('./bare-registration.ts', import.meta.url));
const ROUNDS = 5;
const SECONDS = 2;
const REGISTRATION_SECONDS = 10;
const WARM_UP_SECONDS = 2;
/**
 * Forty times what the site admits by default. At a much higher rate, the figure would be the queue for the
 * processor, which all processes here share, and not the site's own time.
 */
const REGISTRATIONS_A_SECOND = 20;
/** Enough pages that none of them is opened more often than the site allows. */
const PLACES = 60;
const BROTLI = { 'Accept-Encoding': 'br, identity;q=0' };

/** Measures, in one run, the site and for comparison bare Node with the same bytes. */
export async function measureServers(
  { siteUrl, stripeUrl, app }: Stage,
  folder: string,
  buildFolder: string,
): Promise<Figures[]> {
  const page = await fetchRaw(siteUrl);
  const file = `${folder}/page.br`;
  await writeFile(file, page.body);
  const bare = await startBeside(BARE_SERVER, file);
  const registering = await startBeside(BARE_REGISTRATION, stripeUrl);
  const rendering = await startBeside(RENDER_SERVER, buildFolder);
  const html = await (await fetch(siteUrl)).text();
  const [, script = ''] = /<script type="module" src="([^"]+)"/.exec(html) ?? [];
  const subject = (name: string, path: string, connections: number, headers = {}): Subject => ({
    name,
    pid: app.pid,
    load: {
      url: new URL(path, siteUrl).href,
      connections,
      seconds: SECONDS,
      headers: { ...BROTLI, ...headers },
    },
  });
  const beside = (name: string, { pid, url }: Beside, connections: number): Subject => ({
    name,
    pid,
    load: { url, connections, seconds: SECONDS, headers: BROTLI },
  });
  const register = (one: Subject): Subject => ({
    ...one,
    load: {
      ...one.load,
      url: new URL(CREATE_PAYMENT_PATH, one.load.url).href,
      method: 'POST',
      seconds: REGISTRATION_SECONDS,
      warmUpSeconds: WARM_UP_SECONDS,
      perSecond: REGISTRATIONS_A_SECOND,
    },
  });
  const pages = [
    beside('bare node, 32', bare, 32),
    subject('page, 32', '/', 32),
    beside('bare node, 1', bare, 1),
    subject('page, 1', '/', 1),
    beside('rendered each time, 32', rendering, 32),
    subject('page known (304), 32', '/', 32, { 'If-None-Match': page.tag }),
    subject('script, 32', script, 32),
  ];
  const registrations = [
    register(beside('bare Stripe calls', registering, 100)),
    register(subject('registration', '/', 100)),
  ];
  const cookies = await paidPlaces({ siteUrl, stripeUrl }, PLACES);
  const see = (one: Subject): Subject => ({
    ...one,
    load: {
      ...one.load,
      url: new URL(PLACE_PATH, one.load.url).href,
      cookies,
      seconds: REGISTRATION_SECONDS,
      warmUpSeconds: WARM_UP_SECONDS,
      perSecond: REGISTRATIONS_A_SECOND,
    },
  });
  const places = [
    see(beside('bare Stripe reads', registering, 100)),
    see(subject('page of a registration', '/', 100)),
  ];
  const measured = [];
  for (const subjects of [pages, registrations, places])
    measured.push(...(await measureRounds(subjects, ROUNDS)));
  return measured;
}

/** A server beside the site, for comparison. */
interface Beside {
  pid: number | undefined;
  url: string;
}

async function startBeside(program: string, argument: string): Promise<Beside> {
  const port = await findFreePort();
  const child = startChild({
    name: basename(program),
    command: process.execPath,
    args: ['--import', 'tsx', program, String(port), argument],
    env: { ...process.env, ...sandboxKeys, NODE_ENV: 'production' },
    onLine: () => {},
  });
  const url = `http://127.0.0.1:${port}/`;
  await waitForAnswer(url, child);
  return { pid: child.pid, url };
}

/** The page's brotli bytes as they travel. */
function fetchRaw(url: string): Promise<{ body: Buffer; tag: string }> {
  return new Promise((resolve, reject) => {
    get(url, { headers: BROTLI }, async (answer) => {
      resolve({ body: Buffer.concat(await answer.toArray()), tag: answer.headers.etag ?? '' });
    }).on('error', reject);
  });
}
