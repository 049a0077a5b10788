import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { ResolverFactory } from 'oxc-resolver';

/** One import of one file. Paths are relative to the project's root, with `/`. */
export interface Import {
  readonly file: string;
  readonly line: number;
  /** The specifier, as written in the file. */
  readonly specifier: string;
  /** The file to which it resolves, if that file belongs to the project. */
  readonly target?: string;
  /** The package, or the built-in module with its `node:`. */
  readonly package?: string;
}

const SOURCE_FILE = /\.(m?js|tsx?)$/;
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
 * @throws when an import of a file resolves to nothing
 */
export function readImports(root: string, files: readonly string[]): Import[] {
  const resolver = new ResolverFactory({ extensions: ['', '.ts', '.tsx', '.mjs', '.js', '.json'] });
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return specifiersIn(file, text).map(({ specifier, start }) => {
      const line = text.slice(0, start).split('\n').length;
      return { file, line, specifier, ...resolved(resolver, root, file, specifier) };
    });
  });
}

interface Written {
  readonly specifier: string;
  readonly start: number;
}

function specifiersIn(file: string, text: string): Written[] {
  const parsed = parseSync(file, text);
  const [error] = parsed.errors;
  if (error) throw new Error(`${file} cannot be parsed: ${error.message}`);
  const { staticImports, staticExports, dynamicImports } = parsed.module;
  const requests = [
    ...staticImports.map((statement) => statement.moduleRequest),
    ...staticExports.flatMap(({ entries: [entry] }) => entry?.moduleRequest ?? []),
  ].map(({ value, start }) => ({ specifier: value, start }));
  const dynamic = dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const literal = /^(['"`])([^$]*)\1$/.exec(text.slice(start, end))?.[2];
    return literal === undefined ? [] : [{ specifier: literal, start }];
  });
  // The syntax tree is read only if the text may contain `import('…').Type`: reading it takes most of the
  // time.
  return [...requests, ...dynamic, ...(/\bimport\(/.test(text) ? importTypesIn(parsed.program) : [])];
}

function importTypesIn(program: ReturnType<typeof parseSync>['program']): Written[] {
  const found: Written[] = [];
  const keep = ({ source }: { source: { value: string; start: number } }) => {
    found.push({ specifier: source.value, start: source.start });
  };
  new Visitor({ TSImportType: keep }).visit(program);
  return found;
}

function resolved(
  resolver: ResolverFactory,
  root: string,
  file: string,
  specifier: string,
): Pick<Import, 'target' | 'package'> {
  if (isBuiltin(specifier)) return { package: `node:${specifier.replace(/^node:/, '')}` };
  if (!/^[./#]/.test(specifier)) return { package: PACKAGE_OF_SPECIFIER.exec(specifier)?.[0] ?? specifier };
  const { path, error } = resolver.resolveFileSync(resolve(root, file), specifier);
  if (path === undefined) throw new Error(`${file} imports ${specifier}: ${error}`);
  const target = inProject(root, path);
  const inPackage = PACKAGE_OF_PATH.exec(target)?.[1];
  return inPackage === undefined ? { target } : { package: inPackage };
}

function inProject(root: string, path: string): string {
  return relative(root, path).replaceAll('\\', '/');
}
