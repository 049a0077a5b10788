// Imported before the app in a process that `npm run dev` keeps ready: loads the packages of the build, says so, and
// waits for SIGUSR2 before the app itself is loaded. Plain JavaScript, because Node runs it without a loader
// for TypeScript.
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const build = dirname(process.argv[1] ?? '');
// A process that only waits for a signal would end.
const alive = setInterval(() => {}, 60_000);
const signalled = new Promise((resolve) => process.once('SIGUSR2', resolve));
for (const name of await contentFree()) await import(pathToFileURL(join(build, name)).href);
console.log('Standing by');
await signalled;
clearInterval(alive);

/**
 * The chunks without content. Those with content are loaded with the app, because they may change until then.
 */
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
