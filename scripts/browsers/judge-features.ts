import { lackedBy } from './compat-data.ts';

/** A use of a feature in a file. */
export interface Use {
  file: string;
  /** The names that the feature can have in the compatibility data. */
  ids: readonly string[];
}

/** What may be used although a supported browser lacks it. */
export interface Exceptions {
  fallbacks: Readonly<Record<string, string>>;
  ownNames: ReadonlySet<string>;
}

/**
 * What is wrong: each feature in each file that a supported browser lacks and no exception covers, and each exception
 * that covers nothing. A name is taken for the oldest of the features that are called so.
 */
export function judgeFeatures(uses: readonly Use[], { fallbacks, ownNames }: Exceptions): string[] {
  const problems = new Set<string>();
  const unused = new Set([...Object.keys(fallbacks), ...ownNames]);
  for (const { file, ids } of uses) {
    const [first = ''] = ids;
    if (ids.some((id) => lackedBy(id).length === 0)) continue;
    const name = first.slice(first.lastIndexOf('.') + 1);
    const covered = [
      ...Object.keys(fallbacks).filter((key) => ids.some((id) => `${id}.`.startsWith(`${key}.`))),
      ...(ownNames.has(name) ? [name] : []),
    ];
    for (const key of covered) unused.delete(key);
    if (covered.length === 0) problems.add(`${file}: ${first} is missing in ${lackedBy(first).join(', ')}`);
  }
  return [...problems, ...[...unused].map((key) => `The exception ${key} is not needed: delete it`)];
}
