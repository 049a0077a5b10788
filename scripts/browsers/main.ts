import { relative } from 'node:path';
import { build } from 'esbuild';
import { browserTargets, STYLE_ENTRIES } from '#scripts/build/bundles.ts';
import { readSources } from '#scripts/imports/check-imports.ts';
import { headScript } from '#shared/head/head-script.ts';
import { FALLBACKS, OWN_NAMES } from './exceptions.ts';
import { featuresOfMarkup, featuresOfScript, featuresOfStyle, judgeFeatures, type Use } from './features.ts';

const NOT_IN_BROWSERS = /\.(test|spec)\.tsx?$|\/(e2e|testing|compiled)\//;

const uses = [
  ...(await usesInStyles()),
  // Our own scripts; esbuild rewrites younger syntax, and a package states for itself which browsers it supports.
  ...usesIn({ ...sourcesIn('client', 'shared'), 'shared/head/head-script.js': headScript }, featuresOfScript),
  ...usesIn(sourcesIn('client', 'server'), featuresOfMarkup),
];
const problems = judgeFeatures(uses, { fallbacks: FALLBACKS, ownNames: OWN_NAMES });
if (problems.length > 0) {
  const says = 'Use something older, or write a fallback and list it in scripts/browsers/exceptions.ts.';
  console.error([...problems, says].join('\n'));
  process.exitCode = 1;
} else console.log(`Checked ${uses.length} uses of features for ${browserTargets.join(', ')}.`);

/** The style sheets as browsers get them: esbuild rewrites nesting, ranges in media queries and more. */
async function usesInStyles(): Promise<Use[]> {
  const { outputFiles } = await build({
    entryPoints: Object.values(STYLE_ENTRIES),
    outdir: '.',
    bundle: true,
    write: false,
    target: browserTargets,
    loader: { '.woff2': 'empty' },
  });
  return outputFiles.flatMap(({ path, text }) =>
    [...featuresOfStyle(text)].map((id) => ({ file: relative(process.cwd(), path), ids: [id] })),
  );
}

function usesIn(sources: Record<string, string>, featuresOf: typeof featuresOfScript): Use[] {
  return Object.entries(sources).flatMap(([file, text]) =>
    featuresOf(file, text).map((ids) => ({ file, ids })),
  );
}

function sourcesIn(...folders: string[]): Record<string, string> {
  const sources = Object.entries(readSources(folders));
  return Object.fromEntries(sources.filter(([file]) => !NOT_IN_BROWSERS.test(file)));
}
