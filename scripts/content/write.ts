import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { drawings, icons, illustrations, isPictureFile, type Published } from '#shared/content/entities.ts';
import { compileEdition, factsOf, fillWords, wordsOf } from './compile.ts';
import { drawEmblem, drawIcons, drawIllustration, readInline } from './drawings.ts';
import { htmlOf } from './markdown.ts';
import { PictureProblem, type Pictures, type PublishedFile, picturesOf } from './pictures.ts';
import { COMPILED_FOLDER, ContentProblems, type EditionFolder, readEditions, readOnSale } from './read.ts';
import { isFilm } from './rules.ts';
import { fillsOf, styleSheetOf, webManifestOf } from './theme.ts';

const MADE_BY = 'Compiled by `npm run content` from shared/content/editions/. Changes here are lost.';
const NOTE = `// ${MADE_BY}\n`;
/** What a module exports, and the types. Browsers load only what they use. */
const EXPORTS = [
  ['facts', 'edition.Facts'],
  ['timetable', 'edition.Timetable'],
  ['terms', 'edition.Terms'],
  ['page', 'entities.Page'],
  ['videos', 'readonly entities.VideoTestimonial[]'],
  ['drawings', 'Readonly<Record<entities.DrawingName | entities.IconName, string>>'],
  // Apart, as the completion view needs no other drawing.
  ['openDoor', 'string'],
  ['illustrations', 'Readonly<Record<entities.IllustrationName, entities.ImageFile>>'],
  ['frameColor', 'edition.Color'],
] as const;
type Exports = Readonly<Partial<Record<(typeof EXPORTS)[number][0], unknown>>>;

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const source = (parts: Exports): string =>
  EXPORTS.filter(([name]) => name in parts)
    .map(([name, type]) => `export const ${name}: ${imported(type)} = ${json(parts[name])};\n`)
    .join('');
const imported = (type: string): string =>
  type.replaceAll(/\b(edition|entities)\./g, "import('#shared/content/$1.ts').");

/**
 * Checks all editions, and writes each as one module, that of the edition on sale with its page, and beside them the style
 * sheets, icons and manifest of the site. A file that would not change is not written, so that file watchers are not
 * triggered.
 * @returns the files that the site publishes beside its own
 * @throws {ContentProblems} with all that is wrong; nothing is written then
 */
export async function compileContent(): Promise<readonly PublishedFile[]> {
  const onSale = await readOnSale();
  const editions = await readEditions();
  const selling = editions.find(({ id }) => id === onSale);
  if (!selling) throw new Error(`${onSale} was not read`);
  const { theme } = selling.written;
  const pictures = picturesOf(selling.path);
  const page = await compilePage(selling, pictures);
  const drawn = await drawSite(theme, pictures);
  const files: Record<string, string | Buffer> = {
    ...(await drawIcons(theme)),
    'site.webmanifest': webManifestOf(selling.written),
  };
  const own = Object.keys(files).map((to) => ({ from: join(COMPILED_FOLDER, 'on-sale', to), to }));
  files['pictures.css'] = `/* ${MADE_BY} */\n${fillsOf(theme)}${drawn.style}\n`;
  files['theme.css'] = `/* ${MADE_BY} */\n${styleSheetOf(theme)}`;
  const written = new Map(Object.entries(files).map(([name, content]) => [`on-sale/${name}`, content]));
  for (const { id, written: words } of editions) {
    const { facts, timetable, terms, ...others } = compileEdition(id, words);
    const fields = Object.entries({ ...others, emblem: await drawEmblem(words.theme) });
    const edition = fields.map(([name, value]) => `${name}: ${json(value)}`).join(', ');
    const shown = id === onSale ? { page, videos: page.videos.items, ...drawn.parts } : {};
    const all = `export const edition: ${imported('edition.Edition')} = { facts, timetable, terms, ${edition} };\n`;
    written.set(`${id}.ts`, NOTE + source({ facts, timetable, terms, ...shown }) + all);
  }
  written.set('on-sale.ts', `${NOTE}export * from './${onSale}.ts';\n`);
  const imports = editions.map(({ id }, at) => `import { edition as edition${at} } from './${id}.ts';\n`);
  const list = editions.map((_, at) => `edition${at}`);
  const typed = `export const editions: readonly ${imported('edition.Edition')}[] = [${list.join(', ')}];\n`;
  written.set('editions.ts', NOTE + imports.join('') + typed);
  await writeFiles(written);
  await pictures.prune();
  return [...pictures.files(), ...own];
}

