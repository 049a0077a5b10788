import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, context, type Metafile, type Plugin } from 'esbuild';
import { COMPILED_FOLDER } from '#scripts/content/read.ts';

/**
 * What esbuild writes for. `browserslist` in package.json names the oldest supported browsers; a Safari one version older
 * still gets the layout, for the same bytes.
 */
const BROWSER_TARGETS = ['chrome111', 'edge111', 'firefox128', 'safari16', 'ios16'];

export type BuildMode = 'development' | 'production';

/** The landing page's script. */
export const PAGE_ENTRY = 'client/entry.client.ts';

export const STYLE_ENTRIES = {
  style: 'client/styles/main.css',
  laterStyle: 'client/styles/later.css',
  /** The whole style sheet of the plain pages: errors, terms, and the pages about the site. */
  plainStyle: 'client/styles/plain.css',
  ownPageStyle: 'client/styles/own-page.css',
  officeStyle: 'client/styles/office.css',
};

const PROGRAM_ENTRIES = {
  'start-app': 'server/start-app.ts',
  'start-worker': 'server/start-worker.ts',
  'check-health': 'server/ops/check-health.ts',
  support: 'server/office/terminal/main.ts',
};
/**
 * CommonJS packages load Node's built-in modules with `require`, which an ES module has to create for itself.
 */
const COMMON_JS_LOADER =
  "import { createRequire as commonJsLoader } from 'node:module'; const require = commonJsLoader(import.meta.url);";

/**
 * Lets a browser with V8 compile a file while it loads, off the main thread, instead of each function when it is first
 * called. Budget: tbt.
 * @see https://v8.dev/blog/explicit-compile-hints
 */
const COMPILE_HINT = '//# allFunctionsCalledOnLoad';

export type Bundles = Awaited<ReturnType<typeof startBundles>>;

/** Prepares all bundles: those for browsers go into the public folder, those for Node into the folder that contains it. */
export async function startBundles(mode: BuildMode, outFolder: string, publicFolder: string) {
  const forBrowsers = browserOptions(mode, publicFolder);
  const bundles = await Promise.all(
    [
      { ...forBrowsers, entryPoints: [PAGE_ENTRY] },
      { ...forBrowsers, entryPoints: Object.values(STYLE_ENTRIES) },
      nodeOptions(mode, outFolder),
      contentOptions(outFolder),
    ].map(startBundle),
  );
  return {
    /** Rebuilds all bundles, incrementally; returns esbuild's description of all output files. */
    async make(): Promise<Metafile['outputs']> {
      return Object.assign({}, ...(await Promise.all(bundles.map(({ make }) => make()))));
    },
    async dispose(): Promise<void> {
      await Promise.all(bundles.map(({ dispose }) => dispose()));
    },
  };
}

/** A bundle that is made again once a file in it has changed; that of the content, which may get new files, always. */
async function startBundle(options: BuildOptions) {
  const { rebuild, dispose } = await context({ ...options, metafile: true });
  let made: Metafile = { inputs: {}, outputs: {} };
  let madeAt = 0;
  const make = async (): Promise<Metafile['outputs']> => {
    const inputs = Object.keys(made.inputs).map((path) => stat(path).catch(() => undefined));
    const isStale = (await Promise.all(inputs)).some((file) => file && file.mtimeMs >= madeAt);
    if (madeAt > 0 && !isStale && options.outbase !== COMPILED_FOLDER) return made.outputs;
    madeAt = Date.now();
    made = (await rebuild()).metafile;
    return made.outputs;
  };
  return { dispose, make };
}

function browserOptions(mode: BuildMode, publicFolder: string): BuildOptions {
  return {
    outdir: publicFolder,
    publicPath: '/',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: BROWSER_TARGETS,
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
    logLevel: 'warning',
  };
}

/**
 * Each program contains its packages. Budget: one second from the start to the first registration answered.
 */
function nodeOptions(mode: BuildMode, outFolder: string): BuildOptions {
  return {
    entryPoints: PROGRAM_ENTRIES,
    outdir: outFolder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // All are optional and not in the image: SQLite's is for Node 20 and loads its native part from its own folder, msgpackr
    // and pg work without theirs.
    external: ['@photostructure/sqlite', 'msgpackr-extract', 'pg-native'],
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
    banner: { js: COMMON_JS_LOADER },
    legalComments: 'linked',
    // Not minified, so that a stack trace names its functions without a source map, which takes 30 MB of a process.
    plugins: [contentApart],
    logLevel: 'warning',
  };
}

const CONTENT_FOLDER = 'content';

/** Each module of the content becomes a file of its own. */
function contentOptions(outFolder: string): BuildOptions {
  return {
    entryPoints: [`${COMPILED_FOLDER}/**/*.ts`],
    outbase: COMPILED_FOLDER,
    outdir: join(outFolder, CONTENT_FOLDER),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  };
}

/**
 * Leaves the compiled content out of the programs, which import it from its own folder beside them. So the
 * programs' packages are not bundled again when a word changes.
 */
const contentApart: Plugin = {
  name: 'content-apart',
  setup(build) {
    build.onResolve({ filter: /\/compiled\/.+\.ts$/ }, ({ path }) => ({
      path: path.replace(/^.*\/compiled\/(.+)\.ts$/, `./${CONTENT_FOLDER}/$1.js`),
      external: true,
    }));
  },
};
