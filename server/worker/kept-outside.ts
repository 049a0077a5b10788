import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import type { Database } from '#server/database/database.ts';
import type { Transaction } from '#server/database/engine.ts';
import { beginHold } from '#server/database/hold.ts';
import type { Outbox } from '#server/mail/worker.ts';
import type { Logger } from '#server/service/logger.ts';

/** The ids of the latest marks and acts, the newest first. */
const KEY = 'due-work:kept';
const MOST_KEPT = 100;
/** In `BACKUP_DIR`: the latest mark. */
const FILE = 'mark';

/** Less than a minute, as due work is not done to the second. */
const MARK_EVERY_MS = 45_000;
/** A Redis may come back with what it held so long ago. */
const MARKS_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

const OLDER = 'Something that was written is missing: the register is older than it was.';
const NOTHING_KEPT =
  'Neither Redis nor BACKUP_DIR knows this register: whether something is missing cannot be told.';

interface KeptDependencies {
  redis: Redis;
  database: Database;
  /** `BACKUP_DIR` */
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

/**
 * Holds a register that lacks something that is kept outside of it, and keeps a mark of it outside.
 * @returns whether it is held from now on
 */
export async function compareWithKept(dependencies: KeptDependencies): Promise<boolean> {
  const { redis, database } = dependencies;
  // Read before the register: all that is kept outside was committed before.
  const kept = await readKept(dependencies);
  const next = { id: randomUUID(), atMs: Date.now() };
  let begins = false;
  const { missing, mark } = await database.write(async (transaction) => {
    const found = await idsIn(transaction, [next.id, ...kept]);
    const missing = kept.filter((id) => !found.has(id));
    // The answer to the COMMIT was lost: the new mark does not say that the register was used before.
    if (found.has(next.id)) return { missing, mark: next.id };
    const isLost = await isUnknown(database, transaction, kept);
    const why = missing.length > 0 ? OLDER : isLost ? NOTHING_KEPT : undefined;
    begins = why !== undefined && (await beginHold(transaction, why));
    const isMarkNeeded = missing.length > 0 || kept.length === 0;
    return { missing, mark: await addMark(transaction, next, isMarkNeeded) };
  });
  // The hold is on record: what is missing was told.
  for (const id of missing) await redis.lrem(KEY, 0, id);
  if (mark !== undefined) {
    await keepInRedis(redis, [mark]);
    await writeMark(mark, dependencies);
  }
  return begins;
}

/**
 * The same outbox, without a letter before what is kept outside was found in the register once: a job of the queue may be
 * taken before the worker's first look.
 */
export function afterFirstLook(outbox: Outbox, dependencies: KeptDependencies): Outbox {
  let isFound = false;
  return {
    ...outbox,
    async findDue(id) {
      isFound ||= await hasAllKept(dependencies);
      return isFound ? outbox.findDue(id) : 'held';
    },
  };
}

/** Whether `compareWithKept` would hold nothing. */
async function hasAllKept(dependencies: KeptDependencies): Promise<boolean> {
  const { database } = dependencies;
  const kept = await readKept(dependencies);
  return database.read(async (transaction) => {
    const found = await idsIn(transaction, kept);
    return kept.every((id) => found.has(id)) && !(await isUnknown(database, transaction, kept));
  });
}

async function readKept(dependencies: KeptDependencies): Promise<string[]> {
  return [...(await dependencies.redis.lrange(KEY, 0, -1)), ...(await readMark(dependencies))];
}

/** SQLite's file is lost with its disk, or is a copy, which says so. */
async function isUnknown(
  { engine }: Database,
  transaction: Transaction,
  kept: readonly string[],
): Promise<boolean> {
  return engine === 'postgres' && kept.length === 0 && (await isUsed(transaction));
}

async function idsIn(transaction: Transaction, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const marks = await transaction.selectFrom('marks').select('id').where('id', 'in', ids).execute();
  const acts = await transaction.selectFrom('acts').select('id').where('id', 'in', ids).execute();
  return new Set([...marks, ...acts].map(({ id }) => id));
}

/** A new register has no mark before its worker's first minute. */
async function isUsed(transaction: Transaction): Promise<boolean> {
  const query = transaction.selectFrom(['registrations', 'marks']).select('marks.id').limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Adds a mark if the last one is a minute old, or `isNeeded`, and removes old ones; returns its id. */
async function addMark(
  transaction: Transaction,
  { id, atMs }: { id: string; atMs: number },
  isNeeded: boolean,
): Promise<string | undefined> {
  const at = (ms: number) => new Date(atMs - ms);
  const { lastAt } = await transaction
    .selectFrom('marks')
    .select(({ fn }) => fn.max('madeAt').as('lastAt'))
    .executeTakeFirstOrThrow();
  // A mark from the future is one by another clock.
  const isRecent = lastAt !== null && lastAt > at(MARK_EVERY_MS) && lastAt <= at(0);
  if (isRecent && !isNeeded) return undefined;
  await transaction.deleteFrom('marks').where('madeAt', '<', at(MARKS_KEPT_MS)).execute();
  await transaction
    .insertInto('marks')
    .values({ id, madeAt: at(0) })
    .execute();
  return id;
}

async function readMark({ backupFolder, logger }: KeptDependencies): Promise<string[]> {
  if (backupFolder === undefined) return [];
  try {
    return [await readFile(join(backupFolder, FILE), 'utf8')];
  } catch (error) {
    const isNew = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isNew) logger.error({ err: error }, 'The mark in BACKUP_DIR could not be read');
    return [];
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
