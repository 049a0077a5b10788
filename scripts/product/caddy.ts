import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Child, type ChildOptions, startChild, waitForAnswer } from './child.ts';
import { ensureProgram, programs } from './system-package.ts';

const EXAMPLE = new URL('../../server/ops/Caddyfile', import.meta.url);

/** The proxy of `server/ops/Caddyfile`, on a port of its own and without TLS. */
interface CaddyOptions extends Pick<ChildOptions, 'onLine' | 'onCrash'> {
  port: number;
  folder: string;
  /** The site's host name, instead of the example's. */
  siteName?: string;
  /**
   * Where apps may listen, as `host:port`, instead of the example's range; on some of them no app need
   * listen.
   */
  sites: readonly string[];
  /** The same for their ops listeners. */
  ops: readonly string[];
  change?: (config: string) => string;
}

/** Starts Caddy with the configuration that operators are shown; resolves when it answers. */
export async function startCaddy(options: CaddyOptions): Promise<Child> {
  const { port, folder, onLine, onCrash } = options;
  const file = join(folder, 'Caddyfile');
  const command = ensureProgram(programs.caddy);
  await mkdir(folder, { recursive: true });
  await writeFile(file, forVersion(versionOf(command), configOf(await readFile(EXAMPLE, 'utf8'), options)));
  const caddy = startChild({
    name: 'Caddy',
    command,
    args: ['run', '--adapter', 'caddyfile', '--config', file],
    env: { HOME: folder },
    onLine,
    onCrash,
  });
  // Caddy itself answers for a host name that no block of the example has, whether or not an app runs.
  await waitForAnswer(`http://localhost:${port}/`, caddy);
  return caddy;
}

function configOf(
  example: string,
  { port, siteName = 'retreat.example', sites, ops, change = (config) => config }: CaddyOptions,
): string {
  const config = example
    .replace(/^\{\n/m, '{\n\tadmin off\n')
    .replace(/^retreat\.example \{/m, `${siteName} {`)
    .replaceAll(/^(\S+) \{$/gm, `http://$1:${port} {`)
    .replace('127.0.0.1:3000-3009', sites.join(' '))
    .replace('127.0.0.1:3100-3109', ops.join(' '));
  return change(config);
}

function versionOf(command: string): number {
  const { stdout } = spawnSync(command, ['version'], { encoding: 'utf8' });
  return Number(/^v?2\.(\d+)/.exec(stdout)?.[1]);
}

/** Debian 12 has Caddy 2.6.2, which is older than operators are told to use, and has another name for one option. */
function forVersion(minor: number, config: string): string {
  if (minor >= 7) return config;
  return config.replaceAll(/request_buffers (\S+)/g, 'buffer_requests\n\t\tmax_buffer_size $1');
}
