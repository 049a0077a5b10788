import type { OnResolveArgs, OnResolveResult, PluginBuild, ResolveResult } from 'esbuild';

/** Marks a question of ours, which would be put to us again for ever. */
const ASKING = Symbol('asking');

interface Imports {
  /** What is imported, as it is written. */
  filter: RegExp;
  /** Which of these imports; all when it is missing. */
  which?: (asked: OnResolveArgs) => boolean;
}

/** Answers imports otherwise, by what they would lead to. */
export function onImport(
  build: PluginBuild,
  { filter, which = () => true }: Imports,
  answer: (found: ResolveResult) => OnResolveResult,
): void {
  build.onResolve({ filter }, async (asked) => {
    if (asked.pluginData === ASKING || !which(asked)) return undefined;
    const { path, kind, resolveDir } = asked;
    return answer(await build.resolve(path, { kind, resolveDir, pluginData: ASKING }));
  });
}

/** What loads later, of our own. */
export const dynamicImports: Imports = { filter: /^\./, which: ({ kind }) => kind === 'dynamic-import' };
