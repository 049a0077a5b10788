import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin, transform } from 'esbuild';
import { SLOW_TEST } from './choose-tests.ts';

/**
 * How many test files run in one process, one after the other. A process loads Stripe's SDK and the queue, which takes
 * more CPU than most files' tests; too many files in one would leave a core idle at the end. So no file may leave
 * anything behind in its process, such as a changed global.
 */
const FILES_A_PROCESS = 24;

const OUT_FOLDER = '.data/tests';
const TYPESCRIPT = /\.tsx?$/;
const GUARD = join(import.meta.dirname, 'guard.mjs');

/**
 * Turns test files, and all of the project that they import, into JavaScript: to do that in each process as it imports
 * them takes more than half of the CPU of most.
 * @param options.together one path for several files, instead of one for each
 * @returns the paths for Node's test runner, which starts a process for each, and what each is made of
 */
export async function bundleTests(files: readonly string[], { together }: { together: boolean }) {
  await mkdir(OUT_FOLDER, { recursive: true });
  const outdir = await mkdtemp(join(OUT_FOLDER, 'run-'));
  const groups = together ? groupsOf(files) : files.map((file) => [file]);
  const entries = await Promise.all(groups.map((group) => writeEntry(outdir, group)));
  await build({
    entryPoints: entries,
    outdir,
    outbase: outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [ownLocations],
  });
  const paths = entries.map((entry) => entry.replace(TYPESCRIPT, '.mjs'));
  return {
    paths,
    /** The test files of a path; a name that is none of the paths stands for itself. */
    sourcesOf: (name: string): readonly string[] => groups[paths.indexOf(relative('.', name))] ?? [name],
    remove: () => rm(outdir, { recursive: true }),
  };
}

/** The files that run in one process: some that follow each other, or a slow one. */
function groupsOf(files: readonly string[]): string[][] {
  const fast = files.filter((file) => !SLOW_TEST.test(file));
  const slow = files.filter((file) => SLOW_TEST.test(file));
  const groups: string[][] = slow.map((file) => [file]);
  while (fast.length > 0) groups.push(fast.splice(0, FILES_A_PROCESS));
  return groups;
}

/** Writes what runs the files of a group, under a name that is shown when a test fails. */
async function writeEntry(folder: string, group: readonly string[]): Promise<string> {
  const [first = '', ...others] = group;
  const name = first.replace(TYPESCRIPT, others.length === 0 ? '' : `-and-${others.length}-more`);
  const entry = join(folder, `${name}.ts`);
  const runs = group.map(
    (file) => `describe(${JSON.stringify(file)}, () => import(${JSON.stringify(resolve(file))}));\n`,
  );
  await mkdir(dirname(entry), { recursive: true });
  await writeFile(
    entry,
    `import ${JSON.stringify(GUARD)};
import { describe } from 'node:test';
process.setSourceMapsEnabled(true);
${runs.join('')}`,
  );
  return entry;
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
