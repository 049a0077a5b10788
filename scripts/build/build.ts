import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import type { Metafile } from 'esbuild';
import type { PublishedFile } from '#scripts/content/pictures.ts';
import { compileContent } from '#scripts/content/write.ts';
import { brotli, entityTag, gzipped } from '#server/web/representation.ts';
import { type BuildMode, type Bundles, PAGE_ENTRY, STYLE_ENTRIES, startBundles } from './bundles.ts';

/** Their licence requires that its text is distributed with them. */
const FONTS = ['@fontsource-variable/fraunces', '@fontsource-variable/figtree'];

/**
 * Those of `npm run dev`, which are rebuilt incrementally, so that a change shows soon. Files that are no longer part of a
 * bundle stay in the folder.
 */
let kept: Bundles | undefined;

/**
 * Makes everything the processes run from, in one folder: the server's programs, and under `public/` what
 * browsers load, with `manifest.json` between them.
 */
export async function build(mode: BuildMode, outFolder: string): Promise<void> {
  const publicFolder = join(outFolder, 'public');
  const media = await compileContent();
  if (!kept) await rm(outFolder, { recursive: true, force: true });
  await mkdir(outFolder, { recursive: true });
  const bundles = kept ?? (await startBundles(mode, outFolder, publicFolder));
  if (mode === 'development') kept = bundles;
  await copyStaticFiles(publicFolder, media);
  const outputs = await bundles.make();
  if (!kept) await bundles.dispose();
  const files = await listServedFiles(publicFolder, mode === 'production');
  const manifest = { ...manifestOf(outputs, publicFolder), files };
  await writeFile(join(outFolder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

async function copyStaticFiles(publicFolder: string, media: readonly PublishedFile[]): Promise<void> {
  for (const font of FONTS) {
    await cp(`node_modules/${font}/LICENSE`, join(publicFolder, 'licences', `${basename(font)}.txt`));
  }
  for (const { from, to } of media) await cp(from, join(publicFolder, to));
}

/** Loaded once a visitor comes near the registration: its first form. */
const CONTACT_STEP = 'client/registration/steps/contact-step.tsx';

/** The URL paths of the built files that a page refers to. */
function manifestOf(outputs: Metafile['outputs'], publicFolder: string) {
  const urlOf = (path: string): string => `/${relative(publicFolder, path).replaceAll(sep, '/')}`;
  const find = (source: string): string => urlOf(outputOf(source, outputs));
  const filesOf = (source: string): string[] =>
    [...withImports(outputOf(source, outputs), outputs)].map(urlOf);
  const pageScripts = filesOf(PAGE_ENTRY);
  const [script = '', ...scriptImports] = pageScripts;
  return {
    script,
    scriptImports,
    stepper: filesOf(CONTACT_STEP).filter((file) => !pageScripts.includes(file)),
    style: find(STYLE_ENTRIES.style),
    laterStyle: find(STYLE_ENTRIES.laterStyle),
    plainStyle: find(STYLE_ENTRIES.plainStyle),
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

const COMPRESSIBLE = /\.(js|css|svg|json|webmanifest|xml|ics|txt|vtt|map)$/;

/** A smaller file fits into one packet even without compression. */
const LEAST_BYTES = 1024;

/** The entity tags of a file and, if it was compressed, of the `.br` and `.gz` files beside it. */
interface ServedFile {
  identity: string;
  br?: string;
  gzip?: string;
}

/** Compresses the files that get smaller by it, and lists every file of the public folder by its URL path. */
async function listServedFiles(publicFolder: string, compress: boolean): Promise<Record<string, ServedFile>> {
  const found = await readdir(publicFolder, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const listed = paths.sort().map(async (path): Promise<[string, ServedFile]> => {
    const body = await readFile(path);
    const name = `/${relative(publicFolder, path).replaceAll(sep, '/')}`;
    const identity = entityTag(body);
    if (!compress || !COMPRESSIBLE.test(path) || body.length < LEAST_BYTES) return [name, { identity }];
    const [br, gzip] = await Promise.all([brotli(body), gzipped(body)]);
    await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gzip)]);
    return [name, { identity, br: entityTag(br), gzip: entityTag(gzip) }];
  });
  return Object.fromEntries(await Promise.all(listed));
}
