import { existsSync } from 'node:fs';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import * as v from 'valibot';
import { brotli, entityTag, gzipped } from '#server/http/representation.ts';
import { HASHED_NAME } from '#server/http/static-files.ts';

const COMPRESSIBLE = /\.(js|css|svg|json|webmanifest|xml|ics|txt|vtt|map)$/;

/** A smaller file fits into one packet even without compression. */
const LEAST_BYTES = 1024;

/**
 * What the server needs to know about a file: its ETag, and whether `.br` and `.gz` files exist beside it.
 */
interface ServedFile {
  tag: string;
  compressed: boolean;
  /** Only for a file that was copied from an earlier build: how many releases ago it was made. */
  releasesAgo?: number;
}

/** Compresses the files that get smaller by it, and lists every file of the public folder by its URL path. */
export async function listServedFiles(
  publicFolder: string,
  compress: boolean,
  taken: Readonly<Record<string, number>>,
): Promise<Record<string, ServedFile>> {
  const found = await readdir(publicFolder, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const listed = paths.sort().map(async (path): Promise<[string, ServedFile]> => {
    const body = await readFile(path);
    const compressed = compress && COMPRESSIBLE.test(path) && body.length >= LEAST_BYTES;
    if (compressed) {
      await writeFile(`${path}.br`, await brotli(body));
      await writeFile(`${path}.gz`, await gzipped(body));
    }
    const name = `/${relative(publicFolder, path).replaceAll(sep, '/')}`;
    const releasesAgo = taken[name];
    return [name, { tag: entityTag(body), compressed, ...(releasesAgo && { releasesAgo }) }];
  });
  return Object.fromEntries(await Promise.all(listed));
}

/**
 * A page of this many releases ago still finds its files: two releases may happen while a page stays open for
 * an hour.
 */
const MOST_RELEASES_AGO = 2;

const manifestSchema = v.object({
  files: v.record(v.string(), v.object({ releasesAgo: v.optional(v.number(), 0) })),
});

/**
 * Copies the hashed files of an earlier build into a public folder: a page that was opened before a release
 * loads parts of itself after it.
 * @returns how many releases ago each was made, by its path
 * @throws {Error} when the folder holds no build
 */
export async function takeEarlierFiles(
  earlier: string,
  publicFolder: string,
): Promise<Record<string, number>> {
  const manifest: unknown = JSON.parse(await readFile(join(earlier, 'manifest.json'), 'utf8'));
  const taken: Record<string, number> = {};
  for (const [path, file] of Object.entries(v.parse(manifestSchema, manifest).files)) {
    const releasesAgo = file.releasesAgo + 1;
    if (!HASHED_NAME.test(path) || releasesAgo > MOST_RELEASES_AGO) continue;
    const own = join(publicFolder, path);
    if (existsSync(own)) continue;
    await cp(join(earlier, 'public', path), own);
    taken[path] = releasesAgo;
  }
  return taken;
}
