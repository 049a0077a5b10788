import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';
import { onImport } from './on-import.ts';

/**
 * Bundles React DOM as a module. A CommonJS package is one large function in a bundle, which the browser reads once more,
 * in the visitor's way, when it is called. And of a module, what is never called stays out of the bundle.
 */
export const unwrapReact: Plugin = {
  name: 'unwrap-react',
  setup(build) {
    onImport(build, { filter: /^react-dom\/client$/ }, (found) => ({
      path: join(dirname(found.path), 'cjs/react-dom-client.production.js'),
    }));
    build.onLoad({ filter: /[\\/]react-dom-client\.production\.js$/ }, async ({ path }) => ({
      contents: asModule(await readFile(path, 'utf8')),
    }));
  },
};

/**
 * A CommonJS file with its requirements and exports as those of a module.
 * @throws {Error} when there are any in a form that React DOM does not use today
 */
export function asModule(script: string): string {
  const imports: string[] = [];
  const module = script
    .replaceAll(/\brequire\(("[\w-]+")\)/g, (_call, name: string) => {
      imports.push(`import required${imports.length} from ${name};`);
      return `required${imports.length - 1}`;
    })
    .replaceAll(/^exports\.(\w+) =/gm, 'export const $1 =');
  const left = /\b(?:require|exports)\b|\bmodule\b(?=\s*[.[=])/.exec(module);
  if (left) throw new Error(`React DOM says ${left[0]} in a way that a module cannot`);
  return [...imports, module].join('\n');
}
