import bcd, {
  type Identifier,
  type SimpleSupportStatement,
  type SupportBlock,
} from '@mdn/browser-compat-data/forLegacyNode';
import { type CssNode, type Declaration, parse, walk } from 'css-tree';
import { parseSync, Visitor } from 'oxc-parser';
import { oldestBrowsers } from '#scripts/build/bundles.ts';

// `forLegacyNode` reads the data as a file: Node 20 imports JSON only with an attribute that bundled tests lose.

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

/** Objects whose members are globals. */
const GLOBAL_OBJECTS = ['Window', 'WorkerGlobalScope'];

/** What a name can mean: entries of the compatibility data. */
type Names = Map<string, string[]>;

/** The interfaces, functions and objects that scripts use by their own name. */
const globals: Names = new Map();
/** Methods and properties: which object has them in a script is not known. */
const members: Names = new Map();
/** Members of constructors and namespaces, such as `Promise.withResolvers`. */
const statics: Names = new Map();
/** Attributes of elements, in small letters. */
const attributes: Names = new Map();

function add(names: Names, name: string, id: string): void {
  names.set(name, [...(names.get(name) ?? []), id]);
}

for (const id of features.keys()) {
  const [, builtIn = '', owner = '', member, deeper] =
    /^(?:api|(javascript)\.builtins(?:\.Intl)?)\.([^.]+)(?:\.([^.]+))?(\.)?/.exec(id) ?? [];
  const [, attribute] = /^html\.(?:global_attributes|elements\.[^.]+)\.([^.]+)$/.exec(id) ?? [];
  if (attribute) add(attributes, attribute.toLowerCase(), id);
  if (owner && !member) add(globals, owner, id);
  // A constructor has the name of its interface; events are no names in a script.
  if (!member || deeper || member === owner || member.endsWith('_event')) continue;
  const isStatic = member.endsWith('_static');
  const name = member.replace(/_static$/, '');
  if (isStatic || builtIn) add(statics, `${owner}.${name}`, id);
  if (!isStatic) add(members, name, id);
  if (GLOBAL_OBJECTS.includes(owner)) add(globals, name, id);
}

/**
 * The features that a script of the browser uses, each as the names that it can have in the compatibility data: of a method,
 * one for each object that has a method so called.
 * @throws {Error} when the text cannot be parsed
 */
export function featuresOfScript(file: string, text: string): string[][] {
  const found: (string[] | undefined)[] = [];
  const visitor = new Visitor({
    Identifier({ name }) {
      found.push(globals.get(name));
    },
    MemberExpression({ object, computed, property }) {
      const owner = object.type === 'Identifier' ? object.name : '';
      const plain = !computed && property.type === 'Identifier' ? property.name : '';
      const member = property.type === 'Literal' ? String(property.value) : plain;
      found.push(statics.get(`${owner}.${member}`) ?? members.get(member));
    },
    Literal(literal) {
      const isRegExp = 'regex' in literal && 'raw' in literal;
      if (isRegExp && /\(\?<[!=]/.test(String(literal.raw)))
        found.push(['javascript.regular_expressions.lookbehind_assertion']);
    },
  });
  visitor.visit(parsed(file, text));
  return found.filter((ids) => ids !== undefined);
}

/**
 * The attributes of HTML in a component, in the same form.
 * @throws {Error} when the text cannot be parsed
 */
export function featuresOfMarkup(file: string, text: string): string[][] {
  const found: (string[] | undefined)[] = [];
  const visitor = new Visitor({
    JSXAttribute({ name }) {
      if (name.type === 'JSXIdentifier') found.push(attributes.get(name.name.toLowerCase()));
    },
  });
  visitor.visit(parsed(file, text));
  return found.filter((ids) => ids !== undefined);
}

function parsed(file: string, text: string) {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);
  return program;
}

/** At-rules with properties of their own, which are called descriptors. */
const WITH_DESCRIPTORS = ['font-face', 'page'];

/**
 * The features of CSS that a style sheet uses, by their names in the compatibility data. What a condition of `@supports`
 * asks for is not used by that.
 * @throws {SyntaxError} when the sheet cannot be parsed
 */
export function featuresOfStyle(text: string): Set<string> {
  const found = new Set<string>();
  walk(parse(text, { parseCustomProperty: true }), function (node) {
    if (node.type === 'Condition' && node.kind === 'supports') return this.skip;
    const ids = node.type === 'Declaration' ? inDeclaration(node, this.atrule?.name) : inNode(node);
    for (const id of ids) if (features.has(id)) found.add(id);
    return undefined;
  });
  return found;
}

function inNode(node: CssNode): string[] {
  switch (node.type) {
    case 'PseudoClassSelector':
    case 'PseudoElementSelector':
      return [`css.selectors.${node.name}`];
    case 'NestingSelector':
      return ['css.selectors.nesting'];
    case 'Atrule':
      return [`css.at-rules.${node.name}`];
    case 'Feature':
      return [`css.at-rules.media.${node.name.replace(/^(min|max)-/, '')}`];
    case 'FeatureRange':
      return ['css.at-rules.media.range_syntax'];
    case 'Condition':
      // `not (hover)` came with `or`, unlike `not all and (hover)`.
      return node.children.some((child) => child.type === 'Identifier' && ['not', 'or'].includes(child.name))
        ? ['css.at-rules.media.or_syntax']
        : [];
    default:
      return [];
  }
}

function inDeclaration({ property, value }: Declaration, atRule = ''): string[] {
  const place = WITH_DESCRIPTORS.includes(atRule) ? `css.at-rules.${atRule}` : 'css.properties';
  const ids = [`${place}.${property}`];
  walk(value, (node) => {
    if (node.type === 'Identifier') ids.push(`${place}.${property}.${node.name}`);
    else if (node.type === 'Function') ids.push(...(functions.get(node.name) ?? []));
    else if (node.type === 'Dimension') ids.push(`css.types.length.${unitNamed(node.unit)}`);
  });
  return ids;
}

/** The entries of functions: below `css.types`, at any depth. */
const functions = new Map<string, string[]>();
for (const id of features.keys()) {
  const name = id.slice(id.lastIndexOf('.') + 1);
  if (id.startsWith('css.types.')) functions.set(name, [...(functions.get(name) ?? []), id]);
}

/** The data has one entry for all units of a kind, such as `svh` and `svw`. */
function unitNamed(unit: string): string {
  const kind = /^(?:([sld])v|cq)(?:w|h|i|b|min|max)$/.exec(unit);
  if (!kind) return unit;
  const sizes = { s: 'small', l: 'large', d: 'dynamic' };
  const size = Object.entries(sizes).find(([letter]) => letter === kind[1])?.[1];
  return size === undefined ? 'container_query_length_units' : `viewport_percentage_units_${size}`;
}
