import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { type Service, until } from '#scripts/product/child.ts';
import type { SmtpTrouble } from '#scripts/product/mail-server.ts';
import { openFile } from '#server/database/sqlite.ts';
import type { Stage } from './stage.ts';
import type { StripeStep } from './stripe-troubles.ts';

/** What is hit, for how long at the most, and how. */
interface Fault {
  says: string;
  longestMs: number;
  strike(stage: Stage, lastsMs: number, service?: Service): Promise<void>;
}

const LONGEST_MS = 4_000;
/** A hanging mail server, and a Redis that is away, sometimes have to outlast the worker's own timeouts. */
const LONGER_MS = 13_000;
/** Twice as long as a transaction waits for its turn. */
const LOCKED_MS = 10_000;
/** Longer than the time between two probes of the register. */
export const PROBED_MS = 65_000;
/** A few pages of the register: some transactions still fit, and then one does only in part. */
const LITTLE_ROOM = 64 * 1024;
const LAST_SECOND_MS = 1_000;
/** For how long a trouble that has affected no mail yet is prolonged. */
const LONGEST_WAIT_MS = 3_000;
const REACHED_WITHIN_MS = 8_000;

const smtp = (kind: SmtpTrouble, says: string, longestMs = LONGEST_MS): Fault => ({
  says: `SMTP ${says}`,
  longestMs,
  async strike({ mailServer }, lastsMs) {
    const metBefore = mailServer.met(kind);
    await mailServer.apply(kind);
    await pause(lastsMs);
    if (kind !== 'smtp-refused' && mailServer.met(kind) === metBefore)
      await once(mailServer.events, 'met', { signal: AbortSignal.timeout(LONGEST_WAIT_MS) }).catch(() => []);
    await mailServer.apply(undefined);
  },
});

/** All faults that chaos, the year and the fleet know, besides those at Stripe (`StripeTroubles`). */
export const FAULTS = {
  'redis-killed': {
    says: 'Redis killed',
    longestMs: LONGER_MS,
    strike: ({ redis }, lastsMs) => killFor(redis, lastsMs),
  },
  'redis-forgets': {
    says: 'Redis killed, last second lost',
    longestMs: LONGEST_MS,
    async strike({ redis, redisFolder }, lastsMs) {
      const forget = await rememberFile(redisFolder);
      await pause(LAST_SECOND_MS);
      await redis.kill();
      await forget();
      await pause(lastsMs);
      await redis.start();
    },
  },
  /** Another machine takes over with an empty disk. */
  'redis-wiped': {
    says: 'Redis wiped',
    longestMs: LONGEST_MS,
    async strike({ redis, redisFolder }) {
      await redis.kill();
      for (const name of await readdir(redisFolder)) await rm(join(redisFolder, name), { recursive: true });
      await redis.start();
    },
  },
  'redis-frozen': {
    says: 'Redis frozen',
    longestMs: LONGEST_MS,
    async strike({ redis }, lastsMs) {
      redis.freeze();
      await pause(lastsMs);
      redis.thaw();
    },
  },
  'worker-killed': {
    says: 'worker killed',
    longestMs: LONGEST_MS,
    strike: ({ worker }, lastsMs, service = worker) => killFor(service, lastsMs),
  },
  'app-killed': {
    says: 'app killed',
    longestMs: LONGEST_MS,
    strike: ({ app }, lastsMs, service = app) => killFor(service, lastsMs),
  },
  /** Another program holds the turn to write. */
  'register-locked': {
    says: 'register locked',
    longestMs: LOCKED_MS,
    strike: (stage, lastsMs) =>
      inRegister(stage, async (file) => {
        file.exec('begin immediate');
        await pause(lastsMs);
        file.exec('rollback');
      }),
  },
  'register-full': {
    says: 'register full',
    longestMs: LONGEST_MS,
    async strike(stage, lastsMs) {
      await inRegister(stage, async (file) => file.exec('pragma wal_checkpoint(truncate)'));
      await limitFiles(stage, LITTLE_ROOM, lastsMs);
    },
  },
  'register-read-only': {
    says: 'register read-only',
    longestMs: PROBED_MS,
    strike: (stage, lastsMs) => limitFiles(stage, 0, lastsMs),
  },
  /** As `server/ops/changes.md` says. What was written meanwhile is gone, and nothing goes out until it is released. */
  'register-restored': {
    says: 'register restored',
    longestMs: LONGER_MS,
    async strike(stage, lastsMs) {
      const { app, worker, copies } = stage;
      await worker.stop();
      await rm(copies, { recursive: true, force: true });
      await worker.start();
      const copy = await until('the register is copied', async () =>
        (await readdir(copies)).find((name) => name.endsWith('.sqlite')),
      );
      await pause(lastsMs);
      await Promise.all([app.stop(), worker.stop()]);
      const path = pathOfRegister(stage);
      for (const end of ['-wal', '-shm']) await rm(`${path}${end}`, { force: true });
      await copyFile(join(copies, copy), path);
      await Promise.all([app.start(), worker.start()]);
    },
  },
  'smtp-refused': smtp('smtp-refused', 'refused'),
  'smtp-hangs': smtp('smtp-hangs', 'hanging', LONGER_MS),
  'smtp-4xx': smtp('smtp-4xx', '4xx'),
  'smtp-5xx': smtp('smtp-5xx', '5xx'),
  'smtp-drops': smtp('smtp-drops', 'dropped in the message'),
  'smtp-cuts': smtp('smtp-cuts', 'cut before the OK'),
  'smtp-slow': smtp('smtp-slow', 'slow'),
} as const satisfies Readonly<Record<string, Fault>>;
export type FaultKind = keyof typeof FAULTS;