/** The drawings of the site in the colours of a theme, and the style sheet rules that give them their shape. */
async function drawSite(theme: EditionFolder['written']['theme'], pictures: Pictures) {
  const inline = [...drawings, ...icons].map(async (name) => [name, await readInline(name)]);
  const files = illustrations.map(async (name) => {
    const { svg, ...size } = await drawIllustration(name, theme);
    return [name, { src: await pictures.makeDrawing(name, svg), ...size }] as const;
  });
  const made = await Promise.all(files);
  const rules = made.map(([name, of]) => `.illustration-${name}{aspect-ratio:${of.width}/${of.height}}`);
  return {
    parts: {
      drawings: Object.fromEntries(await Promise.all(inline)),
      openDoor: await readInline('threshold'),
      illustrations: Object.fromEntries(made),
      frameColor: theme.colors.paper,
    },
    style: rules.sort().join('\n'),
  };
}

/**
 * The page of an edition: words filled in, answers sanitised, pictures made.
 * @throws {ContentProblems} with every picture that cannot be shown
 */
export async function compilePage({ id, written, problem }: EditionFolder, pictures: Pictures) {
  const words = wordsOf(factsOf(id, written.edition), written);
  const { page, people, outlets, faq, edition } = fillWords(written, words);
  const problems: string[] = [];
  async function publish<Value>(value: Value, path: string[], focus?: number[]): Promise<Published<Value>>;
  async function publish(value: unknown, path: string[], focus?: number[]): Promise<unknown> {
    if (isFilm(value)) return await pictures.publish(value);
    if (typeof value !== 'object' || value === null) return value;
    if (isPictureFile(value))
      return await pictures.make(value, focus).catch((error) => {
        if (!(error instanceof PictureProblem)) throw error;
        problems.push(problem(path, error.message));
      });
    const own = 'focus' in value && Array.isArray(value.focus) ? value.focus.map(Number) : undefined;
    const parts = Object.entries(value)
      .filter(([name]) => name !== 'focus')
      .map(async ([name, part]) => [name, await publish(part, [...path, name], own)] as const);
    const made = await Promise.all(parts);
    return Array.isArray(value) ? made.map(([, part]) => part) : Object.fromEntries(made);
  }
  const [search, onPage, ofPeople, ofOutlets] = await Promise.all([
    publish(edition.search, ['edition', 'search']),
    publish(page, ['page']),
    publish(people, ['people']),
    publish(outlets, ['outlets']),
  ]);
  if (problems.length > 0) throw new ContentProblems(problems);
  const items = faq.items.map(({ question, answer }) => ({ question, answer: htmlOf(answer) }));
  return { search, ...onPage, ...ofPeople, ...ofOutlets, faq: { ...faq, items } };
}

/** Writes the files that have changed, and removes those of editions that no longer exist. */
async function writeFiles(files: ReadonlyMap<string, string | Buffer>): Promise<void> {
  for (const [path, content] of files) {
    const file = join(COMPILED_FOLDER, path);
    const written = await readFile(file).catch(() => undefined);
    if (written?.equals(Buffer.from(content))) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  for (const path of await readdir(COMPILED_FOLDER, { recursive: true }))
    if (/\.\w+$/.test(path) && !files.has(path)) await rm(join(COMPILED_FOLDER, path));
}
