import { readdir, readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { startChild, waitForAnswer } from '#scripts/product/child.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { ensureProgram, nginxProgram } from '#scripts/product/system-package.ts';
import { cleanUp, type TestScope, testFolder } from './clean-up.ts';

const CONFIG = new URL('../ops/cdn.nginx.conf', import.meta.url);

/** Temporary folders that nginx opens even if it does not need them. */
const FOLDERS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** What the cache answered. */
export interface CacheAnswer {
  status: number | undefined;
  headers: NodeJS.Dict<string | string[]>;
  body: Buffer;
  /** `MISS`, `HIT`, `STALE` and the like; undefined if nginx did not look into the cache. */
  cached: unknown;
}

/** Starts the cache of server/ops/cdn.nginx.conf in front of these apps, with its own port and folder. */
export async function startCache(t: TestScope, apps: readonly string[], ownPort?: number) {
  const folder = await testFolder(t, 'nginx');
  const kept = join(folder, 'kept');
  const [port, free] = [ownPort ?? (await findFreePort()), await findFreePort()];
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
    command: ensureProgram(nginxProgram),
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
