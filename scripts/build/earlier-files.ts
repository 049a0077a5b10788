import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { HASHED_NAME } from '#server/http/static-files.ts';

/**
 * A page of this many releases ago still finds its files: two releases may happen while a page stays open for
 * an hour.
 */
const MOST_RELEASES_AGO = 2;

const manifestSchema = v.object({
  files: v.record(v.string(), v.object({ releasesAgo: v.optional(v.number(), 0) })),
});

/**
 * The files that a build has copied from an earlier build: how many releases ago each was made, by its path.
 */
export type EarlierFiles = Readonly<Record<string, number>>;

/**
 * Copies the hashed files of an earlier build into a public folder: a page that was opened before a release
 * loads parts of itself after it.
 * @throws {Error} when the folder holds no build
 */
export async function takeEarlierFiles(earlier: string, publicFolder: string): Promise<EarlierFiles> {
  const manifest: unknown = JSON.parse(await readFile(join(earlier, 'manifest.json'), 'utf8'));
  const taken: Record<string, number> = {};
  for (const [path, file] of Object.entries(v.parse(manifestSchema, manifest).files)) {
    const releasesAgo = file.releasesAgo + 1;
    if (!HASHED_NAME.test(path) || releasesAgo > MOST_RELEASES_AGO) continue;
    if (await copyIfMissing(join(earlier, 'public', path), join(publicFolder, path)))
      taken[path] = releasesAgo;
  }
  return taken;
}

async function copyIfMissing(from: string, to: string): Promise<boolean> {
  try {
    await cp(from, to, { errorOnExist: true, force: false });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_FS_CP_EEXIST') return false;
    throw error;
  }
}
