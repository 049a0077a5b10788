import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin, transform } from 'esbuild';

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
const TYPESCRIPT = /\.tsx?$/;
const OF_A_FOLDER = 'folder:';

export interface TestBundles {
  /** For Node's test runner, which starts a process for each. */
  paths: string[];
  remove(): Promise<void>;
}

/**
 * Turns test files, and all of the project that they import, into JavaScript: to do that in each process as it imports
 * them takes more than half of the CPU of most.
 * @param options.together one path for all files of some folders, in place of one for each
 */
export async function bundleTests(
  files: readonly string[],
  { together }: { together: boolean },
): Promise<TestBundles> {
  await mkdir(OUT_FOLDER, { recursive: true });
  const outdir = await mkdtemp(join(OUT_FOLDER, 'run-'));
  const folderOf = (file: string): string | undefined =>
    together && !LONG.test(file) ? FOLDERS.find((folder) => file.startsWith(folder)) : undefined;
  const entries = files.map((file) => {
    const folder = folderOf(file);
    return folder
      ? [join(folder, 'all.test'), `${OF_A_FOLDER}${folder}`]
      : [file.replace(TYPESCRIPT, ''), file];
  });
  const entryPoints: Record<string, string> = Object.fromEntries(entries);
  await build({
    entryPoints,
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    sourcemap: true,
    logLevel: 'warning',
    plugins: [wholeFolders((folder) => files.filter((file) => folderOf(file) === folder)), ownLocations],
  });
  return {
    paths: Object.keys(entryPoints).map((name) => join(outdir, `${name}.mjs`)),
    remove: () => rm(outdir, { recursive: true }),
  };
}

/** One entry point that imports the test files of a folder. */
function wholeFolders(filesOf: (folder: string) => string[]): Plugin {
  return {
    name: 'whole-folders',
    setup({ onResolve, onLoad }) {
      const filter = new RegExp(`^${OF_A_FOLDER}`);
      onResolve({ filter }, ({ path }) => ({ path: path.replace(filter, ''), namespace: OF_A_FOLDER }));
      onLoad({ filter: /^/, namespace: OF_A_FOLDER }, ({ path: folder }) => ({
        contents: filesOf(folder)
          .map((file) => `import ${JSON.stringify(resolve(file))};`)
          .join('\n'),
        resolveDir: resolve('.'),
      }));
    },
  };
}

/** Lets each module find what lies beside its source, not beside the bundle that it ends up in. */
const ownLocations: Plugin = {
  name: 'own-locations',
  setup({ onLoad }) {
    onLoad({ filter: TYPESCRIPT }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      if (!/import\.meta\.(?:url|dirname)/.test(source)) return undefined;
      const { code } = await transform(source, {
        loader: path.endsWith('x') ? 'tsx' : 'ts',
        jsx: 'automatic',
        sourcefile: path,
        sourcemap: 'inline',
        define: {
          'import.meta.url': JSON.stringify(pathToFileURL(path).href),
          'import.meta.dirname': JSON.stringify(dirname(path)),
        },
      });
      return { contents: code };
    });
  },
};
