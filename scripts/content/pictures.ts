import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import sharp from 'sharp';
import type { ImageFile, PictureFile } from '#shared/content/entities.ts';

export interface PublishedFile {
  from: string;
  /** Below the public folder. */
  to: string;
}

/** Something that an author has to correct in a file of `media/`; the message says how. */
export class PictureProblem extends Error {
  override name = 'PictureProblem';
}

/** The encoders. AVIF takes most of a build's time: effort 3 makes it three times as long, for files an eighth smaller. */
const FORMATS = {
  avif: { quality: 55, effort: 1, chromaSubsampling: '4:2:0' },
  webp: { quality: 78 },
  jpeg: { quality: 80, mozjpeg: true },
  png: { palette: true, compressionLevel: 9 },
};
/** A picture is made again when this code changes. */
const MADE_BY = [await readFile(import.meta.filename), JSON.stringify(sharp.versions)];
/** What could run in a drawing, or load something. */
const NOT_DRAWN = /<script|<foreignObject|\son\w+\s*=|javascript:|(?:href|src)\s*=\s*["'](?!#|data:image\/)/i;

/**
 * Publishes the files in the `media/` of an edition: as they are, or pictures as the page shows them. What is made is kept
 * between builds, named by what it is made of.
 */
export function picturesOf(editionPath: string, keptFolder = join('.data', 'pictures')) {
  // Pictures are made in parallel, each on one core.
  sharp.concurrency(1);
  const published = new Map<string, string>();
  const making = new Map<string, Promise<void>>();
  const publishAs = (from: string, name: string): string => {
    published.set(`static/media/${name}`, from);
    return `/static/media/${name}`;
  };
  /** The address of a file that is made unless there is one of this name. */
  const keep = async (name: string, make: () => Promise<Buffer>): Promise<string> => {
    const path = join(keptFolder, name);
    const made = making.get(name) ?? (existsSync(path) ? Promise.resolve() : make().then(writerOf(path)));
    making.set(name, made);
    await made;
    return publishAs(path, name);
  };
  const publish = async (file: string): Promise<string> => {
    const path = join(editionPath, 'media', file);
    const { name, ext } = parse(file);
    return publishAs(path, `${name}-${digestOf(await readFile(path))}${ext}`);
  };
  return {
    publish,
    /**
     * A photograph is cut to the shape of its place around the focus, in percent, and encoded upright, in sRGB and without
     * metadata, as wide as it is shown and, if it is large enough, twice as wide. A drawing, in SVG, stays as it is.
     * @throws {PictureProblem} when it cannot be read, or is too small
     */
    async make({ file, width, height }: PictureFile, focus = [50, 50]): Promise<ImageFile> {
      const path = join(editionPath, 'media', file);
      const source = await readFile(path);
      const { autoOrient: whole, format, hasAlpha } = await readable(file, () => sharp(source).metadata());
      if (format === 'svg') {
        if (NOT_DRAWN.test(source.toString()))
          throw new PictureProblem(`${file} holds more than a drawing: export it once more, as plain SVG`);
        return { src: await publish(file), ...whole };
      }
      const aspect = height ? width / height : whole.width / whole.height;
      const area = {
        width: Math.min(whole.width, whole.height * aspect),
        height: Math.min(whole.height, whole.width / aspect),
      };
      const factor = width / area.width;
      if (Math.round(area.width) < width) {
        const size = (times: number) =>
          `${Math.ceil(whole.width * times)} by ${Math.ceil(whole.height * times)}`;
        const larger = `take one of ${size(factor)} or more, best ${size(2 * factor)}`;
        throw new PictureProblem(`${file} is ${size(1)} pixels, too small for this place: ${larger}`);
      }
      const startOf = (side: 'width' | 'height', percent = 50) =>
        Math.min(Math.max((percent / 100) * whole[side] - area[side] / 2, 0), whole[side] - area[side]);
      const cut = {
        left: Math.floor(startOf('width', focus[0])),
        top: Math.floor(startOf('height', focus[1])),
        width: Math.floor(area.width),
        height: Math.floor(area.height),
      };
      const heightAt = (wide: number) => Math.round(wide / aspect);
      const encode = async (ending: keyof typeof FORMATS): Promise<string> => {
        const widths = new Set([width, Math.min(2 * width, cut.width)]);
        const made = [...widths].map(async (wide) => {
          const pixels = () =>
            sharp(source)
              .autoOrient()
              .extract(cut)
              .resize({ width: wide, height: heightAt(wide), fit: 'fill' });
          const digest = digestOf(source, JSON.stringify([wide, cut]), ...MADE_BY);
          const make = () =>
            readable(file, () => pixels().toColourspace('srgb').toFormat(ending, FORMATS[ending]).toBuffer());
          return `${await keep(`${parse(file).name}-${digest}.${ending}`, make)} ${wide / width}x`;
        });
        return (await Promise.all(made)).join(', ');
      };
      const all = ['avif', 'webp', format === 'png' || hasAlpha ? 'png' : 'jpeg'] as const;
      const [avif = '', webp = '', last = ''] = await Promise.all(all.map(encode));
      return { src: last.replace(/ .*$/, ''), width, height: heightAt(width), sets: { avif, webp, last } };
    },
    /** A drawing of this site in the colours of the edition. */
    makeDrawing: (name: string, svg: string) =>
      keep(`${name}-${digestOf(svg)}.svg`, async () => Buffer.from(svg)),
    files: (): readonly PublishedFile[] => [...published].map(([to, from]) => ({ from, to })),
    /** Removes the pictures that earlier builds kept and this one did not use. */
    async prune(): Promise<void> {
      const kept = await readdir(keptFolder).catch(() => []);
      for (const name of kept.filter((name) => !making.has(name)))
        await rm(join(keptFolder, name), { recursive: true, force: true });
    },
  };
}

export type Pictures = ReturnType<typeof picturesOf>;

/** @throws {PictureProblem} when the file is broken, or its content does not match its name's extension */
async function readable<Result>(file: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const why = error instanceof Error ? error.message.trim().split('\n')[0] : String(error);
    throw new PictureProblem(
      `${file} cannot be read as a picture (${why}): export it once more, as JPEG, PNG or SVG`,
    );
  }
}

function digestOf(...parts: readonly (string | Buffer)[]): string {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part);
  return digest.digest('hex').slice(0, 8).toUpperCase();
}

/** Writes the whole file or nothing: another build may be writing the same picture. */
const writerOf =
  (path: string) =>
  async (data: Buffer): Promise<void> => {
    const draft = `${path}.${process.pid}`;
    await mkdir(parse(path).dir, { recursive: true });
    await writeFile(draft, data);
    await rename(draft, path);
  };
