import { type CssNode, type Declaration, parse, walk } from 'css-tree';
import { features } from './judge-features.ts';

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
