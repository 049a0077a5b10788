import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { brotli, entityTag, gzipped } from '#server/http/representation.ts';
import type { EarlierFiles } from './earlier-files.ts';

const COMPRESSIBLE = /\.(js|css|svg|json|webmanifest|xml|ics|txt|vtt|map)$/;

/** What is smaller fits into one packet either way. */
const LEAST_BYTES = 1024;

/** What the server needs to know of a file: its tag, and whether `.br` and `.gz` stand beside it. */
interface ServedFile {
  tag: string;
  compressed: boolean;
  /** Of one that this build only took over. */
  releasesAgo?: number;
}

/** Compresses what gains by it, and lists every file of the public folder by the path it is asked for. */
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
