// `forLegacyNode` reads the data as a file: Node 20 imports JSON only with an attribute that bundled tests lose.
import bcd, {
  type Identifier,
  type SimpleSupportStatement,
  type SupportBlock,
} from '@mdn/browser-compat-data/forLegacyNode';
import { oldestBrowsers } from '#scripts/build/oldest-browsers.ts';

/** Which browser has which feature since when, by the feature's full name: `css.selectors.has`. */
export const features = new Map<string, SupportBlock>();

function collect(entry: Identifier, id: string): void {
  if (entry.__compat) features.set(id, entry.__compat.support);
  for (const name of Object.keys(entry)) {
    const part = name === '__compat' ? undefined : entry[name];
    if (part) collect(part, `${id}.${name}`);
  }
}
for (const area of ['api', 'css', 'html', 'javascript'] as const) collect(bcd[area], area);

/** The supported browsers that lack a feature, with their versions, such as `firefox 115`. */
function lackedBy(id: string): string[] {
  const support = features.get(id);
  const lacking = oldestBrowsers.filter(({ name, version }) => {
    const statements = [support?.[name] ?? []].flat();
    return support && !statements.some((statement) => holdsFor(statement, version));
  });
  return lacking.map(({ name, version }) => `${name} ${version}`);
}

/** Whether a version has a feature under its own name, and without a setting. */
function holdsFor(statement: SimpleSupportStatement, version: number): boolean {
  const { version_added: added, version_removed: removed, flags, prefix, alternative_name } = statement;
  if (added === false || flags || prefix || alternative_name) return false;
  return numberOf(added) <= version && !(removed !== undefined && numberOf(removed) <= version);
}

/** `preview` is younger than all versions; `≤13` means that nobody has looked at older ones. */
function numberOf(version: string): number {
  return version === 'preview' ? Number.POSITIVE_INFINITY : Number.parseFloat(version.replace('≤', ''));
}

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
