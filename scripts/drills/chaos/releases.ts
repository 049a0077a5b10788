import { execFile } from 'node:child_process';
import { readdir, readFile, rename, symlink, unlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { copySourcesTo, replaceLine } from '#client/e2e/run/project-copy.ts';
import { addJune } from '#scripts/content/testing/june.ts';
import type { Stage } from '#scripts/drills/stage/stage.ts';
import { type EditionLived, nextEdition, onSale } from '#scripts/world/editions.ts';

export type Release = Awaited<ReturnType<typeof releaseAt>>;

/** A build that can be replaced by another build at the same path. */
export async function releaseAt(path: string, build: string) {
  await symlink(resolve(build), path);
  return {
    path,
    /** Replaces it, and stops app and worker meanwhile. */
    async become(other: string, { app, worker }: Stage): Promise<void> {
      await app.stop();
      await worker.stop();
      await unlink(path);
      await symlink(resolve(other), path);
      await worker.start();
      await app.start();
    },
  };
}

/** The changes that make the tests' own edition, which takes place in another year, the next edition. */
const CHANGES: readonly (readonly [RegExp, string])[] = [
  [/2031-06-/g, '2026-04-'],
  [/2031-05-09/g, '2026-04-02'],
  [/2031-0[124]-/g, '2025-12-'],
  [/june_2031/g, 'april_2026'],
  // Nobody in the drill answers questions.
  [/^questions:\n(?: .*\n)+/m, ''],
  // Enough places for everybody in the drill.
  [/^places: .*$/m, 'places: 1000'],
];

/**
 * Copies the sources to a folder, and builds them there with the next edition on sale and a new schedule of
 * the present one. Returns the next edition, and the folder of the build.
 */
export async function buildNext(project: string): Promise<{ edition: EditionLived; build: string }> {
  await copySourcesTo(project);
  const editions = join(project, 'shared/content/editions');
  await addJune(editions);
  const folder = join(editions, nextEdition.id);
  await rename(join(editions, 'june-2031'), folder);
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.yaml')) continue;
    const text = await readFile(join(folder, name), 'utf8');
    await writeFile(
      join(folder, name),
      CHANGES.reduce((words, [was, is]) => words.replace(was, is), text),
    );
  }
  await replaceLine(join(editions, onSale.id, 'edition.yaml'), /^( +revision): .*$/m, '$1: 2');
  await replaceLine(join(editions, 'on-sale.yaml'), /^edition: .*$/m, `edition: ${nextEdition.id}`);
  // In processes of their own, so that this process can go on meanwhile.
  const { EDITION_UNDER_TEST: _, ...env } = process.env;
  for (const command of [['social-card'], ['content', '--record'], ['build']]) {
    const args = ['scripts/bootstrap.mjs', ...command];
    await promisify(execFile)(process.execPath, args, { cwd: project, env });
  }
  const recorded = await readFile(join(folder, 'record.yaml'), 'utf8');
  const [, version = '', digest = ''] = /^ +([\w-]+): ([0-9a-f]{64})$/m.exec(recorded) ?? [];
  return { edition: { ...nextEdition, terms: { version, digest } }, build: join(project, 'dist') };
}
