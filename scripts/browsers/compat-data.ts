// `forLegacyNode` reads the data as a file: Node 20 imports JSON only with an attribute that bundled tests lose.
import bcd, { type Identifier, type SimpleSupportStatement } from '@mdn/browser-compat-data/forLegacyNode';
import { oldestBrowsers } from '#scripts/build/oldest-browsers.ts';

/** Which browser has which feature since when, as a tree: `css`, in it `selectors`, in it `has`. */
export const compatData: Identifier = {
  api: bcd.api,
  css: bcd.css,
  html: bcd.html,
  javascript: bcd.javascript,
};

/** The entries directly below one, each by its full name: `css.selectors.has`. */
export function entriesBelow(id: string): (readonly [name: string, id: string])[] {
  return Object.keys(entryOf(id) ?? {})
    .filter((name) => name !== '__compat')
    .map((name) => [name, `${id}.${name}`]);
}

/** Whether the data has facts about browsers under this name. */
export const isFeature = (id: string): boolean => entryOf(id)?.__compat !== undefined;

/** The supported browsers that lack a feature, with their versions, such as `firefox 115`. */
export function lackedBy(id: string): string[] {
  const support = entryOf(id)?.__compat?.support;
  if (!support) return [];
  return oldestBrowsers
    .filter(({ name, version }) => {
      const statements = support[name] ?? [];
      return ![statements].flat().some((statement) => holdsFor(statement, version));
    })
    .map(({ name, version }) => `${name} ${version}`);
}

function entryOf(id: string): Identifier | undefined {
  return id
    .split('.')
    .reduce<Identifier | undefined>(
      (entry, name) => (entry && Object.hasOwn(entry, name) ? entry[name] : undefined),
      compatData,
    );
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
