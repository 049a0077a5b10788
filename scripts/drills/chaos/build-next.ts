import { execFile } from 'node:child_process';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { copySourcesTo, replaceLine } from '#client/e2e/run/project-copy.ts';
import { addJune } from '#scripts/content/testing/june.ts';
import { type EditionLived, nextEdition, onSale } from '#scripts/world/editions.ts';

const EDITIONS = 'shared/content/editions';

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
  const editions = join(project, EDITIONS);
  await addJune(editions);
  const folder = join(editions, nextEdition.id);
  await rename(join(editions, 'june-2031'), folder);
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.yaml')) continue;
    const text = await readFile(join(folder, name), 'utf8');
    const changed = CHANGES.reduce((words, [was, is]) => words.replace(was, is), text);
    await writeFile(join(folder, name), changed);
  }
  // The schedule of the present edition has changed.
  await replaceLine(join(editions, onSale.id, 'edition.yaml'), /^( +revision): .*$/m, '$1: 2');
  await replaceLine(join(editions, 'on-sale.yaml'), /^edition: .*$/m, `edition: ${nextEdition.id}`);
  for (const command of [['content', '--record'], ['build']]) await run(project, command);
  const [name = ''] = await readdir(join(folder, 'agreed'));
  const recorded = await readFile(join(folder, 'agreed', name), 'utf8');
  const [, version = '', digest = ''] =
    /^version: "?([\w.]+)"?\ndigest: ([0-9a-f]{64})$/m.exec(recorded) ?? [];
  return { edition: { ...nextEdition, terms: { version, digest } }, build: join(project, 'dist') };
}

const execute = promisify(execFile);

/** In a process of its own, so that this process can go on meanwhile. */
async function run(project: string, command: readonly string[]): Promise<void> {
  const { EDITION_UNDER_TEST: _, ...env } = process.env;
  await execute(process.execPath, ['scripts/bootstrap.mjs', ...command], { cwd: project, env });
}
