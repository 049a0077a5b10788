import sharp from 'sharp';
import type { ImageFile } from '#shared/content/entities.ts';
import { sanitiseSvg } from './sanitise.ts';

/** The shape of a place of the page, and how large its style sheet shows a picture there. */
export interface PlaceShape {
  aspect: number;
  /**
   * In CSS pixels: the least width that looks sharp on a standard-density screen when the place is widest.
   */
  leastWidth: number;
  /** In pixels: the widths that are made, for phones up to high-density screens, the widest last. */
  widths: readonly number[];
  /** The HTML attribute `sizes`, by which a browser chooses a width; it has to match the CSS of the place. */
  sizes: string;
}

/** The inner width of a section on a phone, its edges left out: see `--space-edge`. */
const PHONE = '(100vw - 2.5rem)';

/** The places for pictures on the page. A photograph has the shape of the drawing that it replaces. */
export const places = {
  hero: {
    aspect: 524 / 622,
    leastWidth: 544,
    widths: [360, 544, 720, 1088],
    sizes: `(min-width: 64rem) clamp(24rem, 60vh, 34rem), (min-width: 48rem) 36vw, min(${PHONE}, 14rem)`,
  },
  transform: {
    aspect: 240 / 180,
    leastWidth: 320,
    widths: [320, 640],
    sizes: '(min-width: 56rem) min(27vw, 20rem), (min-width: 40rem) 15rem, 25vw',
  },
  benefits: {
    aspect: 440 / 400,
    leastWidth: 448,
    widths: [448, 896],
    sizes: `(min-width: 60rem) min(38vw, 28rem), (min-width: 40rem) 34vw, (min-width: 24rem) 9rem, 11.5rem`,
  },
  author: {
    aspect: 152 / 196,
    leastWidth: 360,
    widths: [360, 720],
    sizes: '(min-width: 44rem) min(29vw, 22.5rem), (min-width: 20rem) 6.5rem, 19rem',
  },
  /** The author's, in the first view. */
  face: { aspect: 1, leastWidth: 60, widths: [60, 120, 180], sizes: '3.75rem' },
  /** Of a book. */
  cover: { aspect: 200 / 280, leastWidth: 144, widths: [144, 288], sizes: '9rem' },
  /** An endorsement's, cut to a circle or not. */
  portrait: {
    aspect: 1,
    leastWidth: 112,
    widths: [112, 264],
    sizes: '(min-width: 44rem) 7rem, 4.5rem',
  },
  approach: {
    aspect: 640 / 760,
    leastWidth: 488,
    widths: [360, 488, 720, 976],
    sizes: `(min-width: 60rem) min(41vw, 30.5rem), min(0.68 * ${PHONE}, 30rem)`,
  },
  closing: {
    aspect: 560 / 630,
    leastWidth: 504,
    widths: [360, 504, 720, 1008],
    sizes: `(min-width: 60rem) min(42vw, 31.5rem), min(0.65 * ${PHONE}, 26rem)`,
  },
  /** The poster of a film that this site hosts: `<video>` takes one file. */
  still: { aspect: 16 / 9, leastWidth: 520, widths: [720], sizes: '' },
  /** The poster of a film that another host serves. */
  poster: {
    aspect: 16 / 9,
    leastWidth: 520,
    widths: [360, 720, 1040],
    sizes: `(min-width: 44rem) min(43vw, 32.5rem), calc(0.82 * ${PHONE})`,
  },
} as const satisfies Record<string, PlaceShape>;

export type Place = keyof typeof places;

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

/** In em: the area of a logo, the same as a word-mark's; and the largest width and height. */
const AREA = 9.5;
const MAX_WIDTH = 8;
const MAX_HEIGHT = 3.5;

const CSS_PIXELS_PER_EM = 16;
const PIXELS_PER_CSS_PIXEL = 3;

/** In pixels: the longer side, at most, of the image that is measured. */
const MEASURED = 800;
/** Of 255: what is less opaque is treated as the ground. */
const FAINT = 25;

/**
 * A logo in black on a transparent ground, as WebP, without margins; in CSS pixels, and its width in quarters of an em.
 * Logos of all shapes get the same area.
 * @throws {PictureProblem} when it cannot be read, has no transparent ground or is too small
 */
export async function makeLogo(file: string, source: Buffer) {
  const { data, info } = await readPixels(file, () => opacityOf(source));
  if (data.every((opacity) => opacity === 255))
    throw new PictureProblem(`the logo in ${file} has no transparent ground: save it so, as PNG or SVG`);
  if (data.every((opacity) => opacity < FAINT)) throw new PictureProblem(`nothing is seen in ${file}`);
  const shape = await sharp(data, { raw: info })
    .trim({ background: '#000', threshold: FAINT, lineArt: true })
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = shape.info;
  const aspect = width / height;
  const widest = Math.min(Math.sqrt(AREA * aspect), MAX_WIDTH, MAX_HEIGHT * aspect);
  const quarters = Math.max(Math.round(widest * 4), 1);
  const cssWidth = (quarters / 4) * CSS_PIXELS_PER_EM;
  if (width < cssWidth) {
    throw new PictureProblem(
      `the logo in ${file} is ${width} pixels wide, too small for its row: take one of ${Math.ceil(cssWidth)} or more, best ${Math.ceil(2 * cssWidth)}, or an SVG`,
    );
  }
  const black = await sharp({ create: { width, height, channels: 3, background: '#000' } })
    .joinChannel(shape.data, { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer();
  const image = await sharp(black)
    .resize({ width: Math.round(cssWidth * PIXELS_PER_CSS_PIXEL), withoutEnlargement: true })
    .webp({ lossless: true })
    .toBuffer();
  return { image, width: Math.round(cssWidth), height: Math.round(cssWidth / aspect), quarters };
}

/** How opaque each pixel is, a byte each. */
async function opacityOf(source: Buffer) {
  const { format, width, height } = await sharp(source).metadata();
  const density = format === 'svg' ? Math.min((72 * MEASURED) / Math.max(width, height), 100_000) : 72;
  return sharp(source, { density })
    .autoOrient()
    .resize({ width: MEASURED, height: MEASURED, fit: 'inside', withoutEnlargement: true })
    .ensureAlpha()
    .extractChannel('alpha')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
}
