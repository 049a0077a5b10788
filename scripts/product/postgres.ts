import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { chown, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { until } from './child.ts';
import { findFreePort } from './ports.ts';
import { ensureProgram, programs } from './system-package.ts';

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
  /** By default a free one. */
  port?: number;
  /** Where it keeps its files; prepared at the first start. By default one that is removed when the server has ended. */
  folder?: string;
  /** A server at this URL of which it becomes a standby, at the first start. */
  standbyOf?: string;
  settings?: Readonly<Record<string, string>>;
}

/** Starts a PostgreSQL on loopback, only for this process; resolves once it answers. */
export async function startPostgres({ standbyOf, settings: own, ...at }: StartOptions = {}) {
  const port = at.port ?? (await findFreePort());
  const folder = at.folder ?? (await mkdtemp(join(tmpdir(), 'postgres-')));
  // The command may be a link to where all of its programs are.
  const bin = dirname(realpathSync(ensureProgram(programs.postgres)));
  const data = join(folder, 'data');
  const user = otherUser();
  const asUser = asOther(user);
  if (!existsSync(data)) {
    await mkdir(folder, { recursive: true });
    if (user) await chown(folder, user.uid, user.gid);
    const make = standbyOf
      ? [join(bin, 'pg_basebackup'), '-D', data, '-R', '--checkpoint=fast', '-d', standbyOf]
      : [join(bin, 'initdb'), '-D', data, ...INITDB];
    const [command = '', ...args] = [...asUser, ...make];
    await promisify(execFile)(command, args);
  }
  const settings = Object.entries({ ...SETTINGS, unix_socket_directories: folder, ...own });
  const command = [
    ...asUser,
    join(bin, 'postgres'),
    '-D',
    data,
    '-p',
    String(port),
    ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const url = (database: string): string => urlAt(port, database);
  return { url, ...(await launch(command, url('postgres'), at.folder === undefined ? folder : '')) };
}

/**
 * Starts a PgBouncer on loopback before the server of a URL, only for this process, with its defaults but these settings;
 * resolves once it answers.
 */
export async function startPgBouncer(server: string, settings: Readonly<Record<string, string>>) {
  const port = await findFreePort();
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'));
  const user = otherUser();
  if (user) await chown(folder, user.uid, user.gid);
  const users = join(folder, 'users.txt');
  await writeFile(users, '"postgres" "secret"\n');
  const own = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    auth_type: 'trust',
    auth_file: users,
    ...settings,
  };
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}\n`);
  const databases = `* = host=127.0.0.1 port=${new URL(server).port}`;
  const config = join(folder, 'pgbouncer.ini');
  await writeFile(config, `[databases]\n${databases}\n[pgbouncer]\nunix_socket_dir =\n${lines.join('')}`);
  const url = (database: string): string => urlAt(port, database, 'postgres:secret');
  const command = [...asOther(user), ensureProgram(programs.pgBouncer), config];
  return { url, ...(await launch(command, url('postgres'), folder)) };
}

const urlAt = (port: number, database: string, user = 'postgres') =>
  `postgresql://${user}@127.0.0.1:${port}/${database}`;

/** Starts a server that ends with this process, and then its folder is removed; resolves once it answers at its URL. */
async function launch(command: readonly string[], url: string, remove: string) {
  const child = spawn('sh', ['-c', UNTIL_INPUT_ENDS, 'sh', ...command], {
    // Out of reach of Ctrl-C in a terminal.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...process.env, REMOVE: remove },
  });
  let messages = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    messages = (messages + text).slice(-2_000);
  });
  const ended = once(child, 'exit');
  /** Ends it in order: open transactions are rolled back. */
  const stop = async (): Promise<void> => {
    child.ref();
    child.stdin.end();
    await ended;
  };
  await until(`${url} answers`, () => answers(url)).catch(async (cause: unknown) => {
    await stop();
    throw new Error(`${url} does not answer: ${messages}`, { cause });
  });
  // This process may end although the server runs.
  child.unref();
  for (const stream of [child.stdin, child.stderr]) if (stream instanceof Socket) stream.unref();
  /** Ends it at once, as a power cut does. */
  const kill = async (): Promise<void> => {
    child.ref();
    // The server and the shell that ends it are a process group of their own.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await ended;
  };
  return { stop, kill };
}

interface User {
  uid: number;
  gid: number;
}

const asOther = (user: User | undefined): readonly string[] =>
  user ? ['setpriv', `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : [];

/** PostgreSQL and PgBouncer refuse to run as root: who runs them then. */
function otherUser(): User | undefined {
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
