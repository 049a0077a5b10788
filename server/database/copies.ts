import { execFile } from 'node:child_process';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as v from 'valibot';
import type { Logger } from '#server/service/logger.ts';
import { repeat } from '#server/service/work.ts';
import { COPIES_KEPT_DAYS } from '#shared/kept-for.ts';
import type { Database } from './database.ts';
import { UnusableDatabaseError } from './engine.ts';

const EVERY_MS = 3_600_000;
/** A copy that is older says that no more are made. */
export const COPY_LATE_S = 7_200;
const TIMEOUT_MS = 600_000;
/** How often it is looked whether a copy is due: after a failure, or a pause of the worker, it comes soon. */
const LOOK_EVERY_MS = 300_000;

/** The newest copy of each hour, and that of each day, are kept: of so many hours and days that have one. */
const KEPT = [
  { length: '2000-01-01T00'.length, most: 48 },
  { length: '2000-01-01'.length, most: COPIES_KEPT_DAYS },
];

/** `register-` and the moment, in which `-` replaces `:` and `.`, which not every file system allows. */
const NAME = /^register-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)\.sqlite(\.part.*)?$/;

/** Node's arguments for the program next to this file, in the build or in the source. */
const PROGRAM = import.meta.url.endsWith('.ts')
  ? ['--import', 'tsx', fileURLToPath(new URL('./copy-register.ts', import.meta.url))]
  : [fileURLToPath(new URL('./copy-register.js', import.meta.url))];

interface CopyingOptions {
  database: Database;
  logger: Logger;
  /** Told when the newest copy was made, whichever worker made it. */
  onNewest: (at: Date) => void;
  lookEveryMs?: number;
}

/**
 * Copies of the register in SQLite at a URL, for the day on which its disk is lost or it has to go back; undefined
 * without a folder for them, and for PostgreSQL.
 */
export function createCopies(url: string, folder: string | undefined) {
  if (!url.startsWith('file:') || folder === undefined) return undefined;
  const path = fileURLToPath(url);
  return {
    /**
     * To be called before the tables change.
     * @throws {UnusableDatabaseError} when no copy can be made
     */
    async beforeChange(): Promise<void> {
      await copy(path, folder).catch((cause: unknown) => {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new UnusableDatabaseError(
          `The register’s tables stay as they are, because it cannot be copied to BACKUP_DIR first: ${why}`,
          { cause },
        );
      });
    },
    /** Makes a copy when the newest one is an hour old, now and later, and removes old ones. */
    start({ database, logger, onNewest, lookEveryMs = LOOK_EVERY_MS }: CopyingOptions) {
      let noted: number | undefined;
      const look = async (): Promise<void> => {
        // A copy that is not released may lack what the next copy should hold.
        if (await isUnconfirmed(database)) return;
        let newest = newestOf(await list(folder));
        // A copy from the future is one by another clock.
        if (!newest || Math.abs(Date.now() - newest.getTime()) >= EVERY_MS) newest = await copy(path, folder);
        onNewest(newest);
        if (noted === newest.getTime()) return;
        await database.write((transaction) =>
          transaction.updateTable('register').set({ copiedAt: newest }).execute(),
        );
        noted = newest.getTime();
      };
      const lookOrTell = () =>
        look().catch((error: unknown) => logger.error({ err: error }, 'The register could not be copied'));
      const { now: lookNow, close } = repeat(lookOrTell, lookEveryMs);
      void lookNow();
      return { close };
    },
  };
}

async function isUnconfirmed(database: Database): Promise<boolean> {
  const { copyOf } = await database.read((transaction) =>
    transaction.selectFrom('register').select('copyOf').executeTakeFirstOrThrow(),
  );
  return copyOf !== null;
}

/**
 * When the newest copy in a folder was made; undefined without one.
 * @throws when the folder cannot be read
 */
export async function newestCopyIn(folder: string): Promise<Date | undefined> {
  return newestOf((await readdir(folder)).filter((name) => NAME.test(name)));
}

/** Makes a copy, which exists under its name only once it is whole and on the disk. */
async function copy(path: string, folder: string): Promise<Date> {
  const at = new Date();
  const name = join(folder, `register-${at.toISOString().replace(/[:.]/g, '-')}.sqlite`);
  await mkdir(folder, { recursive: true });
  const part = `${name}.part`;
  const args = [...PROGRAM, path, part, at.toISOString()];
  try {
    await promisify(execFile)(process.execPath, args, { timeout: TIMEOUT_MS });
  } catch (cause) {
    await rm(part, { force: true });
    const { stderr } = v.parse(v.object({ stderr: v.string() }), cause);
    throw new Error(stderr || 'the copy was not finished', { cause });
  }
  await rename(part, name);
  const directory = await open(folder);
  await directory.sync().finally(() => directory.close());
  await Promise.all(superfluous(await list(folder), at).map((one) => rm(join(folder, one), { force: true })));
  return at;
}

async function list(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(() => [])).filter((name) => NAME.test(name));
}

function newestOf(names: readonly string[]): Date | undefined {
  const whole = names.filter((name) => name.endsWith('.sqlite')).toSorted();
  return whole.length > 0 ? momentOf(whole.at(-1) ?? '') : undefined;
}

function momentOf(name: string): Date {
  return new Date(name.replace(NAME, '$1:$2:$3.$4'));
}

/** The copies that are not kept, and what is left of those that were not finished. */
export function superfluous(names: readonly string[], now: Date): string[] {
  const unfinished = names.filter((name) => !name.endsWith('.sqlite'));
  const left = unfinished.filter((name) => now.getTime() - momentOf(name).getTime() >= EVERY_MS);
  const whole = names.filter((name) => name.endsWith('.sqlite')).toSorted();
  const kept = new Set(
    KEPT.flatMap(({ length, most }) => {
      const ofEach = new Map(whole.map((name) => [momentOf(name).toISOString().slice(0, length), name]));
      return [...ofEach.values()].slice(-most);
    }),
  );
  return [...left, ...whole.filter((name) => !kept.has(name))];
}
