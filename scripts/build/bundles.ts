import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, context, type Metafile, type Plugin } from 'esbuild';
import { COMPILED_FOLDER } from '#scripts/content/compile-content.ts';
import { LOADER_ENTRY, PLACE_ENTRY, SCRIPT_ENTRIES, STYLE_ENTRIES } from './manifest.ts';
import { browserTargets } from './oldest-browsers.ts';
import { unmappedPackages } from './unmapped-packages.ts';
import { unwrapReact } from './unwrap-react.ts';

export type BuildMode = 'development' | 'production';

/** The programs in `dist/`, by name. */
const PROGRAM_ENTRIES = {
  'start-app': 'server/start-app.ts',
  'start-worker': 'server/start-worker.ts',
  'check-health': 'server/ops/check-health.ts',
  support: 'server/support/main.ts',
};
/**
 * CommonJS packages load Node's built-in modules with `require`, which an ES module has to create for itself.
 */
const COMMON_JS_LOADER =
  "import { createRequire as commonJsLoader } from 'node:module'; const require = commonJsLoader(import.meta.url);";

/**
 * Lets a browser with V8 compile a file while it loads, off the main thread, instead of each function when it is first
 * called. Budget: TBT below 60 ms on the throttled phone.
 * @see https://v8.dev/blog/explicit-compile-hints
 */
const COMPILE_HINT = '//# allFunctionsCalledOnLoad';

/**
 * All bundles: those for browsers go into the public folder, those for Node into the folder that contains it.
 */
export interface Bundles {
  /** Rebuilds the bundles whose files have changed; returns esbuild's description of all output files. */
  make(): Promise<Metafile['outputs']>;
  dispose(): Promise<void>;
}

export async function startBundles(
  mode: BuildMode,
  outFolder: string,
  publicFolder: string,
): Promise<Bundles> {
  const forBrowsers = browserOptions(mode, publicFolder);
  const forNode = nodeOptions(mode, outFolder);
  const bundles = await Promise.all([
    startBundle({ ...forBrowsers, entryPoints: [LOADER_ENTRY], splitting: false }),
    startBundle({ ...forBrowsers, entryPoints: [PLACE_ENTRY], splitting: false }),
    startBundle({ ...forBrowsers, entryPoints: Object.values(SCRIPT_ENTRIES) }),
    startBundle({ ...forBrowsers, entryPoints: Object.values(STYLE_ENTRIES) }),
    startBundle({ ...forNode, entryPoints: PROGRAM_ENTRIES, plugins: [contentApart, unmappedPackages] }),
    startBundle(contentOptions(outFolder)),
  ]);
  return {
    async make() {
      const made = await Promise.all(bundles.map((bundle) => bundle.make()));
      return Object.assign({}, ...made.map(({ outputs }) => outputs));
    },
    async dispose() {
      await Promise.all(bundles.map((bundle) => bundle.dispose()));
    },
  };
}

async function startBundle(options: BuildOptions) {
  const { rebuild, dispose } = await context<BuildOptions & { metafile: true }>({
    ...options,
    metafile: true,
  });
  let made: { metafile: Metafile; at: number } | undefined;
  return {
    dispose,
    async make(): Promise<Metafile> {
      if (made && (await isUnchangedSince(made.at, made.metafile))) return made.metafile;
      const at = Date.now();
      const { metafile } = await rebuild();
      made = { metafile, at };
      return metafile;
    },
  };
}

/** Whether no file of this project that is in a bundle has changed since a moment. */
async function isUnchangedSince(moment: number, { inputs }: Metafile): Promise<boolean> {
  const files = Object.keys(inputs).filter((path) => !path.startsWith('node_modules/'));
  const unchanged = files.map((path) =>
    stat(path).then(
      ({ ctimeMs }) => ctimeMs < moment,
      () => false,
    ),
  );
  return !(await Promise.all(unchanged)).includes(false);
}

function browserOptions(mode: BuildMode, publicFolder: string): BuildOptions {
  return {
    outdir: publicFolder,
    publicPath: '/',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: browserTargets,
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
    logLevel: 'warning',
  };
}

/**
 * Each program contains its packages. Budget: one second from the start to the first registration answered.
 */
function nodeOptions(mode: BuildMode, outFolder: string): BuildOptions {
  return {
    outdir: outFolder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // An optional native package that is never compiled here and is not in the image: msgpackr works without
    // it.
    external: ['msgpackr-extract'],
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
    banner: { js: COMMON_JS_LOADER },
    minifySyntax: mode === 'production',
    minifyWhitespace: mode === 'production',
    legalComments: 'linked',
    sourcemap: true,
    // A process keeps its source maps in memory; the positions in a stack trace need no source code.
    sourcesContent: false,
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
 * programs' packages are not bundled again when a word changes: `npm run dev` shows the change within a
 * second.
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
