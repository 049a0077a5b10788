import { posix } from 'node:path';
import { circlesIn, graphOf } from './circles.ts';
import type { Import } from './read-imports.ts';

/**
 * A group of files, and what they may import from other groups. `*` matches any part of a name, `**` also any
 * folders. A file belongs to the room with the longest pattern that matches it.
 */
export interface Room {
  readonly of: string;
  /** The files that it may import, from rooms further down in the list. */
  readonly may: readonly string[];
  /** Whether its files may not import each other either. */
  readonly apart?: boolean;
  /** The only packages that it may import; by default all packages except those in `keptPackages`. */
  readonly packages?: readonly string[];
  /** The rule in words, for a person who broke it. */
  readonly says: string;
}

/** A package, or `node:*`, that only some files may import. Tests may import all. */
export interface KeptPackage {
  readonly package: string;
  readonly only: readonly string[];
  readonly says: string;
}

export interface Walls {
  /**
   * From the top down: a room imports only from rooms below it, so that there are no cycles between rooms.
   */
  readonly rooms: readonly Room[];
  readonly keptPackages: readonly KeptPackage[];
}

const TEST_FILE = /\.(?:test|spec)\.tsx?$/;

/** What is wrong with these imports: a sentence each, with file, import, and the rule in words. */
export function judgeImports(imports: readonly Import[], walls: Walls): string[] {
  const problems = imports.flatMap((found) => {
    const rule =
      testRule(found) ?? roomRule(found, walls) ?? packageRule(found, walls) ?? spellingRule(found);
    return rule ? [`${found.file}:${found.line} imports ${described(found)}: ${rule}`] : [];
  });
  const edges = imports.flatMap(({ file, target }) =>
    target === undefined ? [] : [[file, target] as const],
  );
  const circles = circlesIn(graphOf(edges)).map((circle) => [...circle, circle[0]].join(' -> '));
  return [...problems, ...circles.map((circle) => `These files import each other, and must not: ${circle}`)];
}

/** Reports rooms that may import something that is not below them in the list. */
export function outOfOrder({ rooms }: Walls): string[] {
  const example = (pattern: string) => pattern.replace(/\*+/g, 'x');
  return rooms.flatMap(({ of, may }, rank) =>
    may
      .filter((pattern) => {
        const reached = rooms.filter((room) => isIn(pattern, example(room.of)));
        const nearest = roomOf(example(pattern), rooms);
        return [...reached, ...(nearest ? [nearest] : [])].some((room) => rooms.indexOf(room) < rank);
      })
      .map((pattern) => `${of} may import ${pattern}, which does not stand below it.`),
  );
}

function spellingRule({ file, specifier, target }: Import): string | undefined {
  if (target === undefined) return;
  if (specifier.split('/').includes('..'))
    return 'Across folders write #client/, #server/, #shared/ or #scripts/.';
  if (specifier.startsWith('#') && target.startsWith(`${posix.dirname(file)}/`)) {
    return 'Inside a folder, and below it, write ./.';
  }
}

function testRule({ target }: Import): string | undefined {
  if (target !== undefined && TEST_FILE.test(target)) return 'Nothing imports a test.';
}

function roomRule({ file, target }: Import, { rooms }: Walls): string | undefined {
  if (TEST_FILE.test(file)) return;
  const room = roomOf(file, rooms);
  if (!room) return 'No rule holds this file: give its folder a line in scripts/imports/walls.ts.';
  if (target === undefined) return;
  const isAtHome = !room.apart && roomOf(target, rooms) === room;
  if (!isAtHome && !room.may.some((pattern) => isIn(pattern, target))) return room.says;
}

function packageRule({ file, package: name }: Import, { rooms, keptPackages }: Walls): string | undefined {
  if (name === undefined || TEST_FILE.test(file)) return;
  const room = roomOf(file, rooms);
  if (room?.packages && !room.packages.includes(name)) return room.says;
  return keptPackages.find(
    (kept) => isIn(kept.package, name) && !kept.only.some((files) => isIn(files, file)),
  )?.says;
}

function roomOf(file: string, rooms: readonly Room[]): Room | undefined {
  const holding = rooms.filter(({ of }) => isIn(of, file));
  return holding.reduce<Room | undefined>((a, b) => (a && a.of.length >= b.of.length ? a : b), undefined);
}

function isIn(pattern: string, file: string): boolean {
  return expressionOf(pattern).test(file);
}

const expressions = new Map<string, RegExp>();

function expressionOf(pattern: string): RegExp {
  const known = expressions.get(pattern);
  if (known) return known;
  const source = pattern.replaceAll('.', '\\.').replace(/\*+/g, (stars) => (stars === '*' ? '[^/]*' : '.*'));
  const expression = new RegExp(`^${source}$`);
  expressions.set(pattern, expression);
  return expression;
}

function described({ specifier, target }: Import): string {
  return target === undefined || specifier === `#${target}` ? specifier : `${specifier} (${target})`;
}
