import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Edition } from '#shared/content/edition.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { checkEdition } from './check-edition.ts';
import { compileEdition } from './compile-edition.ts';
import { compilePage } from './compile-page.ts';
import { styleSheetOf, webManifestOf } from './compile-theme.ts';
import type { PublishedFile } from './kept-pictures.ts';
import { makeIcons } from './make-icons.ts';
import { picturesOf } from './pictures.ts';
import { type ContentProblem, ContentProblems } from './problems.ts';
import {
  EDITIONS_FOLDER,
  type EditionFolder,
  listEditions,
  readEdition,
  readOnSale,
} from './read-edition.ts';
import { checkRecord } from './record.ts';
import { checkCard } from './social-card.ts';

/** The folder of the compiled content, which the code imports and nobody edits. */
export const COMPILED_FOLDER = 'shared/content/compiled';
const MADE_BY = 'Compiled by `npm run content` from shared/content/editions/. Changes here are lost.';
const NOTE = `// ${MADE_BY}\n`;

/** The modules of an edition: the file, what it exports, and its type. */
const EDITION_MODULES = [
  ['facts', 'facts', 'Facts'],
  ['timetable', 'timetable', 'Timetable'],
  ['terms', 'terms', 'Terms'],
] as const;

/**
 * Checks all editions, and writes them as modules: each edition for letters, calendars and payments, and the page and
 * colours of the one on sale. A file that would not change is not written, so that file watchers are not
 * triggered.
 * @param draft whether the social card may be outdated
 * @returns the files that the site publishes beside its own
 * @throws {ContentProblems} with all that is wrong; nothing is written then
 */
export async function compileContent({ draft = false } = {}): Promise<readonly PublishedFile[]> {
  const onSale = await readOnSale();
  const editions = await readAllEditions();
  const selling = editions.find(({ id }) => id === onSale);
  if (!selling) throw new Error(`${onSale} was not read`);
  const stale = checkCard(selling, { draft });
  if (stale.length > 0) throw new ContentProblems(stale);
  const modules = new Map<string, string>();
  for (const folder of editions) addEdition(modules, compileEdition(folder));
  modules.set('editions.ts', listModule(editions.map(({ id }) => id)));

  const pictures = picturesOf(selling.path);
  const { page, videos } = await compilePage(selling, pictures);
  addModule(modules, 'on-sale/page', 'page', ['Page', 'entities'], page);
  addModule(
    modules,
    'on-sale/videos',
    'videos',
    ['VideoTestimonial', 'entities', 'readonly VideoTestimonial[]'],
    videos,
  );
  for (const [file, name] of EDITION_MODULES) {
    modules.set(
      `on-sale/${file}.ts`,
      `${NOTE}export { ${name} } from '#shared/content/compiled/${onSale}/${file}.ts';\n`,
    );
  }
  modules.set(
    'on-sale/edition.ts',
    `${NOTE}export { edition } from '#shared/content/compiled/${onSale}/edition.ts';\n`,
  );
  modules.set('on-sale/pictures.css', `/* ${MADE_BY} */\n${pictures.style()}\n`);
  const { theme } = selling.written;
  modules.set('on-sale/theme.css', `/* ${MADE_BY} */\n${styleSheetOf(theme)}`);
  addModule(modules, 'on-sale/frame-color', 'frameColor', ['Color', 'edition'], theme.colors.paper);
  modules.set('on-sale/site.webmanifest', webManifestOf(selling.written));
  await writeFiles(modules);
  await pictures.prune();
  const manifest = { from: join(COMPILED_FOLDER, 'on-sale/site.webmanifest'), to: 'site.webmanifest' };
  const icons = await makeIcons(theme, join(COMPILED_FOLDER, 'on-sale/icons'));
  return [...pictures.files(), manifest, ...icons];
}

/**
 * All editions, checked.
 * @throws {ContentProblems} with all that is wrong in any of them
 */
export async function readAllEditions(root = EDITIONS_FOLDER): Promise<EditionFolder[]> {
  const problems = [];
  const editions: EditionFolder[] = [];
  for (const id of await listEditions(root)) {
    try {
      const folder = await readEdition(id, root);
      const apart = [...checkPackage(folder, editions), ...checkTermsAddress(folder, editions)];
      const found = [...checkName(folder), ...checkEdition(folder), ...apart];
      // Terms are compared with their placeholders filled in, so an error elsewhere could change them.
      problems.push(...(found.length > 0 ? found : checkRecord(folder)));
      editions.push(folder);
    } catch (error) {
      if (!(error instanceof ContentProblems)) throw error;
      problems.push(...error.problems);
    }
  }
  if (problems.length > 0) throw new ContentProblems(problems);
  return editions;
}

