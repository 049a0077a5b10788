import { writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startChild } from '#scripts/machine/child.ts';
import { findFreePort } from '#scripts/machine/ports.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';
import { type Figures, measureRounds, type Subject } from './rounds.ts';
import type { Stage } from './stage.ts';

const BARE_SERVER = fileURLToPath(new URL('./bare-server.ts', import.meta.url));
const ROUNDS = 5;
const SECONDS = 2;
const BROTLI = { 'Accept-Encoding': 'br, identity;q=0' };

/** The site beside bare Node with the same bytes, in one run. */
export async function measureServers({ siteUrl, app }: Stage, folder: string): Promise<Figures[]> {
  const page = await fetchRaw(siteUrl);
  const file = `${folder}/page.br`;
  await writeFile(file, page.body);
  const port = await findFreePort();
  const bare = startChild({
    name: 'bare server',
    command: process.execPath,
    args: ['--import', 'tsx', BARE_SERVER, String(port), file],
    onLine: () => {},
  });
  const bareUrl = `http://127.0.0.1:${port}/`;
  while (!(await fetch(bareUrl).catch(() => undefined))) await pause(20);
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
  const bareSubject = (name: string, connections: number): Subject => ({
    name,
    pid: bare.pid,
    load: { url: bareUrl, connections, seconds: SECONDS, headers: BROTLI },
  });
  const register = subject('registration', CREATE_PAYMENT_PATH, 20);
  const subjects = [
    bareSubject('bare node, 32', 32),
    subject('page, 32', '/', 32),
    bareSubject('bare node, 1', 1),
    subject('page, 1', '/', 1),
    subject('page known (304), 32', '/', 32, { 'If-None-Match': page.tag }),
    subject('script, 32', script, 32),
    { ...register, load: { ...register.load, method: 'POST' as const } },
  ];
  return measureRounds(subjects, ROUNDS);
}

/** The page's brotli bytes as they travel. */
function fetchRaw(url: string): Promise<{ body: Buffer; tag: string }> {
  return new Promise((resolve, reject) => {
    get(url, { headers: BROTLI }, async (answer) => {
      resolve({ body: Buffer.concat(await answer.toArray()), tag: answer.headers.etag ?? '' });
    }).on('error', reject);
  });
}
