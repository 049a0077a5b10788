import { relative, sep } from 'node:path';
import type { Metafile } from 'esbuild';

/** What the build starts the browser's files from. */
export const BROWSER_ENTRIES = {
  library: 'client/islands/library.ts',
  application: 'client/islands/start-application.tsx',
  style: 'client/styles/main.css',
  laterStyle: 'client/styles/later.css',
};

const STEPPER_PARTS = [
  'client/registration/register-section.tsx',
  'client/registration/steps/contact-step.tsx',
];

/** What runs at load: a file by itself, which loads the application in its time. */
export const LOADER_ENTRY = 'client/entry.client.tsx';

/** Where the browser finds what was built from a source. */
export type FindOutput = (source: string) => string;

/** Looks up outputs as paths that browsers ask for. */
export function outputFinder({ outputs }: Metafile, publicFolder: string): FindOutput {
  return (source) => {
    const [path] = Object.entries(outputs).find(([, output]) => output.entryPoint === source) ?? [];
    if (path === undefined) throw new Error(`${source} was not built`);
    return urlOf(path, publicFolder);
  };
}

/** The files of the application, as browsers ask for them. */
export function applicationFiles(metafile: Metafile, publicFolder: string): string[] {
  return filesOf([BROWSER_ENTRIES.library, BROWSER_ENTRIES.application], metafile, publicFolder);
}

/** What follows them once a visitor comes near the stepper: the section, and its first form. */
export function stepperFiles(metafile: Metafile, publicFolder: string): string[] {
  const application = new Set(applicationFiles(metafile, publicFolder));
  const files = filesOf(STEPPER_PARTS, metafile, publicFolder);
  return files.filter((file) => !application.has(file));
}

function filesOf(starts: readonly string[], { outputs }: Metafile, publicFolder: string): string[] {
  const entries = Object.keys(outputs).filter((path) => starts.includes(outputs[path]?.entryPoint ?? ''));
  if (entries.length < starts.length) throw new Error(`Not all of ${starts} was built`);
  const imported = entries.flatMap((path) => [...importedBy(path, outputs)]);
  return [...new Set([...entries, ...imported])].map((path) => urlOf(path, publicFolder));
}

/** Where the built files are found that a page names. */
export function manifestOf(metafile: Metafile, loader: Metafile, publicFolder: string) {
  const find = outputFinder(metafile, publicFolder);
  const fonts = Object.keys(metafile.outputs).filter((path) => path.endsWith('.woff2'));
  return {
    script: outputFinder(loader, publicFolder)(LOADER_ENTRY),
    style: find(BROWSER_ENTRIES.style),
    laterStyle: find(BROWSER_ENTRIES.laterStyle),
    fonts: fonts.map((path) => urlOf(path, publicFolder)),
    application: applicationFiles(metafile, publicFolder),
  };
}

function urlOf(path: string, publicFolder: string): string {
  return `/${relative(publicFolder, path).replaceAll(sep, '/')}`;
}

/** All that loads with a file, however deep it is imported. */
function importedBy(path: string, outputs: Metafile['outputs'], found = new Set<string>()): Set<string> {
  for (const imported of outputs[path]?.imports ?? []) {
    if (imported.kind !== 'import-statement' || imported.external || found.has(imported.path)) continue;
    importedBy(imported.path, outputs, found.add(imported.path));
  }
  return found;
}
