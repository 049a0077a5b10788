import { readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';

/** The file that Redis appends to, by its name in Redis 7 and before it. */
const APPENDED = /(incr\.aof|appendonly\.aof)$/;

/** Remembers how much Redis has written by now, and returns what makes it forget all that came after. */
export async function rememberFile(folder: string): Promise<() => Promise<void>> {
  const names = await readdir(folder, { recursive: true });
  const paths = names.filter((name) => APPENDED.test(name)).map((name) => join(folder, name));
  const files = await Promise.all(paths.map(async (path) => ({ path, stats: await stat(path) })));
  return async () => {
    for (const { path, stats } of files) if (stats.isFile()) await truncate(path, stats.size);
  };
}
