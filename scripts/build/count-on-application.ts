import { readFile } from 'node:fs/promises';
import { dirname, extname, resolve } from 'node:path';
import type { Loader, Plugin } from 'esbuild';
import { BROWSER_ENTRIES } from './manifest.ts';
import { dynamicImports, onImport } from './on-import.ts';

const LATER = Symbol('loads later');

/**
 * What loads later counts on the application, as if it imported it. Otherwise the bundler cuts the application up, with
 * a file for each set of later parts that share some of it.
 */
export const countOnApplication: Plugin = {
  name: 'count-on-application',
  setup(build) {
    const application = resolve(BROWSER_ENTRIES.application);
    onImport(build, dynamicImports, (found) => ({ ...found, pluginData: LATER }));
    build.onLoad({ filter: /\.tsx?$/ }, async ({ path, pluginData }) => {
      if (pluginData !== LATER) return undefined;
      const contents = `${await readFile(path, 'utf8')}\nimport ${JSON.stringify(application)};\n`;
      return { contents, loader: loaderOf(path), resolveDir: dirname(path) };
    });
  },
};

function loaderOf(path: string): Loader {
  return extname(path) === '.tsx' ? 'tsx' : 'ts';
}
