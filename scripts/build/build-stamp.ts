import { createHash } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

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
 * A digest of a build's sources and its mode. Like `make`, it goes by the sources' paths, sizes and
 * modification times.
 */
export async function stampOf(mode: string, sources: readonly string[] = SOURCES): Promise<string> {
  const files = (await Promise.all(sources.map(filesIn))).flat().filter(isBuilt).sort();
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

function isBuilt(path: string): boolean {
  return !NOT_BUILT.test(path);
}

async function filesIn(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
