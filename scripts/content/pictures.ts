import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, parse } from 'node:path';
import sharp from 'sharp';
import * as v from 'valibot';
import {
  drawings,
  type ImageFile,
  illustrations,
  type LogoFile,
  type Picture,
  type WordMarkName,
  wordMarks,
} from '#shared/content/entities.ts';
import { makeLogo } from './make-logo.ts';
import { type AddressOf, type Made, makeDrawing, makePhotograph } from './make-pictures.ts';
import { type Place, places } from './picture-places.ts';

/** The URL path under which the site serves its pictures. */
const MEDIA_ADDRESS = '/static/media/';
/** Where pictures are kept from one build to the next. */
const KEPT_FOLDER = '.data/pictures';
/** The code that makes the pictures: when one of these files changes, all pictures are made again. */
const MAKERS = ['make-pictures.ts', 'make-logo.ts', 'sanitise.ts', 'picture-places.ts'];

const drawingSchema = v.picklist([...drawings, ...illustrations]);
const wordMarkSchema = v.picklist(wordMarks);

const imageSchema: v.GenericSchema<unknown, ImageFile> = v.strictObject({
  src: v.string(),
  width: v.number(),
  height: v.number(),
  widths: v.exactOptional(v.strictObject({ avif: v.string(), webp: v.string(), sizes: v.string() })),
  tone: v.exactOptional(v.string()),
});
const logoSchema: v.GenericSchema<unknown, LogoFile> = v.strictObject({
  src: v.string(),
  width: v.number(),
  height: v.number(),
  quarters: v.number(),
});

/** A file that the build publishes. */
export interface PublishedFile {
  from: string;
  /** Below the public folder. */
  to: string;
}

export type Pictures = ReturnType<typeof picturesOf>;

/**
 * Makes the pictures in the `media/` of an edition's folder ready to be published. They are kept between builds: each in a
 * folder named by a digest of everything that it is made from. The methods that make a picture throw a `PictureProblem` when
 * its author has to correct something.
 */
export function picturesOf(editionPath: string, keptFolder = KEPT_FOLDER) {
  // Pictures are made in parallel, each on one core.
  sharp.concurrency(1);
  const media = (file: string) => join(editionPath, 'media', file);
  const published = new Map<string, PublishedFile>();
  const used = new Map<string, Promise<void>>();
  const makers = digestOfMakers();
  const rules = new Set<string>();

  /**
   * Returns a picture that is kept, or makes it.
   * @param recipe the name of its files, and everything besides the source that it depends on
   */
  const keep = async <Image>(
    source: Buffer,
    [name, ...recipe]: readonly [name: string, ...unknown[]],
    schema: v.GenericSchema<unknown, Image>,
    make: (addressOf: AddressOf) => Promise<Made<Image>>,
  ): Promise<Image> => {
    const digest = createHash('sha256').update(source);
    const key = digest.update(JSON.stringify([name, recipe, await makers])).digest('hex');
    const kept = join(keptFolder, key);
    const addressOf: AddressOf = (part, ending) =>
      `${MEDIA_ADDRESS}${[name, part, key.slice(0, 8).toUpperCase()].filter(Boolean).join('-')}.${ending}`;
    const making = used.get(key) ?? (isKept(kept) ? Promise.resolve() : make(addressOf).then(writer(kept)));
    used.set(key, making);
    await making;
    for (const file of await readdir(kept)) {
      const to = `${MEDIA_ADDRESS.slice(1)}${file}`;
      if (file !== DESCRIPTION) published.set(to, { from: join(kept, file), to });
    }
    return v.parse(schema, JSON.parse(await readFile(join(kept, DESCRIPTION), 'utf8')));
  };
  const makeFile = async (place: Place, file: string, focus: readonly [number, number] = [50, 50]) => {
    const source = await readFile(media(file));
    const { name, ext } = parse(file);
    const shape = places[place];
    return /^\.svg$/i.test(ext)
      ? keep(source, [name], imageSchema, (addressOf) => makeDrawing(file, source, addressOf))
      : keep(source, [`${name}-${place}`, shape, focus], imageSchema, (addressOf) =>
          makePhotograph(file, source, shape, focus, addressOf),
        );
  };
  const makeShown = async (place: Place, file: string, focus?: readonly [number, number]) => {
    const image = await makeFile(place, file, focus);
    if (image.tone) rules.add(`.tone-${image.tone}{background-color:#${image.tone}}`);
    return image;
  };
  const publish = async (file: string): Promise<string> => {
    const digest = createHash('sha256').update(await readFile(media(file)));
    const { name, ext } = parse(file);
    const address = `${MEDIA_ADDRESS}${name}-${digest.digest('hex').slice(0, 8).toUpperCase()}${ext}`;
    published.set(address, { from: media(file), to: address.slice(1) });
    return address;
  };
  return {
    /** @param focus where the eye should rest, in percent from the left and from the top; the middle by default */
    make: async (place: Place, name: string, focus?: readonly [number, number]): Promise<Picture> =>
      v.is(drawingSchema, name) ? name : makeShown(place, name, focus),
    async makeLogo(name: string): Promise<WordMarkName | LogoFile> {
      if (v.is(wordMarkSchema, name)) return name;
      const source = await readFile(media(name));
      const logo = await keep(source, [parse(name).name, 'logo'], logoSchema, (addressOf) =>
        makeLogo(name, source, addressOf),
      );
      rules.add(`.logo-${logo.quarters}{inline-size:${logo.quarters / 4}em}`);
      return logo;
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
      const { width, height } = await sharp(media('social-card.png')).metadata();
      return { src: await publish('social-card.png'), width, height };
    },
    /** The CSS rules that the page's style sheet needs for the pictures made. */
    style: () => [...rules].sort().join('\n'),
    /** All files that were asked for. */
    files: (): readonly PublishedFile[] => [...published.values()],
    /** Removes the pictures that earlier builds kept and this one did not use. */
    async prune(): Promise<void> {
      const left = await readdir(keptFolder).catch(() => []);
      for (const name of left.filter((name) => !used.has(name)))
        await rm(join(keptFolder, name), { recursive: true, force: true });
    },
  };
}

const DESCRIPTION = 'picture.json';
const isKept = (kept: string): boolean => existsSync(join(kept, DESCRIPTION));

/** Writes the whole folder or nothing: another build may be writing the same picture. */
const writer =
  (kept: string) =>
  async ({ image, files }: Made<unknown>): Promise<void> => {
    const draft = `${kept}.${process.pid}`;
    await mkdir(draft, { recursive: true });
    for (const [address, data] of files) await writeFile(join(draft, basename(address)), data);
    await writeFile(join(draft, DESCRIPTION), JSON.stringify(image));
    try {
      await rename(draft, kept);
    } catch (error) {
      await rm(draft, { recursive: true });
      if (!isKept(kept)) throw error;
    }
  };

async function digestOfMakers(): Promise<string> {
  const digest = createHash('sha256').update(JSON.stringify(sharp.versions));
  for (const file of MAKERS) digest.update(await readFile(join(import.meta.dirname, file)));
  return digest.digest('hex');
}
