import sharp, { type OutputInfo, type Sharp } from 'sharp';
import { PictureProblem, readPixels } from './make-pictures.ts';

/** In em: the area of a logo of common density, the same as a word-mark's; and the largest width and height. */
const AREA = 9.5;
const MAX_WIDTH = 8;
const MAX_HEIGHT = 3.5;
/** The part of its box that a logo of common density fills. */
const COMMON_INK = 0.35;
/** How much density counts, from 0 to 1: with 1, the area would be inversely proportional to the density. */
const INK_WEIGHT = 0.4;

const CSS_PIXELS_PER_EM = 16;
const PIXELS_PER_CSS_PIXEL = 3;

/** In pixels: the longer side, at most, of the image that is measured. */
const MEASURED = 800;
/** Of 255: the difference from which two shades of grey can be told apart. */
const VISIBLE = 40;
/** From 0 to 1: how much of its border the ground of a logo covers at least. */
const EVEN = 0.8;
/** From 0 to 1, of a mark on a transparent ground: one that is lighter is laid on black to be seen. */
const LIGHT = 0.6;
/** From 0 to 1: fainter ink is treated as JPEG noise, and fainter ink at the edges is cut off. */
const NOISE = 0.08;
const FAINT = 0.1;

/**
 * A logo in one ink on a transparent ground, as WebP, without margins, in a size that gives it the same optical weight
 * as others: in CSS pixels, and its width in quarters of an em.
 * @throws {PictureProblem} when it cannot be read, has no even ground or is too small
 */
export async function makeLogo(file: string, source: Buffer) {
  const ink = await inkOf(file, source);
  const { data, info } = await greyOf(
    sharp(ink.data, { raw: ink.info }).trim({ background: '#000', threshold: 255 * FAINT, lineArt: true }),
  );
  const { width, height } = info;
  const density = meanOf(data) / 255;
  const size = sizeOf(width / height, density);
  const cssWidth = size.width * CSS_PIXELS_PER_EM;
  if (width < cssWidth) {
    throw new PictureProblem(
      `the logo in ${file} is ${width} pixels wide, too small for its row: take one of ${Math.ceil(cssWidth)} or more, best ${Math.ceil(2 * cssWidth)}, or an SVG`,
    );
  }
  const black = await sharp({ create: { width, height, channels: 3, background: '#000' } })
    .joinChannel(data, { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer();
  const image = await sharp(black)
    .resize({ width: Math.round(cssWidth * PIXELS_PER_CSS_PIXEL), withoutEnlargement: true })
    .webp({ lossless: true })
    .toBuffer();
  return {
    image,
    width: Math.round(cssWidth),
    height: Math.round(size.height * CSS_PIXELS_PER_EM),
    quarters: Math.round(size.width * 4),
  };
}

/** In em: logos of all shapes get the same area, dense ones a smaller one. */
function sizeOf(aspect: number, density: number): { width: number; height: number } {
  const area = AREA * (COMMON_INK / Math.max(density, 0.1)) ** INK_WEIGHT;
  const width = Math.min(Math.sqrt(area * aspect), MAX_WIDTH, MAX_HEIGHT * aspect);
  const inQuarters = Math.max(Math.round(width * 4), 1) / 4;
  return { width: inQuarters, height: inQuarters / aspect };
}

/** How much ink lies on each pixel, in one channel: what differs from the logo's ground. */
async function inkOf(file: string, source: Buffer) {
  const pixels = await readPixels(file, () => readRgba(source));
  const [onWhite, onBlack] = [await greyOn(pixels, '#fff'), await greyOn(pixels, '#000')];
  const [white, black] = [meanOf(onWhite.data), meanOf(onBlack.data)];
  // Light letters on a transparent ground are ink; light letters inside a dark shape are not.
  const isLight = black > LIGHT * (255 - white + black);
  const { data, info } = isLight ? onBlack : onWhite;
  const border = data.filter((_, index) => isOnBorder(index, info)).sort();
  const ground = border[Math.floor(border.length / 2)] ?? 0;
  const isGround = (byte: number) => Math.abs(byte - ground) < VISIBLE;
  if (border.filter(isGround).length < EVEN * border.length) {
    throw new PictureProblem(
      `the logo in ${file} has no even ground: save it on white, or on none as PNG or SVG`,
    );
  }
  if (data.every(isGround)) throw new PictureProblem(`nothing is seen in ${file}: it has one color all over`);
  const ink = sharp(data, { raw: info })
    .negate(ground > 127 && { alpha: false })
    .normalise({ lower: 1, upper: 100 })
    .linear(1 / (1 - NOISE), (-255 * NOISE) / (1 - NOISE));
  return greyOf(ink);
}

async function readRgba(source: Buffer): Promise<Sharp> {
  const { format, width, height } = await sharp(source).metadata();
  const density = format === 'svg' ? Math.min((72 * MEASURED) / Math.max(width, height), 100_000) : 72;
  const { data, info } = await sharp(source, { density })
    .autoOrient()
    .resize({ width: MEASURED, height: MEASURED, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  return sharp(data, { raw: info });
}

const greyOn = (pixels: Sharp, background: string) => greyOf(pixels.clone().flatten({ background }));

/** The pixels of a picture in shades of grey, a byte each. */
const greyOf = (picture: Sharp) => picture.toColourspace('b-w').raw().toBuffer({ resolveWithObject: true });

const meanOf = (bytes: Buffer): number => bytes.reduce((sum, byte) => sum + byte, 0) / bytes.length;

function isOnBorder(index: number, { width, height }: OutputInfo): boolean {
  const [x, y] = [index % width, Math.floor(index / width)];
  return x === 0 || y === 0 || x === width - 1 || y === height - 1;
}
