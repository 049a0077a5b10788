import { parseSync, Visitor } from 'oxc-parser';
import { entriesBelow, isFeature } from './judge-features.ts';

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
  if (isFeature(id)) names.set(name, [...(names.get(name) ?? []), id]);
}

const owners = ['api', 'javascript.builtins', 'javascript.builtins.Intl'].flatMap(entriesBelow);
for (const [owner, ownerId] of owners) {
  add(globals, owner, ownerId);
  for (const [name, id] of entriesBelow(ownerId)) {
    // A constructor has the name of its interface; events are no names in a script.
    if (name === owner || name.endsWith('_event')) continue;
    const isStatic = name.endsWith('_static');
    const member = name.replace(/_static$/, '');
    if (isStatic || id.startsWith('javascript.')) add(statics, `${owner}.${member}`, id);
    if (!isStatic) add(members, member, id);
    if (GLOBAL_OBJECTS.includes(owner)) add(globals, member, id);
  }
}
const elements = entriesBelow('html.elements').map(([, id]) => id);
for (const [name, id] of ['html.global_attributes', ...elements].flatMap(entriesBelow))
  add(attributes, name.toLowerCase(), id);

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
