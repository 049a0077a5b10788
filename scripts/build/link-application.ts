import { relative } from 'node:path';
import type { Plugin } from 'esbuild';
import type { FindOutput } from './manifest.ts';

/** What the loader imports in its time is built already: it gets the addresses. */
export function linkApplication(find: FindOutput): Plugin {
  return {
    name: 'link-application',
    setup(build) {
      build.onResolve({ filter: /^\./ }, async ({ kind, path, resolveDir, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === 'resolving') return undefined;
        const found = await build.resolve(path, { kind, resolveDir, pluginData: 'resolving' });
        return { path: find(relative(process.cwd(), found.path)), external: true };
      });
    },
  };
}
