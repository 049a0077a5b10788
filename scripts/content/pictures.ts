import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { transform } from 'esbuild';
import sharp from 'sharp';
import * as v from 'valibot';
import type { Emblem } from '#shared/content/edition.ts';
import {
  type DrawingName,
  drawings,
  type IconName,
  type IllustrationName,
  type ImageFile,
  icons,
  illustrations,
  type LogoFile,
  type Picture,
  type WordMarkName,
  wordMarks,
} from '#shared/content/entities.ts';
import { makeDrawing, makeLogo, makePhotograph, type Place, places } from './make-pictures.ts';
import type { Written } from './schemas.ts';
import { fillsOf, propertiesOf } from './theme.ts';

/** The picture of link previews, in an edition's `media/`. */
export const CARD_FILE = 'social-card.png';

/** The drawings of this site. They have no colours of their own: `art.css` and the theme paint them by class. */
const FOLDER = 'client/ui/art';
const ROOT =
  /^<svg xmlns="[^"]+" viewBox="(?<x>-?\d+) (?<y>-?\d+) (?<width>\d+) (?<height>\d+)" aria-hidden="true">(?<inside>.*)<\/svg>$/;

const readDrawing = async (name: string): Promise<string> =>
  (await readFile(`${FOLDER}/${name}.svg`, 'utf8')).replaceAll(/\n\s*| (?=\/>)/g, '');

/** The drawings that become part of the page, which follow its theme, by name. */
export async function readDrawings(): Promise<Record<string, string>> {
  const read = [...drawings, ...icons].map(async (name) => [name, await readInline(name)] as const);
  return Object.fromEntries(await Promise.all(read));
}

export async function readInline(name: DrawingName | IconName): Promise<string> {
  return (await readDrawing(name)).replace(' xmlns="http://www.w3.org/2000/svg"', '');
}

/**
 * A drawing as an image of its own: twice, side by side, light and dark. An image cannot know the theme that a visitor
 * chose for the page: Safari gives it only the device's theme. So the page shows one half of it, see picture.css.
 */
export async function drawIllustration(name: IllustrationName, theme: Written['theme']) {
  const { x, y, width, height, inside } = ROOT.exec(await readDrawing(name))?.groups ?? {};
  if (!width || !height) throw new Error(`${name}.svg does not begin as the other drawings`);
  const size = `width="${2 * Number(width)}" height="${height}" viewBox="${x} ${y} ${2 * Number(width)} ${height}"`;
  const picture = `<g class="light"><g id="picture">${inside}</g></g>`;
  const again = `<use class="dark" href="#picture" x="${width}"/>`;
  const style = `<style>${await styleOf(theme)}</style>`;
  return {
    width: Number(width),
    height: Number(height),
    image: `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${style}${picture}${again}</svg>`,
  };
}

/** As wide as the emblem of letters is shown, in CSS pixels. */
const EMBLEM_WIDTH = 64;

/** The open door at the head of letters, by day: mail clients show no SVG, and not the picture of a scheme. */
export async function drawEmblem(theme: Written['theme']): Promise<Emblem> {
  const { width, height, inside } = ROOT.exec(await readDrawing('doorway'))?.groups ?? {};
  const colors = propertiesOf(theme, 'light');
  const rules = (await rulesOf(theme)).replaceAll(/var\((--[\w-]+)\)/g, (_, name) => colors[name] ?? '');
  const style = `<style>${await minified(rules)}</style>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${style}${inside}</svg>`;
  const size = { width: EMBLEM_WIDTH, height: Math.round((EMBLEM_WIDTH * Number(height)) / Number(width)) };
  const png = await sharp(Buffer.from(svg))
    .resize(2 * size.width, 2 * size.height, { fit: 'fill' })
    .png({ compressionLevel: 9, palette: true, colors: 64 })
    .toBuffer();
  return { png: png.toString('base64'), ...size };
}

const rulesOf = async (theme: Written['theme']): Promise<string> =>
  fillsOf(theme) + (await readFile(`${FOLDER}/art.css`, 'utf8'));

async function minified(rules: string): Promise<string> {
  const { code } = await transform(rules, {
    loader: 'css',
    minify: true,
    // The `&` of nested rules would not be valid XML.
    supported: { nesting: false },
  });
  return code;
}

/** The CSS rules of the drawings, and the colours that these rules use, for both schemes. */
async function styleOf(theme: Written['theme']): Promise<string> {
  const rules = await rulesOf(theme);
  const used = new Set([...rules.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name));
  const colors = (['light', 'dark'] as const).map((scheme) => {
    const declarations = Object.entries(propertiesOf(theme, scheme))
      .filter(([name]) => used.has(name))
      .map(([name, color]) => `${name}:${color};`);
    return `.${scheme}{${declarations.join('')}}`;
  });
  return minified(colors.join('') + rules);
}

const MEDIA_ADDRESS = '/static/media/';
const KEPT_FOLDER = '.data/pictures';
/** When the code that makes photographs changes, they are made again. */
const MAKER = join(import.meta.dirname, 'make-pictures.ts');

const drawingSchema = v.picklist([...drawings, ...illustrations]);
const wordMarkSchema = v.picklist(wordMarks);

