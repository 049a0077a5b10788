import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const PACKAGE_SCRIPT = /[\\/]node_modules[\\/].*\.[cm]?js$/;

/** A source map that knows one place: the rest of the file has none. */
const EMPTY_MAP = Buffer.from(
  JSON.stringify({ version: 3, sources: ['package'], names: [], mappings: 'AAAA' }),
).toString('base64');

/**
 * Leaves the packages out of the source maps. Node keeps a map as an object for each token once an error's stack is
 * read: with the packages in it that is 30 MB.
 */
export const unmappedPackages: Plugin = {
  name: 'unmapped-packages',
  setup(build) {
    build.onLoad({ filter: PACKAGE_SCRIPT }, async ({ path }) => ({
      loader: 'js',
      contents: `${await readFile(path, 'utf8')}\n//# sourceMappingURL=data:application/json;base64,${EMPTY_MAP}`,
    }));
  },
};
