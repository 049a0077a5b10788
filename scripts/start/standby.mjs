// Imported before the app in a process that `npm run dev` keeps ready: loads the packages of the build, says so, and
// waits for SIGUSR2 until the app itself may load. Plain JavaScript, as Node runs it without a loader for TypeScript.
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const build = dirname(process.argv[1] ?? '');
// A process that waits for a signal alone would end.
const alive = setInterval(() => {}, 60_000);
const told = new Promise((resolve) => process.once('SIGUSR2', resolve));
for (const name of await contentFree()) await import(pathToFileURL(join(build, name)).href);
console.log('Standing by');
await told;
clearInterval(alive);

/** The chunks that no content is in: what changes by then is loaded when the app is. */
async function contentFree() {
  const names = (await readdir(build)).filter((name) => /^chunk-.*\.js$/.test(name));
  /** @type {Map<string, (string | undefined)[]>} */
  const imports = new Map();
  for (const name of names) {
    const code = await readFile(join(build, name), 'utf8');
    imports.set(
      name,
      [...code.matchAll(/\bfrom\s*"\.\/([^"]+)"/g)].map(([, path]) => path),
    );
  }
  /** @type {(name: string | undefined) => boolean} */
  const reaches = (name = '') =>
    name.startsWith('content/') || (imports.get(name) ?? []).some((path) => reaches(path));
  return names.filter((name) => !reaches(name));
}
