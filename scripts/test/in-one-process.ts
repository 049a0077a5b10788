import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Folders whose test files run in one process, one after the other: to start a process for each takes more CPU than most
 * of their tests. No file here may leave anything behind in the process, such as a changed global.
 */
const FOLDERS = [
  'client/registration',
  'scripts/content',
  'server/config',
  'server/http',
  'server/mail/letters',
  'server/page',
  'server/payments',
  'server/registration',
  'shared',
].map((folder) => join(folder, sep));

/** Those that cut off and repeat everything take longest: each has its own process, so that the cores share them. */
const LONG = /-(?:faults|life)\.test\.ts$/;

const OUT_FOLDER = '.data/tests';

/** The files that Node's runner is given, a process for each: in place of those of a folder, one that imports them. */
export async function shareProcesses(files: readonly string[]): Promise<string[]> {
  await mkdir(OUT_FOLDER, { recursive: true });
  const shared = FOLDERS.map(async (folder) => {
    const path = join(OUT_FOLDER, `${folder.split(sep).filter(Boolean).join('-')}.test.mjs`);
    const imported = files.filter((file) => file.startsWith(folder) && !LONG.test(file));
    const lines = imported.map((file) => `import '${pathToFileURL(resolve(file)).href}';\n`);
    await writeFile(path, lines.join(''));
    return path;
  });
  const others = files.filter(
    (file) => LONG.test(file) || !FOLDERS.some((folder) => file.startsWith(folder)),
  );
  return [...(await Promise.all(shared)), ...others];
}
