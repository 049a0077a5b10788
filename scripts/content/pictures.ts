import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import sharp from 'sharp';
import * as v from 'valibot';
import {
  drawings,
  type ImageFile,
  illustrations,
  type Picture,
  type WordMarkName,
  wordMarks,
} from '#shared/content/entities.ts';

/** Where pictures stand on the page: each place has a shape of its own. */
export type Place =
  | 'hero'
  | 'transform'
  | 'benefits'
  | 'author'
  | 'circle'
  | 'portrait'
  | 'approach'
  | 'closing';

const drawingSchema = v.picklist([...drawings, ...illustrations]);
const wordMarkSchema = v.picklist(wordMarks);

/** A file that the build publishes. */
export interface PublishedFile {
  from: string;
  /** Below the public folder. */
  to: string;
}

/** Makes the pictures of one edition ready to be published. */
export interface Pictures {
  make(place: Place, name: string, focus?: readonly [number, number]): Promise<Picture>;
  makeLogo(name: string): Promise<WordMarkName | ImageFile>;
  makePoster(file: string): Promise<ImageFile>;
  /** @returns the address of a file that is published as it is */
  publish(file: string): Promise<string>;
  publishCard(): Promise<{ src: string; width: number; height: number }>;
  /** All files that were asked for. */
  files(): readonly PublishedFile[];
}

/** The pictures in the `media/` of an edition's folder. */
export function picturesOf(editionPath: string): Pictures {
  const published = new Map<string, PublishedFile>();
  const publish = async (file: string): Promise<string> => {
    const from = join(editionPath, 'media', file);
    const hash = createHash('sha256')
      .update(await readFile(from))
      .digest('hex')
      .slice(0, 8)
      .toUpperCase();
    const { name, ext } = parse(file);
    const to = `static/media/${name}-${hash}${ext}`;
    published.set(to, { from, to });
    return `/${to}`;
  };
  const asItIs = async (file: string): Promise<ImageFile> => {
    const { width, height } = await sharp(join(editionPath, 'media', file)).metadata();
    return { src: await publish(file), width, height, sources: [] };
  };
  return {
    make: async (_place, name) => (v.is(drawingSchema, name) ? name : asItIs(name)),
    makeLogo: async (name) => (v.is(wordMarkSchema, name) ? name : asItIs(name)),
    makePoster: asItIs,
    publish,
    publishCard: async () => {
      const { src, width, height } = await asItIs('social-card.png');
      return { src, width, height };
    },
    files: () => [...published.values()],
  };
}
