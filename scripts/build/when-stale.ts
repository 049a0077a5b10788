import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ContentProblems } from '#scripts/content/problems.ts';
import type { BuildMode } from './bundles.ts';

// The compiler and the builder are loaded only when there is work for them: they load parsers for YAML, HTML
// and pictures.

const COMPILED_FOLDER = 'shared/content/compiled';
const CONTENT_SOURCES = ['shared', 'scripts/content', 'package-lock.json'];

/** All that a build is made from. */
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
 * Compiles the content, unless it has not changed since it was last compiled. If it cannot be compiled,
 * prints what the author has to correct and exits.
 * @param draft whether the social card may be outdated
 */
export async function compileWhenStale({ draft }: { draft: boolean }): Promise<void> {
  const stamp = await stampOf(draft ? 'draft content' : 'content', CONTENT_SOURCES);
  if (await isBuiltFrom(COMPILED_FOLDER, stamp)) return;
  const { compileContent } = await import('#scripts/content/compile-content.ts');
  try {
    await compileContent({ draft });
    await stampBuild(COMPILED_FOLDER, stamp);
  } catch (error) {
    if (!(error instanceof ContentProblems)) throw error;
    console.error(`The content cannot be built:\n${error.message}`);
    process.exit(1);
  }
}

/**
 * Builds, unless the folder already holds a build of the same sources. In development it always builds, so
 * that the next change can be built incrementally.
 */
export async function buildWhenStale(mode: BuildMode, outFolder: string): Promise<void> {
  if (mode === 'production' && (await isBuiltFrom(outFolder, await stampOf(mode)))) return;
  await buildNow(mode, outFolder);
}

/** Builds, and marks the folder with what it was built from. Its parameters are those of `build`. */
export async function buildNow(mode: BuildMode, outFolder: string, earlier?: string): Promise<void> {
  const stamp = await stampOf(mode);
  const { build } = await import('./build.ts');
  await build(mode, outFolder, earlier);
  await stampBuild(outFolder, stamp);
}

/**
 * A digest of a build's sources and its mode. Like `make`, it goes by the sources' paths, sizes and
 * modification times.
 */
export async function stampOf(mode: string, sources: readonly string[] = SOURCES): Promise<string> {
  const files = (await Promise.all(sources.map(filesIn)))
    .flat()
    .filter((path) => !NOT_BUILT.test(path))
    .sort();
  const facts = await Promise.all(
    files.map(async (path) => {
      const { size, mtimeMs } = await stat(path);
      return `${path} ${size} ${mtimeMs}`;
    }),
  );
  return createHash('sha256')
    .update([mode, process.version, process.env.EDITION_UNDER_TEST, ...facts].join('\n'))
    .digest('hex');
}

/** Marks a folder as built from the sources that a stamp identifies. */
export async function stampBuild(outFolder: string, stamp: string): Promise<void> {
  await writeFile(join(outFolder, STAMP_FILE), stamp);
}

/** Whether a folder was built from the sources that a stamp identifies. */
export async function isBuiltFrom(outFolder: string, stamp: string): Promise<boolean> {
  const built = await readFile(join(outFolder, STAMP_FILE), 'utf8').catch(() => undefined);
  return built === stamp;
}

async function filesIn(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
