import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Plugin } from 'esbuild';

const REACT_DOM = resolve('node_modules/react-dom/cjs/react-dom-client.production.js');

/**
 * Bundles React DOM as a module. A CommonJS package is one large function in a bundle, which the browser
 * parses a second time, on the main thread, when it is called. Budget: TBT below 60 ms on the throttled
 * phone.
 */
export const unwrapReact: Plugin = {
  name: 'unwrap-react',
  setup(build) {
    build.onResolve({ filter: /^react-dom\/client$/ }, () => ({ path: REACT_DOM }));
    build.onLoad({ filter: /[\\/]react-dom-client\.production\.js$/ }, async ({ path }) => ({
      contents: asModule(await readFile(path, 'utf8')),
    }));
  },
};

/**
 * Turns a CommonJS file into an ES module: its `require` calls into imports, its `exports` into exports.
 * @throws {Error} when it finds `require` or `exports` in a form that React DOM does not use today
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
