import { type JSXAttribute, type MemberExpression, parseSync, Visitor } from 'oxc-parser';
import { entriesBelow, isFeature } from './compat-data.ts';

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

collectScriptNames();
collectAttributes();

/**
 * The features that a script of the browser uses, each as the names that it can have in the compatibility data: of a method,
 * one for each object that has a method so called.
 * @throws {Error} when the text cannot be parsed
 */
export function featuresOfScript(file: string, text: string): string[][] {
  const found: (string[] | undefined)[] = [];
  const keepGlobal = ({ name }: { name: string }) => {
    found.push(globals.get(name));
  };
  const keepMember = (expression: MemberExpression) => {
    const member = memberOf(expression);
    const owner = expression.object.type === 'Identifier' ? expression.object.name : '';
    found.push(statics.get(`${owner}.${member}`) ?? members.get(member));
  };
  const keepLookbehind = (literal: object) => {
    const isRegExp = 'regex' in literal && 'raw' in literal;
    if (isRegExp && /\(\?<[!=]/.test(String(literal.raw))) {
      found.push(['javascript.regular_expressions.lookbehind_assertion']);
    }
  };
  const visitor = new Visitor({
    Identifier: keepGlobal,
    MemberExpression: keepMember,
    Literal: keepLookbehind,
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
  const keepAttribute = ({ name }: JSXAttribute) => {
    if (name.type === 'JSXIdentifier') found.push(attributes.get(name.name.toLowerCase()));
  };
  new Visitor({ JSXAttribute: keepAttribute }).visit(parsed(file, text));
  return found.filter((ids) => ids !== undefined);
}

function parsed(file: string, text: string) {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);
  return program;
}

function memberOf({ computed, property }: MemberExpression): string {
  if (property.type === 'Literal') return String(property.value);
  return !computed && property.type === 'Identifier' ? property.name : '';
}

function collectScriptNames(): void {
  const owners = ['api', 'javascript.builtins', 'javascript.builtins.Intl'].flatMap(entriesBelow);
  for (const [owner, ownerId] of owners) {
    add(globals, owner, ownerId);
    for (const [name, id] of entriesBelow(ownerId)) {
      // A constructor has the name of its interface; events are no names in a script.
      if (name === owner || name.endsWith('_event')) continue;
      const isStatic = name.endsWith('_static');
      const member = isStatic ? name.slice(0, -'_static'.length) : name;
      if (isStatic || id.startsWith('javascript.')) add(statics, `${owner}.${member}`, id);
      if (!isStatic) add(members, member, id);
      if (GLOBAL_OBJECTS.includes(owner)) add(globals, member, id);
    }
  }
}

function collectAttributes(): void {
  const elements = entriesBelow('html.elements').map(([, id]) => id);
  for (const [name, id] of ['html.global_attributes', ...elements].flatMap(entriesBelow)) {
    add(attributes, name.toLowerCase(), id);
  }
}

function add(names: Names, name: string, id: string): void {
  if (isFeature(id)) names.set(name, [...(names.get(name) ?? []), id]);
}
