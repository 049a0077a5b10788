import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Edition } from '#shared/content/edition.ts';
import { illustrations, type Page, type VideoTestimonial } from '#shared/content/entities.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { checkEdition } from './check-edition.ts';
import { compileEdition, factsOf, fillWords, wordsOf } from './compile-edition.ts';
import { PictureProblem, type Place } from './make-pictures.ts';
import {
  drawEmblem,
  type Pictures,
  type PublishedFile,
  picturesOf,
  readDrawings,
  readInline,
} from './pictures.ts';
import { type ContentProblem, ContentProblems, type Field } from './problems.ts';
import {
  COMPILED_FOLDER,
  EDITIONS_FOLDER,
  type EditionFolder,
  listEditions,
  readEdition,
  readOnSale,
} from './read-edition.ts';
import { checkRecord } from './record.ts';
import { sanitiseHtml } from './sanitise.ts';
import type { Written } from './schemas.ts';
import { drawIcons, fillsOf, styleSheetOf, webManifestOf } from './theme.ts';

const MADE_BY = 'Compiled by `npm run content` from shared/content/editions/. Changes here are lost.';
const NOTE = `// ${MADE_BY}\n`;

/**
 * Checks all editions, and writes them as modules: each edition for letters, calendars and payments, and the page and
 * colours of the one on sale. A file that would not change is not written, so that file watchers are not
 * triggered.
 * @returns the files that the site publishes beside its own
 * @throws {ContentProblems} with all that is wrong; nothing is written then
 */
export async function compileContent(): Promise<readonly PublishedFile[]> {
  const onSale = await readOnSale();
  const editions = await readAllEditions();
  const selling = editions.find(({ id }) => id === onSale);
  if (!selling) throw new Error(`${onSale} was not read`);
  const pictures = picturesOf(selling.path);
  const { page, videos } = await compilePage(selling, pictures);
  const { theme } = selling.written;
  const ofOnSale = ['facts', 'timetable', 'terms', 'edition'].map((name) => [
    `on-sale/${name}.ts`,
    `${NOTE}export { ${name} } from '#shared/content/compiled/${onSale}/edition.ts';\n`,
  ]);
  const served = { ...(await drawIcons(theme)), 'site.webmanifest': webManifestOf(selling.written) };
  await writeFiles({
    ...Object.fromEntries(
      await Promise.all(
        editions.map(async (folder) => {
          const emblem = await drawEmblem(folder.written.theme);
          return [`${folder.id}/edition.ts`, editionModule({ ...compileEdition(folder), emblem })] as const;
        }),
      ),
    ),
    'editions.ts': listModule(editions.map(({ id }) => id)),
    'on-sale/page.ts': module('page', ['Page', 'entities'], page),
    'on-sale/videos.ts': module(
      'videos',
      ['VideoTestimonial', 'entities', 'readonly VideoTestimonial[]'],
      videos,
    ),
    'on-sale/drawings.ts': module(
      'drawings',
      ['DrawingName, IconName', 'entities', 'Readonly<Record<DrawingName | IconName, string>>'],
      await readDrawings(),
    ),
    // Apart, as the completion view needs no other drawing.
    'on-sale/open-door.ts': `${NOTE}export const openDoor = ${JSON.stringify(await readInline('threshold'))};\n`,
    'on-sale/illustrations.ts': module(
      'illustrations',
      ['IllustrationName, ImageFile', 'entities', 'Readonly<Record<IllustrationName, ImageFile>>'],
      Object.fromEntries(
        await Promise.all(
          illustrations.map(async (name) => [name, await pictures.makeIllustration(name, theme)] as const),
        ),
      ),
    ),
    ...Object.fromEntries(ofOnSale),
    'on-sale/pictures.css': `/* ${MADE_BY} */\n${fillsOf(theme)}${pictures.style()}\n`,
    'on-sale/theme.css': `/* ${MADE_BY} */\n${styleSheetOf(theme)}`,
    'on-sale/frame-color.ts': module('frameColor', ['Color', 'edition'], theme.colors.paper),
    ...Object.fromEntries(Object.entries(served).map(([name, content]) => [`on-sale/${name}`, content])),
  });
  await pictures.prune();
  const ownFiles = Object.keys(served).map((name) => ({
    from: join(COMPILED_FOLDER, 'on-sale', name),
    to: name,
  }));
  return [...pictures.files(), ...ownFiles];
}

