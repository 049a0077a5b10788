import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { brotli, entityTag, gzipped } from '#server/http/representation.ts';
import type { EarlierFiles } from './earlier-files.ts';

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
  taken: EarlierFiles,
): Promise<Record<string, ServedFile>> {
  const found = await readdir(publicFolder, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const listed = paths.sort().map(async (path): Promise<[string, ServedFile]> => {
    const body = await readFile(path);
    const compressed = compress && COMPRESSIBLE.test(path) && body.length >= LEAST_BYTES;
    if (compressed)
      await Promise.all([writeBeside(path, 'br', brotli(body)), writeBeside(path, 'gz', gzipped(body))]);
    const name = `/${relative(publicFolder, path).replaceAll(sep, '/')}`;
    const releasesAgo = taken[name];
    return [name, { tag: entityTag(body), compressed, ...(releasesAgo && { releasesAgo }) }];
  });
  return Object.fromEntries(await Promise.all(listed));
}

async function writeBeside(path: string, ending: string, compressed: Promise<Buffer>): Promise<void> {
  await writeFile(`${path}.${ending}`, await compressed);
}
