import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import type { Metafile } from 'esbuild';
import * as v from 'valibot';
import { compileContent } from '#scripts/content/compile-content.ts';
import type { PublishedFile } from '#scripts/content/pictures.ts';
import { brotli, entityTag, gzipped } from '#server/http/representation.ts';
import { HASHED_NAME } from '#server/http/static-files.ts';
import type { Scripts } from '#shared/page.ts';
import {
  type BuildMode,
  type Bundles,
  LOADER_ENTRY,
  OWN_PAGE_ENTRY,
  SCRIPT_ENTRIES,
  STYLE_ENTRIES,
  startBundles,
} from './bundles.ts';

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
 * @param earlier the folder of an earlier build, whose hashed files are served for pages that are still open
 */
export async function build(mode: BuildMode, outFolder: string, earlier?: string): Promise<void> {
  const publicFolder = join(outFolder, 'public');
  const media = await compileContent();
  if (!kept) await rm(outFolder, { recursive: true, force: true });
  await mkdir(outFolder, { recursive: true });
  const bundles = kept ?? (await startBundles(mode, outFolder, publicFolder));
  if (mode === 'development') kept = bundles;
  await copyStaticFiles(publicFolder, media);
  const outputs = await bundles.make();
  if (!kept) await bundles.dispose();
  const taken = earlier === undefined ? {} : await takeEarlierFiles(earlier, publicFolder);
  const files = await listServedFiles(publicFolder, mode === 'production', taken);
  const manifest = { ...manifestOf(outputs, publicFolder), files };
  await writeFile(join(outFolder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

async function copyStaticFiles(publicFolder: string, media: readonly PublishedFile[]): Promise<void> {
  for (const font of FONTS) {
    await cp(`node_modules/${font}/LICENSE`, join(publicFolder, 'licences', `${basename(font)}.txt`));
  }
  for (const { from, to } of media) await cp(from, join(publicFolder, to));
}

/** The part that is loaded after the application, once a visitor comes near the stepper: its first form. */
const STEPPER_PART = 'client/registration/steps/contact-step.tsx';

/** The URL paths of the built files that a page refers to. */
function manifestOf(outputs: Metafile['outputs'], publicFolder: string) {
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

const COMPRESSIBLE = /\.(js|css|svg|json|webmanifest|xml|ics|txt|vtt|map)$/;

/** A smaller file fits into one packet even without compression. */
const LEAST_BYTES = 1024;

/**
 * What the server needs to know about a file: its ETag, and whether `.br` and `.gz` files exist beside it.
 */
interface ServedFile {
  tag: string;
  compressed: boolean;
  /** Only for a file that was copied from an earlier build: how many releases ago it was made. */
  releasesAgo?: number;
}

/** Compresses the files that get smaller by it, and lists every file of the public folder by its URL path. */
async function listServedFiles(
  publicFolder: string,
  compress: boolean,
  taken: Readonly<Record<string, number>>,
): Promise<Record<string, ServedFile>> {
  const found = await readdir(publicFolder, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const listed = paths.sort().map(async (path): Promise<[string, ServedFile]> => {
    const body = await readFile(path);
    const compressed = compress && COMPRESSIBLE.test(path) && body.length >= LEAST_BYTES;
    if (compressed) {
      await writeFile(`${path}.br`, await brotli(body));
      await writeFile(`${path}.gz`, await gzipped(body));
    }
    const name = `/${relative(publicFolder, path).replaceAll(sep, '/')}`;
    const releasesAgo = taken[name];
    return [name, { tag: entityTag(body), compressed, ...(releasesAgo && { releasesAgo }) }];
  });
  return Object.fromEntries(await Promise.all(listed));
}

/**
 * A page of this many releases ago still finds its files: two releases may happen while a page stays open for
 * an hour.
 */
const MOST_RELEASES_AGO = 2;

const manifestSchema = v.object({
  files: v.record(v.string(), v.object({ releasesAgo: v.optional(v.number(), 0) })),
});

/**
 * Copies the hashed files of an earlier build into a public folder: a page that was opened before a release
 * loads parts of itself after it.
 * @returns how many releases ago each was made, by its path
 * @throws {Error} when the folder holds no build
 */
async function takeEarlierFiles(earlier: string, publicFolder: string): Promise<Record<string, number>> {
  const manifest: unknown = JSON.parse(await readFile(join(earlier, 'manifest.json'), 'utf8'));
  const taken: Record<string, number> = {};
  for (const [path, file] of Object.entries(v.parse(manifestSchema, manifest).files)) {
    const releasesAgo = file.releasesAgo + 1;
    if (!HASHED_NAME.test(path) || releasesAgo > MOST_RELEASES_AGO) continue;
    const own = join(publicFolder, path);
    if (existsSync(own)) continue;
    await cp(join(earlier, 'public', path), own);
    taken[path] = releasesAgo;
  }
  return taken;
}
