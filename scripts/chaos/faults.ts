import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Service, until } from '#scripts/product/child.ts';
import type { SmtpTrouble } from '#scripts/product/mail-server.ts';
import { startPostgres } from '#scripts/product/postgres.ts';
import { openFile } from '#server/database/sqlite.ts';
import { support } from './office.ts';
import type { Instant, Site } from './site.ts';

/** A few pages of the register: some transactions still fit, and then one does only in part. */
const LITTLE_ROOM = 64 * 1024;
/** Twice as long as a transaction waits for its turn. */
const LOCKED_MS = 10_000;
/** How long an instant is waited for; if it does not come, the fault strikes all the same. */
const REACHED_MS = 8_000;
const SHORT_MS = 1_000;
/** A fault that happened, by the machine's clock. */
export interface Happened {
  fault: FaultName;
  fromMs: number;
  untilMs: number;
}

type Strike = (site: Site, lastsMs: number) => Promise<void>;

async function killFor(service: Service, lastsMs: number): Promise<void> {
  await service.kill();
  await pause(lastsMs);
  await service.start();
}

const smtp =
  (trouble: SmtpTrouble): Strike =>
  async ({ mailServer }, lastsMs) => {
    await mailServer.apply(trouble);
    await pause(lastsMs);
    await mailServer.apply(undefined);
  };
const lasting =
  (change: (site: Site) => unknown): Strike =>
  async (site) =>
    void (await change(site));

/** All that can go wrong. What has no end of its own lasts until another fault, or `calm`, changes it. */
const FAULTS = {
  'Redis killed': ({ redis }, lastsMs) => killFor(redis, lastsMs),
  async 'Redis frozen'({ redis }, lastsMs) {
    redis.freeze();
    await pause(lastsMs);
    redis.thaw();
  },
  /** Another machine takes over with an empty disk. */
  async 'Redis wiped'({ redis, redisFolder }) {
    await redis.kill();
    for (const name of await readdir(redisFolder)) await rm(join(redisFolder, name), { recursive: true });
    await redis.start();
  },
  'worker killed': ({ worker }, lastsMs) => killFor(worker, lastsMs),
  'app killed': ({ app }, lastsMs) => killFor(app, lastsMs),
  /** One of two workers is killed. */
  async 'two workers'(site, lastsMs) {
    const second = await site.another('worker');
    await second.start();
    await killFor(site.worker, lastsMs);
    await second.stop();
  },
  'register locked': (site) =>
    inFile(site, async (file) => {
      file.exec('begin immediate');
      await pause(LOCKED_MS);
      file.exec('rollback');
    }),
  /** App and worker can write into no file beyond a few pages of the register, as where no room is left on the disk. */
  async 'register full'(site, lastsMs) {
    await inFile(site, async (file) => file.exec('pragma wal_checkpoint(truncate)'));
    await limitFiles(site, String(LITTLE_ROOM));
    await pause(lastsMs);
    await limitFiles(site, 'unlimited');
  },
  /** As `server/ops/run-book.md` says. What was written meanwhile is gone, and nothing goes out until it is released. */
  async 'register restored'(site, lastsMs) {
    const { app, worker, copies, env } = site;
    await worker.stop();
    await rm(copies, { recursive: true, force: true });
    await worker.start();
    const copy = await until('the register is copied', async () =>
      (await readdir(copies)).find((name) => name.endsWith('.sqlite')),
    );
    await pause(lastsMs);
    await Promise.all([app.stop(), worker.stop()]);
    const path = pathOf(env);
    for (const end of ['-wal', '-shm']) await rm(`${path}${end}`, { force: true });
    await copyFile(join(copies, copy), path);
    await Promise.all([app.start(), worker.start()]);
  },
  /** The operator moves the register from its file to PostgreSQL, which a synchronous standby follows. */
  async 'register moved'(site) {
    const { app, worker, env } = site;
    const server = await startPostgres({
      ...postgresOf(site, 'first'),
      settings: { synchronous_commit: 'on' },
    });
    const url = server.url('postgres');
    await Promise.all([app.stop(), worker.stop()]);
    await support(site, ['copy', '--to', url, '--by', 'Ada']);
    env.DATABASE_URL = url;
    await Promise.all([app.start(), worker.start()]);
    const standby = await startPostgres({ ...postgresOf(site, 'second'), standbyOf: url });
    for (const statement of [ALL_STANDBYS, 'select pg_reload_conf()']) await site.ask(statement);
    servers.set(site, { server, standby });
  },
  /** The server of PostgreSQL is lost, and its standby takes over at its address. */
  async 'PostgreSQL failed over'(site, lastsMs) {
    const running = servers.get(site);
    if (!running) return;
    await running.server.kill();
    await running.standby.stop();
    await pause(lastsMs);
    const port = Number(new URL(site.env.DATABASE_URL ?? '').port);
    const settings = { synchronous_standby_names: '' };
    await startPostgres({ ...postgresOf(site, 'second'), port, settings });
    await site.ask('select pg_promote()');
  },
  'mail server away': lasting(({ mailServer }) => mailServer.apply('smtp-refused')),
  'mail server back': lasting(({ mailServer }) => mailServer.apply(undefined)),
  'mail server hangs': smtp('smtp-hangs'),
  async 'mail server refuses for now'({ mailServer }, lastsMs) {
    mailServer.refuse({ responseCode: 451, message: '4.3.0 Try again later' });
    await pause(lastsMs);
    mailServer.refuse(undefined);
  },
  'mail server cuts before its OK': smtp('smtp-cuts'),
  'Stripe fails': lasting(({ stripeFails }) => Object.assign(stripeFails, { share: 0.2 })),
  'events lost': lasting(({ webhooks }) => Object.assign(webhooks, { trouble: 'lost' })),
  'events doubled': lasting(({ webhooks }) => Object.assign(webhooks, { trouble: 'doubled' })),
  'events reversed': lasting(({ webhooks }) => Object.assign(webhooks, { trouble: 'reversed' })),
  calm: lasting(({ webhooks, stripeFails }) => {
    webhooks.trouble = undefined;
    stripeFails.share = 0;
  }),
} as const satisfies Record<string, Strike>;
type FaultName = keyof typeof FAULTS;

