import { ContentProblems } from '#scripts/content/problems.ts';
import { isBuiltFrom, stampBuild, stampOf } from './build-stamp.ts';
import type { BuildMode } from './bundles.ts';

// What compiles and builds is loaded only when there is something to do: it reads YAML, HTML and pictures.

const COMPILED_FOLDER = 'shared/content/compiled';
const SOURCES = ['shared', 'scripts/content', 'package-lock.json'];

/**
 * Compiles the content, unless that was done since it changed last. Tells an author what is wrong, and ends the program.
 * @param draft whether the social card may show what has changed since it was drawn
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
 * Builds, unless the folder holds just this already. In development it always builds: the next change then has only its
 * own part to build.
 */
export async function buildWhenStale(mode: BuildMode, outFolder: string): Promise<void> {
  if (mode === 'production' && (await isBuiltFrom(outFolder, await stampOf(mode)))) return;
  const { build } = await import('./build.ts');
  await build(mode, outFolder);
}