/** A fault that happened, in milliseconds since the epoch. */
export interface Happened {
  kind: FaultKind;
  fromMs: number;
  untilMs: number;
}

/** What is under way when a fault strikes, and not answered yet. */
export type Moment = 'mail' | 'consent' | StripeStep;

/** How a fault strikes. */
export interface Strike {
  lastsMs?: number;
  /** It strikes in this moment. */
  at?: Moment;
  /** If that moment does not come, it strikes all the same after so long; otherwise it does not strike. */
  anywayAfterMs?: number;
  /** Which of several apps or workers is hit. */
  service?: Service;
}

/** Causes faults, and notes them. */
export class Storm {
  readonly happened: Happened[] = [];
  readonly stage: Stage;

  constructor(stage: Stage) {
    this.stage = stage;
  }

  async strike(kind: FaultKind, { lastsMs = 0, at, anywayAfterMs, service }: Strike = {}): Promise<void> {
    if (at && !(await this.#reached(at, anywayAfterMs ?? REACHED_WITHIN_MS)) && !anywayAfterMs) return;
    const fromMs = Date.now();
    const fault: Fault = FAULTS[kind];
    await fault.strike(this.stage, lastsMs, service);
    this.stage.count(at ? `${fault.says}: ${at}` : fault.says);
    this.happened.push({ kind, fromMs, untilMs: Date.now() });
  }

  /** Runs a second worker for as long as `work` takes. */
  async withSecondWorker(work: () => Promise<void>): Promise<void> {
    const second = await this.stage.anotherWorker();
    await second.start();
    this.stage.count('two workers');
    await work().finally(() => second.stop());
  }

  #reached(moment: Moment, withinMs: number): Promise<boolean> {
    return once(this.stage.moments, moment, { signal: AbortSignal.timeout(withinMs) }).then(
      () => true,
      () => false,
    );
  }
}

async function killFor(service: Service, lastsMs: number): Promise<void> {
  await service.kill();
  await pause(lastsMs);
  await service.start();
}

/** Works in the file of the register as another program does. */
export async function inRegister<Result>(
  { env }: Pick<Stage, 'env'>,
  work: (file: DatabaseSyncInstance) => Promise<Result>,
): Promise<Result> {
  const file = openFile(pathOfRegister({ env }), { timeout: LOCKED_MS });
  return work(file).finally(() => file.close());
}

const pathOfRegister = ({ env }: Pick<Stage, 'env'>): string => fileURLToPath(env.DATABASE_URL ?? '');

/** For a time, app and worker can write into no file beyond so many bytes, as where no room is left on the disk. */
async function limitFiles({ apps, workers }: Stage, bytes: number, lastsMs: number): Promise<void> {
  const limit = (most: string) =>
    Promise.all(
      [...apps, ...workers].map(async ({ pid }) => {
        const args = ['--pid', String(pid), `--fsize=${most}:`];
        if (pid !== undefined) await promisify(execFile)('prlimit', args).catch(unlessItEnded);
      }),
    );
  await limit(String(bytes));
  await pause(lastsMs);
  await limit('unlimited');
}

/** A process that was killed meanwhile is started again without a limit. */
function unlessItEnded(error: unknown): void {
  if (!(error instanceof Error) || !/No such process/.test(error.message)) throw error;
}

/** The file that Redis appends to, by its name in Redis 7 and before it. */
const APPENDED = /(incr\.aof|appendonly\.aof)$/;

/**
 * Simulates a power cut, in which Redis loses what was not on disk yet: remembers how much it has written by now, and
 * returns a function that removes everything written after it.
 */
async function rememberFile(folder: string): Promise<() => Promise<void>> {
  const names = await readdir(folder, { recursive: true });
  const paths = names.filter((name) => APPENDED.test(name)).map((name) => join(folder, name));
  const files = await Promise.all(paths.map(async (path) => ({ path, stats: await stat(path) })));
  return async () => {
    for (const { path, stats } of files) if (stats.isFile()) await truncate(path, stats.size);
  };
}
