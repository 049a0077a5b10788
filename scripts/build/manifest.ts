import { relative, sep } from 'node:path';
import type { Metafile } from 'esbuild';
import type { Scripts } from '#shared/page.ts';

/** The script that runs at page load: a single file that shares no code with the application. */
export const LOADER_ENTRY = 'client/entry.client.ts';

/**
 * The script of the page of one registration: also a single file that shares no code with the application.
 */
export const OWN_PAGE_ENTRY = 'client/entry.own-page.ts';

/** The scripts that the loader script imports later. */
export const SCRIPT_ENTRIES = {
  library: 'client/islands/library.ts',
  application: 'client/islands/application.tsx',
};

export const STYLE_ENTRIES = {
  style: 'client/styles/main.css',
  laterStyle: 'client/styles/later.css',
  /** The whole style sheet of the plain pages: errors, terms, and the pages about the site. */
  plainStyle: 'client/styles/plain.css',
  /** The whole style sheet of the page of one registration. */
  ownPageStyle: 'client/styles/own-page.css',
  /** The whole style sheet of the office's pages. */
  officeStyle: 'client/styles/office.css',
};

/** The part that is loaded after the application, once a visitor comes near the stepper: its first form. */
const STEPPER_PART = 'client/registration/steps/contact-step.tsx';

/** The URL paths of the built files that a page refers to. */
export function manifestOf(outputs: Metafile['outputs'], publicFolder: string) {
  const urlOf = (path: string): string => `/${relative(publicFolder, path).replaceAll(sep, '/')}`;
  const find = (source: string): string => urlOf(outputOf(source, outputs));
  const [library, application] = [find(SCRIPT_ENTRIES.library), find(SCRIPT_ENTRIES.application)];
  const filesOf = (source: string): string[] =>
    [...withImports(outputOf(source, outputs), outputs)].map(urlOf);
  const first = new Set(Object.values(SCRIPT_ENTRIES).flatMap(filesOf));
  const scripts: Scripts = {
    library,
    application,
    imports: [...first].filter((file) => file !== library && file !== application),
    stepper: filesOf(STEPPER_PART).filter((file) => !first.has(file)),
  };
  return {
    script: find(LOADER_ENTRY),
    scripts,
    style: find(STYLE_ENTRIES.style),
    laterStyle: find(STYLE_ENTRIES.laterStyle),
    plainStyle: find(STYLE_ENTRIES.plainStyle),
    ownPageScript: find(OWN_PAGE_ENTRY),
    ownPageStyle: find(STYLE_ENTRIES.ownPageStyle),
    officeStyle: find(STYLE_ENTRIES.officeStyle),
    fonts: Object.keys(outputs)
      .filter((path) => path.endsWith('.woff2'))
      .map(urlOf),
  };
}

function outputOf(source: string, outputs: Metafile['outputs']): string {
  const found = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === source);
  if (found === undefined) throw new Error(`${source} was not built`);
  return found;
}

/** A file and everything that it imports statically, directly or indirectly. */
function withImports(path: string, outputs: Metafile['outputs'], found = new Set<string>()): Set<string> {
  found.add(path);
  for (const imported of outputs[path]?.imports ?? []) {
    if (imported.kind !== 'import-statement' || imported.external || found.has(imported.path)) continue;
    withImports(imported.path, outputs, found);
  }
  return found;
}
