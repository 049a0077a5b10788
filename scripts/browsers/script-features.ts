import { parseSync, Visitor } from 'oxc-parser';
import { features } from './judge-features.ts';

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