export interface PublishedFile {
  from: string;
  /** Below the public folder. */
  to: string;
}

export type Pictures = ReturnType<typeof picturesOf>;

/**
 * Makes the pictures in the `media/` of an edition's folder ready to be published. They are kept between builds, each under
 * a name with a digest of what it is made from. The methods that make a picture throw a `PictureProblem` when its author
 * has to correct something.
 */
export function picturesOf(editionPath: string, keptFolder = KEPT_FOLDER) {
  // Pictures are made in parallel, each on one core.
  sharp.concurrency(1);
  const media = (file: string) => join(editionPath, 'media', file);
  const published = new Map<string, PublishedFile>();
  const making = new Map<string, Promise<void>>();
  const rules = new Set<string>();

  const publishAs = (from: string, name: string): string => {
    const address = `${MEDIA_ADDRESS}${name}`;
    published.set(address, { from, to: address.slice(1) });
    return address;
  };
  /** Publishes a kept file, which is made unless there is one of this name. */
  const keep = async (name: string, make: () => Promise<Buffer>) => {
    const path = join(keptFolder, name);
    const made = making.get(name) ?? (existsSync(path) ? Promise.resolve() : make().then(writer(path)));
    making.set(name, made);
    await made;
    return { path, address: publishAs(path, name) };
  };
  const makeFile = async (
    place: Place,
    file: string,
    focus: readonly [number, number] = [50, 50],
  ): Promise<ImageFile> => {
    const source = await readFile(media(file));
    const { name, ext } = parse(file);
    if (/^\.svg$/i.test(ext)) {
      const { drawing, ...size } = await makeDrawing(file, source);
      const { address } = await keep(`${name}-${digestOf(drawing)}.svg`, async () => drawing);
      return { src: address, ...size };
    }
    const shape = places[place];
    const recipe = JSON.stringify([shape, focus, sharp.versions]);
    const digest = digestOf(source, recipe, await readFile(MAKER));
    return makePhotograph(file, source, shape, focus, (width, ending, encode) =>
      keep(`${name}-${place}-${width}-${digest}.${ending}`, encode),
    );
  };
  const makeShown = async (place: Place, file: string, focus?: readonly [number, number]) => {
    const image = await makeFile(place, file, focus);
    if (image.tone) rules.add(`.tone-${image.tone}{background-color:#${image.tone}}`);
    return image;
  };
  const publish = async (file: string): Promise<string> => {
    const { name, ext } = parse(file);
    return publishAs(media(file), `${name}-${digestOf(await readFile(media(file)))}${ext}`);
  };
  return {
    /** @param focus where the eye should rest, in percent from the left and from the top; the middle by default */
    make: async (place: Place, name: string, focus?: readonly [number, number]): Promise<Picture> =>
      v.is(drawingSchema, name) ? name : makeShown(place, name, focus),
    async makeIllustration(name: IllustrationName, theme: Written['theme']): Promise<ImageFile> {
      const { image, ...size } = await drawIllustration(name, theme);
      const { address } = await keep(`${name}-${digestOf(image)}.svg`, async () => Buffer.from(image));
      rules.add(`.illustration-${name}{aspect-ratio:${size.width}/${size.height}}`);
      return { src: address, ...size };
    },
    async makeLogo(file: string): Promise<WordMarkName | LogoFile> {
      if (v.is(wordMarkSchema, file)) return file;
      const { image, ...size } = await makeLogo(file, await readFile(media(file)));
      const { address } = await keep(`${parse(file).name}-${digestOf(image)}.webp`, async () => image);
      rules.add(`.logo-${size.quarters}{inline-size:${size.quarters / 4}em}`);
      return { src: address, ...size };
    },
    /** @param single whether the poster has to be a single file, as for `<video>` */
    async makePoster(file: string, single: boolean): Promise<ImageFile> {
      if (!single) return makeShown('poster', file);
      const { src, width, height } = await makeFile('still', file);
      return { src, width, height };
    },
    /** Publishes a file as it is; returns its address. */
    publish,
    async publishCard() {
      const { width, height } = await sharp(media(CARD_FILE)).metadata();
      return { src: await publish(CARD_FILE), width, height };
    },
    /** The CSS rules that the page's style sheet needs for the pictures made. */
    style: () => [...rules].sort().join('\n'),
    files: (): readonly PublishedFile[] => [...published.values()],
    /** Removes the pictures that earlier builds kept and this one did not use. */
    async prune(): Promise<void> {
      const kept = await readdir(keptFolder).catch(() => []);
      const unused = kept.filter((name) => !making.has(name));
      for (const name of unused) await rm(join(keptFolder, name), { recursive: true, force: true });
    },
  };
}

function digestOf(...parts: (string | Buffer)[]): string {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest('hex').slice(0, 8).toUpperCase();
}

/** Writes the whole file or nothing: another build may be writing the same picture. */
const writer =
  (path: string) =>
  async (data: Buffer): Promise<void> => {
    const draft = `${path}.${process.pid}`;
    await mkdir(parse(path).dir, { recursive: true });
    await writeFile(draft, data);
    await rename(draft, path);
  };
