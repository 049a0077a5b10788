import { relative } from 'node:path';
import type { Plugin } from 'esbuild';
import type { FindOutput } from './manifest.ts';
import { dynamicImports, onImport } from './on-import.ts';

/** What the loader imports in its time is built already: it gets the addresses. */
export function linkApplication(find: FindOutput): Plugin {
  return {
    name: 'link-application',
    setup(build) {
      onImport(build, dynamicImports, (found) => ({
        path: find(relative(process.cwd(), found.path)),
        external: true,
      }));
    },
  };
}
