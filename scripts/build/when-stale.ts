import { ContentProblems } from '#scripts/content/problems.ts';
import { isBuiltFrom, stampBuild, stampOf } from './build-stamp.ts';
import type { BuildMode } from './bundles.ts';

// The compiler and the builder are loaded only when there is work for them: they load parsers for YAML, HTML
// and pictures.

const COMPILED_FOLDER = 'shared/content/compiled';
const SOURCES = ['shared', 'scripts/content', 'package-lock.json'];

/**
 * Compiles the content, unless it has not changed since it was last compiled. If it cannot be compiled,
 * prints what the author has to correct and exits.
 * @param draft whether the social card may be outdated
 */
export async function compileWhenStale({ draft }: { draft: boolean }): Promise<void> {
  const stamp = await stampOf(draft ? 'draft content' : 'content', SOURCES);
  if (await isBuiltFrom(COMPILED_FOLDER, stamp)) return;
  const { compileContent } = await import('#scripts/content/compile-content.ts');
  try {
    await compileContent({ draft });
    await stampBuild(COMPILED_FOLDER, stamp);
  } catch (error) {
    if (!(error instanceof ContentProblems)) throw error;
    console.error(`The content cannot be built:\n${error.message}`);
    process.exit(1);
  }
}

/**
 * Builds, unless the folder already holds a build of the same sources. In development it always builds, so
 * that the next change can be built incrementally.
 */
export async function buildWhenStale(mode: BuildMode, outFolder: string): Promise<void> {
  if (mode === 'production' && (await isBuiltFrom(outFolder, await stampOf(mode)))) return;
  const { build } = await import('./build.ts');
  await build(mode, outFolder);
}