/** Causes faults, and keeps what happened. */
export function createStorm(site: Site) {
  const happened: Happened[] = [];
  return {
    happened,
    /** @param instant strikes while this is under way, or after a while if it does not come */
    async strike(
      fault: FaultName,
      { lastsMs = SHORT_MS, instant }: { lastsMs?: number; instant?: Instant } = {},
    ) {
      if (instant)
        await once(site.instants, instant, { signal: AbortSignal.timeout(REACHED_MS) }).catch(() => []);
      const one: Happened = { fault, fromMs: Date.now(), untilMs: Number.POSITIVE_INFINITY };
      happened.push(one);
      await FAULTS[fault](site, lastsMs);
      one.untilMs = Date.now();
    },
  };
}
export type Storm = ReturnType<typeof createStorm>;

const ALL_STANDBYS = "alter system set synchronous_standby_names = '*'";
type Server = Awaited<ReturnType<typeof startPostgres>>;
const servers = new WeakMap<Site, Record<'server' | 'standby', Server>>();
const postgresOf = ({ copies }: Site, name: string) => ({ folder: join(copies, '..', 'postgres', name) });

const pathOf = ({ DATABASE_URL = '' }: Site['env']): string => fileURLToPath(DATABASE_URL);

/** Works in the file of the register as another program does. */
function inFile(
  { env }: Pick<Site, 'env'>,
  work: (file: ReturnType<typeof openFile>) => Promise<void>,
): Promise<void> {
  const file = openFile(pathOf(env), { timeout: LOCKED_MS });
  return work(file).finally(() => file.close());
}

async function limitFiles({ app, worker }: Site, bytes: string): Promise<void> {
  for (const { pid } of [app, worker]) {
    if (pid === undefined) continue;
    // One that was killed meanwhile starts again without a limit.
    await promisify(execFile)('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]).catch(
      (error: Error) => {
        if (!error.message.includes('No such process')) throw error;
      },
    );
  }
}
