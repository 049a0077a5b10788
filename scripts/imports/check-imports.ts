import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix, relative, resolve } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { ResolverFactory } from 'oxc-resolver';

/**
 * A group of files, by a pattern: `*` matches any part of a name, `**` also any folders. A file belongs to the room with
 * the longest pattern that matches it. The patterns of what a room may import are separated by spaces or line breaks.
 */
export interface Room {
  /** The files that it may import, from rooms further down in the list. */
  readonly may: string;
  /** Whether its files may not import each other either. */
  readonly apart?: boolean;
  /** The only packages that it may import; by default all packages except those in `keptPackages`. */
  readonly packages?: string;
}

export interface Walls {
  /** From the top down: a room imports only from rooms below it, so that there are no cycles between rooms. */
  readonly rooms: Readonly<Record<string, Room | string>>;
  /** Packages, or `node:*`, that only some files may import. Tests may import all. */
  readonly keptPackages: Readonly<Record<string, string>>;
}

/** One import of one file. Paths are relative to the project's root, with `/`. */
interface Import {
  readonly file: string;
  readonly line: number;
  /** The specifier, as written in the file. */
  readonly specifier: string;
  /** Whether it is a type in an expression, `import('…').Name`, which Biome's search for cycles does not see. */
  readonly inExpression: boolean;
  /** The file to which it resolves, if that file belongs to the project. */
  readonly target?: string;
  /** The package, or the built-in module with its `node:`. */
  readonly package?: string;
}

const SOURCE_FILE = /\.(m?js|tsx?)$/;
const TEST_FILE = /\.(?:test|spec)\.tsx?$/;
const PACKAGE_OF_PATH = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*\/node_modules\/)/;
const PACKAGE_OF_SPECIFIER = /^(?:@[^/]+\/)?[^/]+/;

/** All source files below the named folders of `root`. */
export function sourceFiles(root: string, folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && SOURCE_FILE.test(entry.name))
    .map((entry) => inProject(root, join(entry.parentPath, entry.name)))
    .sort();
}

/**
 * The imports of `files`, each resolved as Node does it: static imports, re-exports, dynamic imports and
 * imports of types only, in all their spellings. A dynamic import with a computed specifier is left out.
 *
 * @throws when a file cannot be parsed, or an import of it resolves to nothing
 */
export function readImports(root: string, files: readonly string[]): Import[] {
  const resolver = new ResolverFactory({ extensions: ['', '.ts', '.tsx', '.mjs', '.js', '.json'] });
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return specifiersIn(file, text).map(({ specifier, start, inExpression }) => {
      const line = text.slice(0, start).split('\n').length;
      return { file, line, specifier, inExpression, ...resolved(resolver, root, file, specifier) };
    });
  });
}

