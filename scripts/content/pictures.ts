import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
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
import {
  type AddressOf,
  keepPictures,
  type Made,
  MEDIA_ADDRESS,
  type PublishedFile,
} from './kept-pictures.ts';
import { makeLogo } from './make-logo.ts';
import { makePhotograph } from './make-photograph.ts';
import { type Place, places } from './picture-places.ts';
import { readPixels } from './picture-problem.ts';
import { sanitiseSvg } from './sanitise-svg.ts';

/** Where pictures are kept from one build to the next. */
const KEPT_FOLDER = '.data/pictures';

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

/**
 * Makes the pictures of one edition ready to be published.
 * The methods that make a picture throw a `PictureProblem` when its author has to correct something.
 */
export interface Pictures {
  /**
   * @param focus where the eye should rest, in percent from the left and from the top; the middle by default
   */
  make(place: Place, name: string, focus?: readonly [number, number]): Promise<Picture>;
  makeLogo(name: string): Promise<WordMarkName | LogoFile>;
  /** @param single whether the poster has to be a single file, as for `<video>` */
  makePoster(file: string, single: boolean): Promise<ImageFile>;
  /** @returns the address of a file that is published as it is */
  publish(file: string): Promise<string>;
  publishCard(): Promise<{ src: string; width: number; height: number }>;
  /** The CSS rules that the page's style sheet needs for the pictures made. */
  style(): string;
  /** All files that were asked for. */
  files(): readonly PublishedFile[];
  /** Removes the pictures that earlier builds kept and this one did not use. */
  prune(): Promise<void>;
}

/** The pictures in the `media/` of an edition's folder. */
export function picturesOf(editionPath: string, keptFolder = KEPT_FOLDER): Pictures {
  // Pictures are made in parallel, each on one core.
  sharp.concurrency(1);
  const media = (file: string) => join(editionPath, 'media', file);
  const published = new Map<string, PublishedFile>();
  const kept = keepPictures(keptFolder);
  const rules = new Set<string>();

  const keep = async <Image>(...[source, recipe, schema, make]: Parameters<typeof kept.keep<Image>>) => {
    const { image, files } = await kept.keep(source, recipe, schema, make);
    for (const file of files) published.set(file.to, file);
    return image;
  };
  const makeFile = async (place: Place, file: string, focus: readonly [number, number] = [50, 50]) => {
    const source = await readFile(media(file));
    const { name, ext } = parse(file);
    const shape = places[place];
    const image = /^\.svg$/i.test(ext)
      ? await keep(source, [name], imageSchema, (addressOf) => makeDrawing(file, source, addressOf))
      : await keep(source, [`${name}-${place}`, shape, focus], imageSchema, (addressOf) =>
          makePhotograph(file, source, shape, focus, addressOf),
        );
    return image;
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
    make: async (place, name, focus) => (v.is(drawingSchema, name) ? name : makeShown(place, name, focus)),
    async makeLogo(name) {
      if (v.is(wordMarkSchema, name)) return name;
      const source = await readFile(media(name));
      const logo = await keep(source, [parse(name).name, 'logo'], logoSchema, (addressOf) =>
        makeLogo(name, source, addressOf),
      );
      rules.add(`.logo-${logo.quarters}{inline-size:${logo.quarters / 4}em}`);
      return logo;
    },
    async makePoster(file, single) {
      if (!single) return makeShown('poster', file);
      const { src, width, height } = await makeFile('still', file);
      return { src, width, height };
    },
    publish,
    async publishCard() {
      const { width, height } = await sharp(media('social-card.png')).metadata();
      return { src: await publish('social-card.png'), width, height };
    },
    style: () => [...rules].sort().join('\n'),
    files: () => [...published.values()],
    prune: kept.prune,
  };
}

/** A drawing keeps its own shape, and is made once for all sizes. */
async function makeDrawing(file: string, source: Buffer, addressOf: AddressOf): Promise<Made<ImageFile>> {
  const drawing = Buffer.from(await readPixels(file, async () => sanitiseSvg(source.toString('utf8'))));
  const { width, height } = await readPixels(file, () => sharp(drawing).metadata());
  const src = addressOf('', 'svg');
  return { image: { src, width, height }, files: new Map([[src, drawing]]) };
}
