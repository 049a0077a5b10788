import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildMode } from './bundles.ts';

// The compiler and the builder are loaded only when there is work for them: they load parsers for YAML, HTML
// and pictures.

const CONTENT_SOURCES = ['shared', 'client/ui/art', 'scripts/content', 'package-lock.json'];

const SOURCES = [
  'client',
  'server',
  'shared',
  'scripts/build',
  'scripts/content',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.base.json',
];

const NOT_BUILT = /\.(?:test|spec)\.tsx?$|[\\/](e2e|testing|compiled)[\\/]|\.md$/;

/**
 * Compiles the content, unless it has not changed since it was last compiled.
 * @throws {ContentProblems} with what the author has to correct
 */
export async function compileWhenStale(): Promise<void> {
  const make = async () => (await import('#scripts/content/write.ts')).compileContent();
  await makeWhenStale('shared/content/compiled', 'content', CONTENT_SOURCES, make);
}

/**
 * Builds, unless the folder already holds a build of the same sources. In development it always builds, so
 * that the next change can be built incrementally.
 */
export async function buildWhenStale(
  mode: BuildMode,
  outFolder: string,
  { always = mode === 'development' } = {},
): Promise<void> {
  const make = async () => (await import('./build.ts')).build(mode, outFolder);
  await makeWhenStale(outFolder, mode, SOURCES, make, always);
}

/** Fills a folder, unless it was filled in the same mode from sources of the same paths, sizes and modification times. */
export async function makeWhenStale(
  folder: string,
  mode: string,
  sources: readonly string[],
  make: () => Promise<unknown>,
  always = false,
): Promise<void> {
  const files = (await Promise.all(sources.map(filesIn))).flat().filter((path) => !NOT_BUILT.test(path));
  const facts = files.sort().map(async (path) => {
    const { size, mtimeMs } = await stat(path);
    return `${path} ${size} ${mtimeMs}`;
  });
  const about = [mode, process.version, process.env.EDITION_UNDER_TEST, ...(await Promise.all(facts))];
  const stamp = createHash('sha256').update(about.join('\n')).digest('hex');
  const stampFile = join(folder, 'build-stamp');
  const made = await readFile(stampFile, 'utf8').catch(() => undefined);
  if (made === stamp && !always) return;
  await make();
  await writeFile(stampFile, stamp);
}

async function filesIn(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
