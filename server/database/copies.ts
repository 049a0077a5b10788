import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '#server/config/logger.ts';
import { repeat } from '#server/ops/work.ts';
import { COPIES_KEPT_DAYS } from '#shared/kept-for.ts';
import type { Database } from './open-database.ts';
import { openFile } from './sqlite.ts';

const EVERY_MS = 3_600_000;
/** A copy that is older says that no more are made. */
export const COPY_LATE_S = 7_200;
/** How often it is looked whether a copy is due: after a failure, or a pause of the worker, it comes soon. */
const LOOK_EVERY_MS = 300_000;

const LAST_KEPT = 48;

/** `register-` and the moment, in which `-` replaces `:` and `.`, which not every file system allows. */
const NAME = /^register-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)\.sqlite(\.part.*)?$/;

interface CopyingOptions {
  url: string;
  folder: string;
  database: Database;
  logger: Logger;
  onNewest: (at: Date) => void;
  lookEveryMs?: number;
}

export function startCopying(options: CopyingOptions) {
  const { url, folder, database, logger, onNewest, lookEveryMs = LOOK_EVERY_MS } = options;
  const look = async (): Promise<void> => {
    const { copyOf } = await database.read((transaction) =>
      transaction.selectFrom('register').select('copyOf').executeTakeFirstOrThrow(),
    );
    // A copy that is not released may lack what the next copy should hold.
    if (copyOf !== null) return;
    await mkdir(folder, { recursive: true });
    let copiedAt = await newestCopyIn(folder);
    // A copy from the future is one by another clock.
    if (!copiedAt || Math.abs(Date.now() - copiedAt.getTime()) >= EVERY_MS)
      copiedAt = await copyRegister(url, folder);
    onNewest(copiedAt);
    await database.write((transaction) => transaction.updateTable('register').set({ copiedAt }).execute());
  };
  const lookOrTell = () =>
    look().catch((error: unknown) => logger.error({ err: error }, 'The register could not be copied'));
  const { now: lookNow, close } = repeat(lookOrTell, lookEveryMs);
  void lookNow();
  return { close };
}

/** @throws when the folder cannot be read */
export async function newestCopyIn(folder: string): Promise<Date | undefined> {
  const newest = (await readdir(folder)).filter(isWhole).toSorted().at(-1);
  return newest === undefined ? undefined : momentOf(newest);
}

/** Makes a copy, which exists under its name only once it is whole and on the disk; removes old ones. */
async function copyRegister(url: string, folder: string): Promise<Date> {
  const at = new Date();
  const name = join(folder, `register-${at.toISOString().replace(/[:.]/g, '-')}.sqlite`);
  const part = `${name}.part`;
  try {
    write(fileURLToPath(url), part, at);
    await sync(part);
    await rename(part, name);
    await sync(folder);
  } finally {
    await rm(part, { force: true });
  }
  const old = superfluous(await readdir(folder), at);
  await Promise.all(old.map((one) => rm(join(folder, one), { force: true })));
  return at;
}

/** Writes a copy, and checks it. The event loop stands still: for a quarter of a second with 40 MB. */
function write(from: string, to: string, at: Date): void {
  using register = openFile(from, { readOnly: true });
  register.prepare('vacuum into ?').run(to);
  using copy = openFile(to);
  const mark = copy.prepare('update register set copy_of = name, copied_at = ?, compared_at = null');
  mark.run(at.toISOString());
  const [found] = copy.prepare('pragma integrity_check').all();
  if (found?.integrity_check !== 'ok') throw new Error(`The copy is damaged: ${JSON.stringify(found)}`);
}

async function sync(path: string): Promise<void> {
  const file = await open(path);
  await file.sync().finally(() => file.close());
}

function isWhole(name: string): boolean {
  return NAME.test(name) && name.endsWith('.sqlite');
}

function momentOf(name: string): Date {
  return new Date(name.replace(NAME, '$1:$2:$3.$4'));
}

/** The copies that are not kept, and what is left of those that were not finished. */
export function superfluous(names: readonly string[], now: Date): string[] {
  const whole = names.filter(isWhole).toSorted();
  const ofEachDay = new Map(whole.map((name) => [momentOf(name).toISOString().slice(0, 10), name]));
  const kept = new Set([...whole.slice(-LAST_KEPT), ...[...ofEachDay.values()].slice(-COPIES_KEPT_DAYS)]);
  const isOld = (name: string) => now.getTime() - momentOf(name).getTime() >= EVERY_MS;
  return names.filter((name) => NAME.test(name) && (isWhole(name) ? !kept.has(name) : isOld(name)));
}
