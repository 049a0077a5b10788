import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { Logger } from '#server/config/logger.ts';
import { type Database, rowsWith, type Transaction } from '#server/database/database.ts';
import type { Outbox } from '#server/letters/mail-worker.ts';
import { beginHold } from '#server/registration/registration.ts';

const KEY = 'due-work:kept';
const MOST_KEPT = 100;
const FILE = 'mark';

/** A Redis may come back with what it held so long ago. */
const MARKS_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

const OLDER = 'Something that was written is missing: the register is older than it was.';
const NOTHING_KEPT =
  'Neither Redis nor BACKUP_DIR knows this register: whether something is missing cannot be told.';

interface KeptDependencies {
  redis: Redis;
  database: Database;
  backupFolder?: string | undefined;
  logger: Logger;
}

/** Keeps the ids of acts in Redis, for `openDatabase`. Where Redis is away, the next mark stands for them. */
export function keepActs(redis: Redis, logger: Logger) {
  return (ids: readonly string[]): void => {
    keepInRedis(redis, ids).catch((error: unknown) =>
      logger.debug({ err: error }, 'The ids of acts could not be kept in Redis'),
    );
  };
}

async function keepInRedis(redis: Redis, ids: readonly string[]): Promise<void> {
  await redis.lpush(KEY, ...ids);
  await redis.ltrim(KEY, 0, MOST_KEPT - 1);
}

/** Holds a register that lacks what is kept outside, where it keeps a new mark. @returns whether it begins to */
export async function compareWithKept(dependencies: KeptDependencies): Promise<boolean> {
  const { redis, database } = dependencies;
  // Read before the register: all that is kept outside was committed before.
  const kept = await readKept(dependencies);
  const [id, madeAt] = [randomUUID(), new Date()];
  let begins = false;
  const missing = await database.write(async (transaction) => {
    // If the answer to the COMMIT is lost, this runs once more, and the mark says nothing about earlier use.
    await transaction.deleteFrom('marks').where('id', '=', id).execute();
    const { missing, why } = await compare(database, transaction, kept);
    begins = why !== undefined && (await beginHold(transaction, why));
    const old = new Date(madeAt.getTime() - MARKS_KEPT_MS);
    // A worker that stood still for longer still finds what it kept outside before.
    await transaction
      .deleteFrom('marks')
      .where('madeAt', '<', old)
      .where('id', 'not in', [...kept, id])
      .execute();
    await transaction.insertInto('marks').values({ id, madeAt }).execute();
    return missing;
  });
  // The hold is on record: what is missing was told.
  for (const gone of missing) await redis.lrem(KEY, 0, gone);
  await keepInRedis(redis, [id]);
  await writeMark(id, dependencies);
  return begins;
}

/** No letter goes before the first comparison: a job may be taken before the worker's first look. */
export function afterFirstLook(outbox: Outbox, dependencies: KeptDependencies): Outbox {
  const { database } = dependencies;
  let isFound = false;
  return {
    ...outbox,
    async findDue(id) {
      if (!isFound) {
        const kept = await readKept(dependencies);
        const { why } = await database.read((transaction) => compare(database, transaction, kept));
        isFound = why === undefined;
      }
      return isFound ? outbox.findDue(id) : 'held';
    },
  };
}

async function compare({ engine }: Database, transaction: Transaction, kept: readonly string[]) {
  const missing = new Set(kept);
  for (const table of ['marks', 'acts'] as const) {
    for (const { id } of await rowsWith(transaction, table, 'id', kept)) missing.delete(id);
  }
  if (missing.size > 0) return { missing, why: OLDER };
  // SQLite's file is lost with its disk, or is a copy, which says so. A new register has no mark before its first minute.
  const isUnknown = engine === 'postgres' && kept.length === 0;
  const used = isUnknown
    ? await transaction.selectFrom(['registrations', 'marks']).select('marks.id').limit(1).executeTakeFirst()
    : undefined;
  return { missing, why: used && NOTHING_KEPT };
}

async function readKept({ redis, backupFolder, logger }: KeptDependencies): Promise<string[]> {
  const kept = await redis.lrange(KEY, 0, -1);
  if (backupFolder === undefined) return kept;
  try {
    return [...kept, await readFile(join(backupFolder, FILE), 'utf8')];
  } catch (error) {
    const isNew = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isNew) logger.error({ err: error }, 'The mark in BACKUP_DIR could not be read');
    return kept;
  }
}

async function writeMark(mark: string, { backupFolder, logger }: KeptDependencies): Promise<void> {
  if (backupFolder === undefined) return;
  const path = join(backupFolder, FILE);
  try {
    await mkdir(backupFolder, { recursive: true });
    await writeFile(`${path}.part`, mark);
    await rename(`${path}.part`, path);
  } catch (error) {
    logger.error({ err: error }, 'The mark could not be kept in BACKUP_DIR');
  }
}
