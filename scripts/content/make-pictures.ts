import sharp from 'sharp';
import type { ImageFile } from '#shared/content/entities.ts';
import type { PlaceShape } from './picture-places.ts';
import { sanitiseSvg } from './sanitise.ts';

/** Something that an author has to correct in a file of `media/`; the message says how. */
export class PictureProblem extends Error {
  override name = 'PictureProblem';
}

/**
 * Reads pixels, or facts about them, from an author's file.
 * @throws {PictureProblem} when the file is broken, or its content does not match its name's extension
 */
export async function readPixels<Result>(file: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (error) {
    const why = error instanceof Error ? error.message.trim().split('\n')[0] : String(error);
    throw new PictureProblem(
      `${file} cannot be read as a picture (${why}): export it once more, as JPEG, PNG or SVG`,
    );
  }
}

/**
 * An SVG keeps its own shape, and is made once for all sizes.
 * @throws {PictureProblem} when it cannot be read
 */
export async function makeDrawing(file: string, source: Buffer) {
  const drawing = Buffer.from(await readPixels(file, async () => sanitiseSvg(source.toString('utf8'))));
  const { width, height } = await readPixels(file, () => sharp(drawing).metadata());
  return { drawing, width, height };
}

/** The fallback's largest width. It is for readers of neither `srcset` nor `<source>`, such as a film's poster. */
const FALLBACK_WIDTH = 720;

/** AVIF takes most of a build's time: effort 3 makes it three times as long, for files an eighth smaller. */
const AVIF = { quality: 55, effort: 1, chromaSubsampling: '4:2:0' } as const;
const WEBP = { quality: 78, effort: 4 } as const;

interface Size {
  width: number;
  height: number;
}

/** Returns where the file of a width in pixels is, and its URL path; encodes it unless that was done before. */
type Keep = (
  width: number,
  ending: 'avif' | 'webp',
  encode: () => Promise<Buffer>,
) => Promise<{ path: string; address: string }>;

/**
 * A photograph for one place of the page: cut to its shape around what matters, in sRGB, upright, without metadata, in the
 * widths that the place needs and never larger than it is.
 * @param focus where the eye should rest, in percent from the left and from the top
 * @throws {PictureProblem} when it cannot be read, or is too small
 */
export async function makePhotograph(
  file: string,
  source: Buffer,
  shape: PlaceShape,
  focus: readonly [number, number],
  keep: Keep,
): Promise<ImageFile> {
  const { autoOrient: whole } = await readPixels(file, () => sharp(source).metadata());
  const crop = cropOf(whole, shape.aspect, focus);
  if (Math.round(crop.width) < shape.leastWidth) throw tooSmall(file, whole, shape.leastWidth / crop.width);

  const heightOf = (width: number) => Math.round(width / shape.aspect);
  const most = Math.min(Math.max(...shape.widths), Math.round(crop.width));
  const scale = most / crop.width;
  const target = { width: most, height: heightOf(most) };
  const scaled = {
    width: Math.max(target.width, Math.round(whole.width * scale)),
    height: Math.max(target.height, Math.round(whole.height * scale)),
  };
  // Resized first and cropped then, so that a JPEG is decoded at a fraction of its size.
  const decode = () =>
    sharp(source)
      .autoOrient()
      .resize({ ...scaled, fit: 'fill' })
      .extract({
        ...target,
        left: Math.min(Math.round(crop.left * scale), scaled.width - target.width),
        top: Math.min(Math.round(crop.top * scale), scaled.height - target.height),
      })
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
  let pixels: ReturnType<typeof decode> | undefined;
  const make = (width: number, ending: 'avif' | 'webp') =>
    keep(width, ending, async () => {
      pixels ??= readPixels(file, decode);
      const { data, info } = await pixels;
      const resized = sharp(data, { raw: info }).resize({ width, height: heightOf(width), fit: 'fill' });
      return (ending === 'avif' ? resized.avif(AVIF) : resized.webp(WEBP)).toBuffer();
    });

  const widths = [...shape.widths.filter((width) => width < most), most];
  const srcSetOf = async (ending: 'avif' | 'webp') => {
    const made = await Promise.all(widths.map((width) => make(width, ending)));
    return made.map(({ address }, index) => `${address} ${widths[index]}w`).join(', ');
  };
  const [avif, webp] = await Promise.all([srcSetOf('avif'), srcSetOf('webp')]);
  const fallback = widths.findLast((width) => width <= FALLBACK_WIDTH) ?? most;
  const { address, path } = await make(fallback, 'webp');
  const { channels, isOpaque } = await sharp(path).stats();
  return {
    src: address,
    width: fallback,
    height: heightOf(fallback),
    widths: { avif, webp, sizes: shape.sizes },
    ...(isOpaque && { tone: toneOf(channels.map(({ mean }) => mean)) }),
  };
}

/** The largest part of a picture with this aspect ratio, its middle as near to the focus as possible. */
function cropOf({ width, height }: Size, aspect: number, [x, y]: readonly [number, number]) {
  const crop = { width: Math.min(width, height * aspect), height: Math.min(height, width / aspect) };
  const within = (middle: number, part: number, all: number) =>
    Math.min(Math.max(middle - part / 2, 0), all - part);
  return {
    ...crop,
    left: within((x / 100) * width, crop.width, width),
    top: within((y / 100) * height, crop.height, height),
  };
}

function tooSmall(file: string, { width, height }: Size, factor: number): PictureProblem {
  const times = (by: number) => `${Math.ceil(width * by)} by ${Math.ceil(height * by)}`;
  return new PictureProblem(
    `${file} is ${width} by ${height} pixels, too small for this place: take one of ${times(factor)} or more, best ${times(2 * factor)}`,
  );
}

/** The mean colour in three hexadecimal digits, which is close enough for a moment. */
function toneOf([red = 0, green = red, blue = red]: readonly number[]): string {
  return [red, green, blue].map((channel) => Math.round(channel / 17).toString(16)).join('');
}