function specifiersIn(file: string, text: string) {
  const { errors, module, program } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);
  const statements = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest),
    ...module.staticExports.flatMap(({ entries: [entry] }) => entry?.moduleRequest ?? []),
  ];
  const found = statements.map(({ value, start }) => ({ specifier: value, start, inExpression: false }));
  for (const { moduleRequest } of module.dynamicImports) {
    const { start, end } = moduleRequest;
    const specifier = /^(['"`])([^$]*)\1$/.exec(text.slice(start, end))?.[2];
    if (specifier !== undefined) found.push({ specifier, start, inExpression: false });
  }
  const keepType = ({ source: { value, start } }: { source: { value: string; start: number } }) => {
    found.push({ specifier: value, start, inExpression: true });
  };
  // The syntax tree is read only if the text may contain such a type: reading it takes most of the time.
  if (/\bimport\(/.test(text)) new Visitor({ TSImportType: keepType }).visit(program);
  return found;
}

function resolved(resolver: ResolverFactory, root: string, file: string, specifier: string) {
  if (isBuiltin(specifier)) return { package: `node:${specifier.replace(/^node:/, '')}` };
  if (!/^[./#]/.test(specifier)) return { package: PACKAGE_OF_SPECIFIER.exec(specifier)?.[0] ?? specifier };
  const { path, error } = resolver.resolveFileSync(resolve(root, file), specifier);
  if (path === undefined) throw new Error(`${file} imports ${specifier}: ${error}`);
  const target = inProject(root, path);
  const inPackage = PACKAGE_OF_PATH.exec(target)?.[1];
  return inPackage === undefined ? { target } : { package: inPackage };
}

const inProject = (root: string, path: string): string => relative(root, path).replaceAll('\\', '/');

/** What is wrong with these imports: a sentence each, with file, import, and the rule. Biome finds cycles of files. */
export function judgeImports(imports: readonly Import[], walls: Walls): string[] {
  return imports.flatMap((found) => {
    const { file, line, specifier, target } = found;
    const rule = ruleOfFiles(found, walls) ?? ruleOfPackages(found, walls) ?? ruleOfSpelling(found, walls);
    const shown = target === undefined || specifier === `#${target}` ? specifier : `${specifier} (${target})`;
    return rule ? [`${file}:${line} imports ${shown}: ${rule}`] : [];
  });
}

/** Reports rooms that may import something that is not below them in the list. */
export function outOfOrder({ rooms }: Walls): string[] {
  const names = Object.keys(rooms);
  const example = (pattern: string) => pattern.replace(/\*+/g, 'x');
  return names.flatMap((name, rank) =>
    listed(roomNamed(name, rooms).may)
      .filter((pattern) => {
        const reached = names.filter((other) => matches(pattern, example(other)));
        return [...reached, nameOfRoom(example(pattern), rooms) ?? name].some(
          (other) => names.indexOf(other) < rank,
        );
      })
      .map((pattern) => `${name} may import ${pattern}, which does not stand below it.`),
  );
}

function ruleOfFiles({ file, target }: Import, { rooms }: Walls): string | undefined {
  if (target !== undefined && TEST_FILE.test(target)) return 'Nothing imports a test.';
  if (TEST_FILE.test(file)) return undefined;
  const name = nameOfRoom(file, rooms);
  if (!name) return 'No rule holds this file: give its folder a line in scripts/imports/walls.ts.';
  const { apart, may } = roomNamed(name, rooms);
  if (target === undefined || (!apart && nameOfRoom(target, rooms) === name)) return undefined;
  if (listed(may).some((pattern) => matches(pattern, target))) return undefined;
  return `${name} may import ${[...listed(may), ...(apart ? [] : ['itself'])].join(', ')}, and no other file.`;
}

function ruleOfPackages({ file, package: imported }: Import, walls: Walls): string | undefined {
  if (imported === undefined || TEST_FILE.test(file)) return undefined;
  const name = nameOfRoom(file, walls.rooms) ?? '';
  const { packages } = roomNamed(name, walls.rooms);
  if (packages !== undefined && !listed(packages).includes(imported))
    return `${name} may import ${packages || 'no package'}, and no other package.`;
  for (const [kept, only] of Object.entries(walls.keptPackages)) {
    if (matches(kept, imported) && !listed(only).some((files) => matches(files, file)))
      return `Only ${listed(only).join(', ')} may import ${kept}.`;
  }
}

function ruleOfSpelling(
  { file, specifier, target, inExpression }: Import,
  { rooms }: Walls,
): string | undefined {
  if (target === undefined) return undefined;
  if (specifier.split('/').includes('..'))
    return 'Across folders write #client/, #server/, #shared/ or #scripts/.';
  if (specifier.startsWith('#') && target.startsWith(`${posix.dirname(file)}/`))
    return 'Inside a folder, and below it, write ./.';
  // Nothing imports a test, and between rooms there are no cycles.
  const mayBeInCycle = !TEST_FILE.test(file) && nameOfRoom(file, rooms) === nameOfRoom(target, rooms);
  if (inExpression && mayBeInCycle) return 'Inside a room, import a type by a statement: `import type`.';
}

function roomNamed(name: string, rooms: Walls['rooms']): Room {
  const room = rooms[name] ?? '';
  return typeof room === 'string' ? { may: room } : room;
}

function nameOfRoom(file: string, rooms: Walls['rooms']): string | undefined {
  const holding = Object.keys(rooms).filter((pattern) => matches(pattern, file));
  return holding.sort((one, other) => other.length - one.length)[0];
}

const listed = (words: string): string[] => words.split(/\s+/).filter(Boolean);

const expressions = new Map<string, RegExp>();

function matches(pattern: string, file: string): boolean {
  const source = pattern.replaceAll('.', '\\.').replace(/\*+/g, (stars) => (stars === '*' ? '[^/]*' : '.*'));
  const expression = expressions.get(pattern) ?? new RegExp(`^${source}$`);
  expressions.set(pattern, expression);
  return expression.test(file);
}
