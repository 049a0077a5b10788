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

const STAMP_FILE = 'build-stamp';

/**
 * Compiles the content, unless it has not changed since it was last compiled.
 * @throws {ContentProblems} with what the author has to correct
 */
export async function compileWhenStale(): Promise<void> {
  await makeWhenStale('shared/content/compiled', 'content', CONTENT_SOURCES, async () => {
    const { compileContent } = await import('#scripts/content/write.ts');
    await compileContent();
  });
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
  const make = async (): Promise<void> => {
    const { build } = await import('./build.ts');
    await build(mode, outFolder);
  };
  await makeWhenStale(outFolder, mode, SOURCES, make, always);
}

/**
 * Fills a folder, unless it was filled from the same sources in the same mode. Like `make`, it goes by the sources' paths,
 * sizes and modification times.
 */
export async function makeWhenStale(
  folder: string,
  mode: string,
  sources: readonly string[],
  make: () => Promise<void>,
  always = false,
): Promise<void> {
  const stamp = await stampOf(mode, sources);
  const stampFile = join(folder, STAMP_FILE);
  const made = await readFile(stampFile, 'utf8').catch(() => undefined);
  if (made === stamp && !always) return;
  await make();
  await writeFile(stampFile, stamp);
}

async function stampOf(mode: string, sources: readonly string[]): Promise<string> {
  const files = (await Promise.all(sources.map(filesIn))).flat();
  const facts = files
    .filter((path) => !NOT_BUILT.test(path))
    .sort()
    .map(async (path) => {
      const { size, mtimeMs } = await stat(path);
      return `${path} ${size} ${mtimeMs}`;
    });
  return createHash('sha256')
    .update([mode, process.version, process.env.EDITION_UNDER_TEST, ...(await Promise.all(facts))].join('\n'))
    .digest('hex');
}

async function filesIn(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
