import assert from 'node:assert/strict';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { registerIn } from '#scripts/product/environment.ts';
import { cleanUp, testFolder } from '#server/testing/clean-up.ts';
import { registration, registrations } from '#server/testing/test-database.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { startCopying, superfluous } from './copies.ts';
import { type Database, openDatabase } from './database.ts';

const HOUR_MS = 3_600_000;
const fileAt = (at: Date): string => `register-${at.toISOString().replace(/[:.]/g, '-')}.sqlite`;

/** A register and the folder of its copies. */
async function openCopied(t: TestContext) {
  const folder = await testFolder(t, 'register');
  const url = registerIn(folder);
  const copiesFolder = join(folder, 'copies');
  const database = openDatabase(url);
  cleanUp(t, () => database.close());
  return { url, copiesFolder, database, list: () => readdir(copiesFolder) };
}

/** Starts copying, waits for the newest copy, old or new, and stops; returns when it was made. */
async function copyOnce({ url, copiesFolder: folder, database }: Awaited<ReturnType<typeof openCopied>>) {
  const log = createTestLog();
  let newest: Date | undefined;
  const onNewest = (at: Date): void => {
    newest = at;
  };
  const copying = startCopying({ url, folder, database, logger: log.logger, onNewest });
  await copying.close();
  assert.ok(newest, log.text());
  return newest;
}

const rowOf = (database: Database) =>
  database.read((transaction) => transaction.selectFrom('register').selectAll().executeTakeFirstOrThrow());

describe('a copy of the register', () => {
  test('holds what the register holds, and says of which register it is a copy, and when it was made', async (t) => {
    const register = await openCopied(t);
    const { name } = await rowOf(register.database);
    await register.database.write((transaction) =>
      transaction.insertInto('registrations').values(registration('one')).execute(),
    );
    const at = await copyOnce(register);
    assert.deepEqual(await register.list(), [fileAt(at)]);
    const original = await rowOf(register.database);
    assert.deepEqual([original.copiedAt, original.copyOf], [at, null]);

    const copy = openDatabase(`file:${join(register.copiesFolder, fileAt(at))}`);
    cleanUp(t, () => copy.close());
    const marked = await rowOf(copy);
    assert.deepEqual([marked.name, marked.copiedAt, marked.copyOf], [name, at, name]);
    assert.deepEqual(await registrations(copy), ['one']);
  });

  test('that fails is told in the log and tried again', async (t) => {
    const { url, database, copiesFolder: folder, list } = await openCopied(t);
    await writeFile(folder, 'in the way');
    const log = createTestLog();
    const copying = startCopying({
      url,
      folder,
      database,
      logger: log.logger,
      onNewest() {},
      lookEveryMs: 20,
    });
    cleanUp(t, copying.close);
    while (!log.text().includes('The register could not be copied')) await delay(5);
    await rm(folder);
    while ((await rowOf(database)).copiedAt === null) await delay(5);
    assert.equal((await list()).length, 1);
  });
});

describe('the copies that are kept', () => {
  test('are those of 48 hours and of 14 days, and what was not finished goes after an hour', () => {
    const now = new Date('2026-03-31T23:30:00.000Z');
    const ago = (hours: number, minutes = 0) =>
      fileAt(new Date(now.getTime() - hours * HOUR_MS - minutes * 60_000));
    const hourly = Array.from({ length: 24 * 30 }, (_, hours) => ago(hours));
    const gone = superfluous(hourly, now);
    const kept = hourly.filter((name) => !gone.includes(name));
    assert.deepEqual(kept.slice(0, 48), hourly.slice(0, 48));
    assert.deepEqual(
      kept.slice(48),
      Array.from({ length: 12 }, (_, days) => ago(48 + 24 * days)),
    );
    const parts = [`${ago(0, 5)}.part`, `${ago(1)}.part`, `${ago(2)}.part-journal`];
    assert.deepEqual(superfluous(parts, now), parts.slice(1));
  });
});
