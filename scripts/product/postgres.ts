import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { until } from './child.ts';
import { ensureProgram, postgresProgram } from './system-package.ts';

/** Ends the server in order when the standard input ends, which it does however the process that started it ends. */
const UNTIL_INPUT_ENDS = `"$@" & cat; kill -INT $!; wait $!; rm -rf "$REMOVE"`;

/** It survives no power cut, and needs none of the machine's other folders. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '16MB',
};

/** Anybody here may connect. Words sort as people sort them, so that an order byte by byte does not come by itself. */
const INITDB =
  `-U postgres -A trust -E UTF8 --locale=C --locale-provider=icu --icu-locale=en-US --no-sync`.split(' ');

interface StartOptions {
  port: number;
  /** Where it keeps its files; prepared at the first start. */
  folder: string;
  /** Whether the folder is removed when the server has ended. */
  isPassing?: boolean;
}

/** A PostgreSQL server that ends with this process. */
export interface PostgresServer {
  /** The URL of one of its databases. */
  url(database: string): string;
  /** Ends it in order: open transactions are rolled back. */
  stop(): Promise<void>;
}

/** Starts a PostgreSQL on loopback, only for this process; resolves once it answers. */
export async function startPostgres({ port, folder, isPassing }: StartOptions): Promise<PostgresServer> {
  const programs = dirname(ensureProgram(postgresProgram));
  const data = join(folder, 'data');
  const user = otherUser();
  const asUser = user ? ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : [];
  if (!existsSync(data)) {
    await mkdir(folder, { recursive: true });
    if (user) await chown(folder, user.uid, user.gid);
    const [command = '', ...args] = [...asUser, join(programs, 'initdb'), '-D', data, ...INITDB];
    await promisify(execFile)(command, args);
  }
  const settings = Object.entries({ ...SETTINGS, unix_socket_directories: folder });
  const command = [
    ...asUser,
    ...[join(programs, 'postgres'), '-D', data, '-p', String(port)],
    ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const child = spawn('sh', ['-c', UNTIL_INPUT_ENDS, 'sh', ...command], {
    // Out of reach of Ctrl-C in a terminal.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...process.env, REMOVE: isPassing ? folder : '' },
  });
  let messages = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    messages = (messages + text).slice(-2_000);
  });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.ref();
    child.stdin.end();
    await ended;
  };
  const url = (database: string): string => `postgresql://postgres@127.0.0.1:${port}/${database}`;
  await until('PostgreSQL answers', () => answers(url('postgres'))).catch(async (cause: unknown) => {
    await stop();
    throw new Error(`PostgreSQL does not answer: ${messages}`, { cause });
  });
  // This process may end although the server runs.
  child.unref();
  for (const stream of [child.stdin, child.stderr]) if (stream instanceof Socket) stream.unref();
  return { url, stop };
}

/** PostgreSQL refuses to run as root: who runs it then. */
function otherUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (kind: '-u' | '-g', name: string) =>
    Number(spawnSync('id', [kind, name], { encoding: 'utf8' }).stdout.trim() || Number.NaN);
  const ids = ['postgres', 'nobody'].map((name) => ({ uid: idOf('-u', name), gid: idOf('-g', name) }));
  return ids.find(({ uid }) => !Number.isNaN(uid));
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client(url);
  client.on('error', () => {
    // Expected until it listens.
  });
  await client.connect();
  await client.end();
  return true;
}