/**
 * All editions, checked.
 * @throws {ContentProblems} with all that is wrong in any of them
 */
export async function readAllEditions(root = EDITIONS_FOLDER): Promise<EditionFolder[]> {
  const problems: ContentProblem[] = [];
  const editions: EditionFolder[] = [];
  for (const id of await listEditions(root)) {
    try {
      const folder = await readEdition(id, root);
      const found = [...checkName(folder), ...checkEdition(folder), ...checkOthers(folder, editions)];
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

/**
 * The package of a payment identifies its edition, and the edition's name with the version of its terms makes up their
 * permanent URL: no two editions may have the same.
 */
function* checkOthers(folder: EditionFolder, others: readonly EditionFolder[]): Iterable<ContentProblem> {
  const packageOf = ({ written }: EditionFolder) => written.edition.package.id;
  const seller = others.find((one) => packageOf(one) === packageOf(folder));
  const sold = `the edition ${seller?.id} sells a package of this id: write a new one in the newer edition`;
  if (seller) yield folder.problem('edition', ['package', 'id'], sold);

  const addressesOf = ({ id, written, agreed }: EditionFolder) =>
    [written.terms, ...agreed].map((terms) => termsPathOf({ id }, terms));
  const own = addressesOf(folder);
  const other = others.find((one) => addressesOf(one).some((address) => own.includes(address)));
  const taken = `the terms of the edition ${other?.id} have the same address, ${own[0]}: write another version`;
  if (other) yield folder.problem('terms', ['version'], taken);
}

/** The source of an edition's module. Browsers load only the exports that they use. */
function editionModule({ facts, timetable, terms, ...others }: Edition): string {
  const fields = Object.entries(others).map(([name, value]) => `${name}: ${JSON.stringify(value, null, 2)}`);
  return `${NOTE}import type { Edition, Facts, Terms, Timetable } from '#shared/content/edition.ts';\n
export const facts: Facts = ${JSON.stringify(facts, null, 2)};\n
export const timetable: Timetable = ${JSON.stringify(timetable, null, 2)};\n
export const terms: Terms = ${JSON.stringify(terms, null, 2)};\n
export const edition: Edition = { facts, timetable, terms, ${fields.join(', ')} };\n`;
}

function module(
  name: string,
  [imported, from, type = imported]: readonly [imported: string, from: string, type?: string],
  value: unknown,
): string {
  return `${NOTE}import type { ${imported} } from '#shared/content/${from}.ts';\n
export const ${name}: ${type} = ${JSON.stringify(value, null, 2)};\n`;
}

function listModule(ids: readonly string[]): string {
  const names = ids.map((_, index) => `edition${index + 1}`);
  const imports = ids.map(
    (id, index) => `import { edition as ${names[index]} } from './${id}/edition.ts';\n`,
  );
  return `${NOTE}import type { Edition } from '#shared/content/edition.ts';\n${imports.join('')}
export const editions: readonly Edition[] = [${names.join(', ')}];\n`;
}

/** Writes the files that have changed, and removes those of editions that no longer exist. */
async function writeFiles(files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    const file = join(COMPILED_FOLDER, path);
    const written = await readFile(file).catch(() => undefined);
    if (written?.equals(Buffer.from(content))) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  for (const path of await readdir(COMPILED_FOLDER, { recursive: true }))
    if (/\.\w+$/.test(path) && !(path in files)) await rm(join(COMPILED_FOLDER, path));
}

/**
 * The page of the edition on sale: words filled in, answers sanitised, pictures made.
 * @throws {ContentProblems} with every picture that cannot be shown
 */
export async function compilePage(
  folder: EditionFolder,
  pictures: Pictures,
): Promise<{ page: Page; videos: readonly VideoTestimonial[] }> {
  const words = wordsOf(factsOf(folder.id, folder.written.edition), folder.written.schedule);
  const { edition, page, people, outlets, faq } = fillWords(folder.written, words);
  const { author, videos, endorsements, testimonials } = people;

  const named = <Image>(file: keyof Written, field: Field, image: Promise<Image>): Promise<Image> =>
    image.catch((error) => {
      if (!(error instanceof PictureProblem)) throw error;
      throw new ContentProblems([folder.problem(file, field, error.message)]);
    });
  /** Part of `page.yaml`, or of `people.yaml` for an author and a portrait, with its picture made. */
  const withPicture = async <Words extends Illustrated>(
    { img, focus, ...words }: Words,
    place: Place,
    ...field: Field
  ) => {
    const file = ['author', 'portrait'].includes(place) ? 'people' : 'page';
    return { ...words, img: await named(file, [...field, 'img'], pictures.make(place, img, focus)) };
  };
  const withLogos = <Words extends { logo: string }>(outlets: readonly Words[], ...field: Field) =>
    all(
      outlets.map(async ({ logo, ...words }, index) => ({
        ...words,
        logo: await named('outlets', [...field, index, 'logo'], pictures.makeLogo(logo)),
      })),
    );
  const makeVideo = async ({ src, poster, captions, ...words }: Video, ...field: Field) => {
    const isElsewhere = src.includes('/');
    const image = pictures.makePoster(poster, !isElsewhere);
    const published = async (file: string) => ({ src: await pictures.publish(file) });
    return {
      ...words,
      src: isElsewhere ? src : await pictures.publish(src),
      poster: await named('people', [...field, 'poster'], image),
      ...(captions && {
        captions: await all(captions.map(async (track) => ({ ...track, ...(await published(track.src)) }))),
      }),
    };
  };

  const [
    card,
    hero,
    steps,
    ease,
    teacher,
    face,
    portraits,
    guests,
    approach,
    closing,
    partners,
    rows,
    films,
    books,
  ] = await all([
    pictures.publishCard(),
    withPicture(page.hero, 'hero', 'hero'),
    all(page.transform.steps.map((step, at) => withPicture(step, 'transform', 'transform', 'steps', at))),
    withPicture(page.benefits, 'benefits', 'benefits'),
    withPicture(author, 'author', 'author'),
    named('people', ['author', 'img'], pictures.make('face', author.img, author.focus)),
    all(endorsements.items.map((item, at) => withPicture(item, 'portrait', 'endorsements', 'items', at))),
    all(
      testimonials.items.map(async ({ img, ...words }, at) =>
        img ? withPicture({ img, ...words }, 'portrait', 'testimonials', 'items', at) : words,
      ),
    ),
    withPicture(page.approach, 'approach', 'approach'),
    withPicture(page.closing, 'closing', 'closing'),
    withLogos(outlets.partners.items, 'partners', 'items'),
    all(outlets.media.rows.map((row, index) => withLogos(row, 'media', 'rows', index))),
    all(videos.items.map((video, index) => makeVideo(video, 'videos', 'items', index))),
    all(
      author.books.map(async ({ cover, ...words }, index) => ({
        ...words,
        ...(cover && {
          cover: await named('people', ['author', 'books', index, 'cover'], pictures.make('cover', cover)),
        }),
      })),
    ),
  ]);
  const { title, description, card: alt } = edition.search;
  return {
    page: {
      search: { title, description, card: { ...card, alt } },
      hero,
      partners: { ...outlets.partners, items: partners },
      transform: { ...page.transform, steps },
      benefits: ease,
      sessions: page.sessions,
      schedule: page.schedule,
      practicalFacts: page.practicalFacts,
      testimonials: { ...testimonials, items: guests, videosTitle: videos.title },
      author: { ...teacher, face, books },
      endorsements: { ...endorsements, items: portraits },
      approach,
      faq: {
        ...faq,
        items: faq.items.map(({ question, answer }) => ({ question, answer: sanitiseHtml(answer) })),
      },
      media: { ...outlets.media, rows },
      closing,
    },
    videos: films,
  };
}

type Video = Written['people']['videos']['items'][number];

interface Illustrated {
  img: string;
  focus?: [number, number];
}

/**
 * Like `Promise.all`, but reports the problems of all promises, not only of the first that fails.
 * @throws {ContentProblems} with the problems of all promises
 */
async function all<Promises extends readonly unknown[] | []>(promises: Promises) {
  const outcomes = await Promise.allSettled(promises);
  const problems = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' && outcome.reason instanceof ContentProblems ? outcome.reason.problems : [],
  );
  if (problems.length > 0) throw new ContentProblems(problems);
  return Promise.all(promises);
}
