import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BuildOptions, context } from 'esbuild';
import { compileContent } from '#scripts/content/compile-content.ts';
import type { PublishedFile } from '#scripts/content/kept-pictures.ts';
import { isBuiltFrom, stampBuild, stampOf } from './build-stamp.ts';
import { drawIllustrations } from './draw-illustrations.tsx';
import { BROWSER_ENTRIES, LOADER_ENTRY, manifestOf } from './manifest.ts';
import { listServedFiles } from './served-files.ts';
import { unmappedPackages } from './unmapped-packages.ts';
import { unwrapReact } from './unwrap-react.ts';

export type BuildMode = 'development' | 'production';

const BROWSERS = ['chrome123', 'edge123', 'firefox120', 'safari17.5'];
/** The programs in `dist/`, by name. */
const SERVER_ENTRIES = {
  'start-app': 'server/start-app.ts',
  'start-worker': 'server/start-worker.ts',
  'check-health': 'server/ops/check-health.ts',
  support: 'server/support/main.ts',
};
/** CommonJS packages ask for Node's own modules by `require`, which a module has to make for itself. */
const COMMON_JS_LOADER =
  "import { createRequire as commonJsLoader } from 'node:module'; const require = commonJsLoader(import.meta.url);";

/**
 * Lets a browser with V8 compile a file while it loads, off the main thread, instead of each function when it is first
 * called. Budget: TBT below 60 ms on the throttled phone.
 * @see https://v8.dev/blog/explicit-compile-hints
 */
const COMPILE_HINT = '//# allFunctionsCalledOnLoad';

/** Their licence asks that its text goes where they go. */
const FONTS = ['@fontsource-variable/fraunces', '@fontsource-variable/figtree'];

/**
 * Makes everything the processes run from, in one folder: the server's programs, and under `public/` what
 * browsers load, with `manifest.json` between them.
 */
export async function build(mode: BuildMode, outFolder: string): Promise<void> {
  const stamp = await stampOf(mode);
  const publicFolder = join(outFolder, 'public');
  const media = await compileContent({ draft: mode === 'development' });
  const bundles = await (keptBundles.get(outFolder) ?? startBundles(mode, outFolder));
  await copyStaticFiles(publicFolder, media);
  const [loader, browser] = await bundles.make();
  if (mode === 'development') keptBundles.set(outFolder, bundles);
  else await bundles.dispose();
  const illustrations = await drawIllustrations(publicFolder);
  const files = await listServedFiles(publicFolder, mode === 'production');
  const built = manifestOf(loader.metafile, browser.metafile, publicFolder);
  const manifest = { ...built, illustrations, files };
  await writeFile(join(outFolder, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await stampBuild(outFolder, stamp);
}

/**
 * Of `npm run dev`, by their folder: made again from what has changed, so that a change shows within a second. Files that
 * are no longer part of them stay in the folder.
 */
const keptBundles = new Map<string, Bundles>();

/** Ends what `npm run dev` keeps, so that its process can end in peace. */
export async function disposeBundles(): Promise<void> {
  for (const bundles of keptBundles.values()) await bundles.dispose();
  keptBundles.clear();
}

type Bundles = Awaited<ReturnType<typeof startBundles>>;

/** Empties the folder, and gets ready to bundle into it. */
async function startBundles(mode: BuildMode, outFolder: string) {
  const publicFolder = join(outFolder, 'public');
  await rm(outFolder, { recursive: true, force: true });
  await mkdir(outFolder, { recursive: true });
  const [loader, browser, server] = await Promise.all([
    context({ ...browserOptions(mode, publicFolder), entryPoints: [LOADER_ENTRY], splitting: false }),
    context(browserOptions(mode, publicFolder)),
    context(serverOptions(mode, outFolder)),
  ]);
  return {
    make: () => Promise.all([loader.rebuild(), browser.rebuild(), server.rebuild()]),
    dispose: () => Promise.all([loader.dispose(), browser.dispose(), server.dispose()]),
  };
}

/** Builds, unless the folder holds just this already. */
export async function buildWhenStale(mode: BuildMode, outFolder: string): Promise<void> {
  if (!(await isBuiltFrom(outFolder, await stampOf(mode)))) await build(mode, outFolder);
}

async function copyStaticFiles(publicFolder: string, media: readonly PublishedFile[]): Promise<void> {
  await cp('client/public', publicFolder, { recursive: true });
  for (const font of FONTS) {
    await cp(`node_modules/${font}/LICENSE`, join(publicFolder, 'licences', `${basename(font)}.txt`));
  }
  for (const { from, to } of media) await cp(from, join(publicFolder, to));
}

function browserOptions(mode: BuildMode, publicFolder: string) {
  return {
    entryPoints: Object.values(BROWSER_ENTRIES),
    outdir: publicFolder,
    publicPath: '/',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: BROWSERS,
    entryNames: 'static/[ext]/[name]-[hash]',
    chunkNames: 'static/js/[name]-[hash].chunk',
    assetNames: 'static/media/[name]-[hash]',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
    minify: mode === 'production',
    banner: { js: COMPILE_HINT },
    legalComments: 'linked',
    sourcemap: mode === 'development',
    loader: { '.woff2': 'file' },
    plugins: mode === 'production' ? [unwrapReact] : [],
    metafile: true,
    logLevel: 'warning',
  } satisfies BuildOptions;
}

/** With its packages in it, a program keeps its budget of one second to the first registration answered. */
function serverOptions(mode: BuildMode, outFolder: string): BuildOptions {
  return {
    entryPoints: SERVER_ENTRIES,
    outdir: outFolder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Built by nobody here, and not in the image: who asks for it does without.
    external: ['msgpackr-extract'],
    chunkNames: 'chunks/[name]-[hash]',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
    banner: { js: COMMON_JS_LOADER },
    minifySyntax: mode === 'production',
    minifyWhitespace: mode === 'production',
    legalComments: 'linked',
    sourcemap: true,
    // A process keeps its maps in memory; for the places in a stack they need not hold the code.
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [unmappedPackages],
  };
}
