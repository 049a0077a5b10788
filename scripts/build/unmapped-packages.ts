import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const PACKAGE_FILE = /[\\/]node_modules[\\/].*\.(?:[cm]?js|json)$/;

/** A source map with a single mapping: the rest of the file is not mapped. */
const EMPTY_MAP = Buffer.from(
  JSON.stringify({ version: 3, sources: ['package'], names: [], mappings: 'AAAA' }),
).toString('base64');

/**
 * Leaves the packages out of the source maps. Node keeps a map as an object for each token once an error's stack is
 * read: with the packages in it that is 30 MB, and app or worker exceed their budget of 150 MiB.
 */
export const unmappedPackages: Plugin = {
  name: 'unmapped-packages',
  setup(build) {
    build.onLoad({ filter: PACKAGE_FILE }, async ({ path }) => ({
      loader: 'js',
      contents: `${await scriptOf(path)}\n//# sourceMappingURL=data:application/json;base64,${EMPTY_MAP}`,
    }));
  },
};

/** Only a script can have a source map, so JSON is turned into one. */
async function scriptOf(path: string): Promise<string> {
  const text = await readFile(path, 'utf8');
  return path.endsWith('.json') ? `module.exports = ${text};` : text;
}
