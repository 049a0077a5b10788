import { ContentProblems } from '#scripts/content/problems.ts';
import { isBuiltFrom, stampBuild, stampOf } from './build-stamp.ts';

const COMPILED_FOLDER = 'shared/content/compiled';
const SOURCES = ['shared', 'scripts/content', 'package-lock.json'];

/**
 * Compiles the content, unless that was done since it changed last. Tells an author what is wrong, and ends the program.
 * @param draft whether the social card may show what has changed since it was drawn
 */
export async function compileWhenStale({ draft }: { draft: boolean }): Promise<void> {
  const stamp = await stampOf(draft ? 'draft content' : 'content', SOURCES);
  if (await isBuiltFrom(COMPILED_FOLDER, stamp)) return;
  // Loaded only when there is something to do: it reads YAML, HTML and pictures.
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
