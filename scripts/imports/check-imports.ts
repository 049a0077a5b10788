import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/**
 * What may import what. A room is a group of files, named by its patterns: `*` matches any part of a name, `**` also any
 * folders. A file belongs to the room with the longest pattern that matches it. Patterns in a text are separated by spaces
 * or line breaks. Tests may import everything but tests.
 */
export interface Walls {
  /**
   * From the top down: the files that a room may import besides its own, all of them in rooms below it, so that there are
   * no cycles between rooms.
   */
  readonly rooms: Readonly<Record<string, string>>;
  /** Rooms whose files may not import each other either. */
  readonly apart: readonly string[];
  /** The only packages of a room; the others may import all but those in `keptPackages`. */
  readonly roomPackages: Readonly<Record<string, string>>;
  /** Packages, or `node:*`, that only some files may import. */
  readonly keptPackages: Readonly<Record<string, string>>;
}

const SOURCE_FILE = /\.(m?js|tsx?)$/;
const TEST_FILE = /\.(?:test|spec)\.tsx?$/;
const PACKAGE = /^(?:@[^/]+\/)?[^/]+/;

/** The texts of all source files below some folders of this project, by their paths. */
export function readSources(folders: readonly string[]): Record<string, string> {
  const entries = folders.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }));
  const files = entries.filter((entry) => entry.isFile() && SOURCE_FILE.test(entry.name));
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'utf8')]));
}

/**
 * What is wrong with the imports of some files: a sentence for each. Imports of types count like all others; a dynamic
 * import of a computed name does not. Biome finds cycles of files (`noImportCycles`), TypeScript what does not exist.
 * @throws {Error} when a file cannot be parsed
 */
export function judgeImports(sources: Readonly<Record<string, string>>, walls: Walls): string[] {
  return Object.entries(sources).flatMap(([file, text]) =>
    specifiersIn(file, text).flatMap((specifier) => {
      const rule = brokenRule(file, specifier, walls);
      return rule ? [`${file} imports ${specifier}: ${rule}`] : [];
    }),
  );
}

function specifiersIn(file: string, text: string): string[] {
  const { errors, program } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);
  const found: string[] = [];
  const keep = ({ source }: { source: object | null }): void => {
    if (source && 'value' in source && typeof source.value === 'string') found.push(source.value);
  };
  new Visitor({
    ImportDeclaration: keep,
    ExportNamedDeclaration: keep,
    ExportAllDeclaration: keep,
    ImportExpression: keep,
    TSImportType: keep,
  }).visit(program);
  return found;
}

function brokenRule(file: string, specifier: string, walls: Walls): string | undefined {
  const isTest = TEST_FILE.test(file);
  const name = nameOfRoom(file, walls);
  if (!name && !isTest) return 'No rule holds this file: give its folder a line in scripts/imports/walls.ts.';
  if (!/^[./#]/.test(specifier)) return isTest ? undefined : ruleOfPackages(file, specifier, walls);
  if (specifier.split('/').includes('..'))
    return 'Across folders write #client/, #server/, #shared/ or #scripts/.';
  const folder = posix.dirname(file);
  const target = specifier.startsWith('#') ? specifier.slice(1) : posix.join(folder, specifier);
  if (specifier.startsWith(`#${folder}/`)) return 'Inside a folder, and below it, write ./.';
  if (TEST_FILE.test(target)) return 'Nothing imports a test.';
  return isTest ? undefined : ruleOfFiles(file, target, walls);
}

function ruleOfFiles(file: string, target: string, walls: Walls): string | undefined {
  const [name = '', other] = [nameOfRoom(file, walls), nameOfRoom(target, walls)];
  const isApart = walls.apart.includes(name);
  if (name === other && !isApart) return undefined;
  const may = listed(walls.rooms[name]);
  if (!may.some((pattern) => matches(pattern, target)))
    return `${name} may import ${[...may, ...(isApart ? [] : ['itself'])].join(', ')}, and no other file.`;
  const order = Object.keys(walls.rooms);
  if (other && order.indexOf(other) < order.indexOf(name)) return `${other} does not stand below ${name}.`;
  return undefined;
}

function ruleOfPackages(file: string, specifier: string, walls: Walls): string | undefined {
  const imported = isBuiltin(specifier)
    ? `node:${specifier.replace(/^node:/, '')}`
    : (PACKAGE.exec(specifier)?.[0] ?? specifier);
  const name = nameOfRoom(file, walls) ?? '';
  const only = walls.roomPackages[name];
  if (only !== undefined && !listed(only).includes(imported))
    return `${name} may import ${only || 'no package'}, and no other package.`;
  const broken = Object.entries(walls.keptPackages).find(
    ([kept, files]) => matches(kept, imported) && !listed(files).some((pattern) => matches(pattern, file)),
  );
  return broken && `Only ${listed(broken[1]).join(', ')} may import ${broken[0]}.`;
}

function nameOfRoom(file: string, { rooms }: Walls): string | undefined {
  const holding = Object.keys(rooms).flatMap((room) =>
    listed(room).flatMap((pattern) => (matches(pattern, file) ? [{ room, pattern }] : [])),
  );
  return holding.sort((one, other) => other.pattern.length - one.pattern.length)[0]?.room;
}

const listed = (words = ''): string[] => words.split(/\s+/).filter(Boolean);

function matches(pattern: string, file: string): boolean {
  const source = pattern.replaceAll('.', '\\.').replace(/\*+/g, (stars) => (stars === '*' ? '[^/]*' : '.*'));
  return new RegExp(`^${source}$`).test(file);
}