/** The folder's name becomes part of payments and URLs. */
function checkName({ id, path }: EditionFolder): ContentProblem[] {
  if (/^[a-z0-9-]+$/.test(id) && id !== 'on-sale') return [];
  const says = 'the folder needs another name: small letters, digits and - only, such as june-2027';
  return [{ file: path, field: '', says }];
}

/** The package of a payment identifies its edition, so no two editions may sell the same package. */
function checkPackage(folder: EditionFolder, others: readonly EditionFolder[]): ContentProblem[] {
  const { id } = folder.written.edition.package;
  const other = others.find(({ written }) => written.edition.package.id === id);
  if (!other) return [];
  const says = `the edition ${other.id} sells a package of this id: write a new one in the newer edition`;
  return [folder.problem('edition', ['package', 'id'], says)];
}

/**
 * The edition's name and the version of its terms make up the permanent URL of the terms, which must be
 * unique.
 */
function checkTermsAddress(folder: EditionFolder, others: readonly EditionFolder[]): ContentProblem[] {
  const addressesOf = ({ id, written, agreed }: EditionFolder) =>
    [written.terms, ...agreed].map((terms) => termsPathOf({ id }, terms));
  const own = addressesOf(folder);
  const other = others.find((one) => addressesOf(one).some((address) => own.includes(address)));
  if (!other) return [];
  const says = `the terms of the edition ${other.id} have the same address, ${own[0]}: write another version`;
  return [folder.problem('terms', ['version'], says)];
}

function addEdition(modules: Map<string, string>, edition: Edition): void {
  const { id } = edition.facts;
  for (const [file, name, type] of EDITION_MODULES) {
    addModule(modules, `${id}/${file}`, name, [type, 'edition'], edition[name]);
  }
  const imports = EDITION_MODULES.map(([file, name]) => `import { ${name} } from './${file}.ts';\n`);
  const { agreed, lateTerms, practicalFacts, palette, tryOutFrom } = edition;
  const names = EDITION_MODULES.map(([, name]) => name).join(', ');
  modules.set(
    `${id}/edition.ts`,
    `${NOTE}import type { Edition } from '#shared/content/edition.ts';\n${imports.join('')}
const agreed = ${JSON.stringify(agreed, null, 2)};
const lateTerms = ${JSON.stringify(lateTerms)};
const practicalFacts = ${JSON.stringify(practicalFacts, null, 2)};
const palette = ${JSON.stringify(palette, null, 2)};
const tryOutFrom = ${JSON.stringify(tryOutFrom)};

export const edition: Edition = { ${names}, agreed, lateTerms, practicalFacts, palette, tryOutFrom };\n`,
  );
}

function addModule(
  modules: Map<string, string>,
  path: string,
  name: string,
  [imported, from, type = imported]: readonly [imported: string, from: string, type?: string],
  value: unknown,
): void {
  modules.set(
    `${path}.ts`,
    `${NOTE}import type { ${imported} } from '#shared/content/${from}.ts';\n
export const ${name}: ${type} = ${JSON.stringify(value, null, 2)};\n`,
  );
}

/** The source of the module that lists all editions. */
function listModule(ids: readonly string[]): string {
  const nameOf = (index: number) => `edition${index + 1}`;
  const imports = ids.map(
    (id, index) => `import { edition as ${nameOf(index)} } from './${id}/edition.ts';\n`,
  );
  return `${NOTE}import type { Edition } from '#shared/content/edition.ts';\n${imports.join('')}
export const editions: readonly Edition[] = [${ids.map((_, index) => nameOf(index)).join(', ')}];\n`;
}

/** Writes the files that have changed, and removes those of editions that no longer exist. */
async function writeFiles(files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, source] of files) {
    const file = join(COMPILED_FOLDER, path);
    if ((await readFile(file, 'utf8').catch(() => undefined)) === source) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, source);
  }
  const entries = await readdir(COMPILED_FOLDER, { recursive: true, withFileTypes: true });
  const left = entries
    .filter(({ name }) => /\.(ts|css|webmanifest)$/.test(name))
    .map(({ parentPath, name }) => join(parentPath, name));
  const written = [...files.keys()].map((path) => join(COMPILED_FOLDER, path));
  for (const file of left) if (!written.includes(file)) await rm(file);
}
