import sharp from 'sharp';
import type { LogoFile } from '#shared/content/entities.ts';
import { type AddressOf, type Made, PictureProblem, readPixels } from './make-pictures.ts';

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
/** The distance from which two colours can be told apart; the largest possible distance is 442. */
const VISIBLE = 40;
/** From 0 to 1: fainter ink is treated as JPEG noise, and fainter ink at the edges is cut off. */
const NOISE = 0.08;
const FAINT = 0.1;

/**
 * A logo in one ink on a transparent ground, without margins, in a size that gives it the same optical weight
 * as others.
 * @throws {PictureProblem} when it cannot be read, has no even ground or is too small
 */
export async function makeLogo(file: string, source: Buffer, addressOf: AddressOf): Promise<Made<LogoFile>> {
  const ink = inkOf(file, await readPixels(file, () => readRgba(source)));
  if (!ink.amounts.some((amount) => amount >= FAINT))
    throw new PictureProblem(`nothing is seen in ${file}: it is transparent all over`);
  const black = Buffer.alloc(4 * ink.amounts.length);
  for (const [index, amount] of ink.amounts.entries()) black[4 * index + 3] = Math.round(255 * amount);
  const { data, info } = await sharp(black, { raw: { width: ink.width, height: ink.height, channels: 4 } })
    .trim({ threshold: 255 * FAINT, lineArt: true })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const trimmed = sharp(data, { raw: info });

  const density = ((await trimmed.stats()).channels.at(-1)?.mean ?? 0) / 255;
  const size = sizeOf(info.width / info.height, density);
  const cssWidth = size.width * CSS_PIXELS_PER_EM;
  if (info.width < cssWidth) {
    throw new PictureProblem(
      `the logo in ${file} is ${info.width} pixels wide, too small for its row: take one of ${Math.ceil(cssWidth)} or more, best ${Math.ceil(2 * cssWidth)}, or an SVG`,
    );
  }
  const image = await trimmed
    .resize({ width: Math.round(cssWidth * PIXELS_PER_CSS_PIXEL), withoutEnlargement: true })
    .webp({ lossless: true })
    .toBuffer();
  const src = addressOf('', 'webp');
  return {
    image: {
      src,
      width: Math.round(cssWidth),
      height: Math.round(size.height * CSS_PIXELS_PER_EM),
      quarters: Math.round(size.width * 4),
    },
    files: new Map([[src, image]]),
  };
}

/** In em: logos of all shapes get the same area, dense ones a smaller one. */
function sizeOf(aspect: number, density: number): { width: number; height: number } {
  const area = AREA * (COMMON_INK / Math.max(density, 0.1)) ** INK_WEIGHT;
  const width = Math.min(Math.sqrt(area * aspect), MAX_WIDTH, MAX_HEIGHT * aspect);
  const inQuarters = Math.max(Math.round(width * 4), 1) / 4;
  return { width: inQuarters, height: inQuarters / aspect };
}

/** By pixel, counted along the rows: red, green and blue, and how opaque and how light it is, from 0 to 1. */
interface Pixels {
  width: number;
  height: number;
  colorAt(index: number): readonly [red: number, green: number, blue: number];
  alphaAt(index: number): number;
  lightAt(index: number): number;
}

async function readRgba(source: Buffer): Promise<Pixels> {
  const { format, width, height } = await sharp(source, { limitInputPixels: false }).metadata();
  const density = format === 'svg' ? Math.min((72 * MEASURED) / Math.max(width, height), 100_000) : 72;
  const { data, info } = await sharp(source, { density, limitInputPixels: false })
    .autoOrient()
    .resize({ width: MEASURED, height: MEASURED, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const byte = (index: number, channel: number): number => data[4 * index + channel] ?? 0;
  return {
    width: info.width,
    height: info.height,
    colorAt: (index) => [byte(index, 0), byte(index, 1), byte(index, 2)],
    alphaAt: (index) => byte(index, 3) / 255,
    lightAt: (index) => (0.2126 * byte(index, 0) + 0.7152 * byte(index, 1) + 0.0722 * byte(index, 2)) / 255,
  };
}

/** How much ink lies on each pixel, from 0 to 1. */
interface Ink {
  width: number;
  height: number;
  amounts: Float32Array;
}

/**
 * On an opaque ground, ink is what differs from the ground. On a transparent ground, ink is what is opaque,
 * except the light parts inside a dark mark.
 */
function inkOf(file: string, pixels: Pixels): Ink {
  const { width, height, alphaAt } = pixels;
  const corners = [0, width - 1, (height - 1) * width, height * width - 1];
  const isOnGround = corners.every((index) => alphaAt(index) > 0.95);
  const amounts = isOnGround ? inkOnGround(file, pixels) : inkOnNothing(pixels);
  return { width, height, amounts: amounts.map((amount) => Math.max(0, (amount - NOISE) / (1 - NOISE))) };
}

function inkOnGround(file: string, { width, height, colorAt }: Pixels): Float32Array {
  const border: number[] = [];
  for (let x = 0; x < width; x++) border.push(x, (height - 1) * width + x);
  for (let y = 0; y < height; y++) border.push(y * width, y * width + width - 1);
  const colors = border.map(colorAt);
  const [red, green, blue] = ([0, 1, 2] as const).map((channel) => median(colors.map((rgb) => rgb[channel])));
  const distance = new Float32Array(width * height).map((_, index) => {
    const color = colorAt(index);
    return Math.hypot(color[0] - (red ?? 0), color[1] - (green ?? 0), color[2] - (blue ?? 0));
  });
  const even = border.filter((index) => (distance[index] ?? 0) < VISIBLE).length / border.length;
  if (even < 0.8) {
    throw new PictureProblem(
      `the logo in ${file} has no even ground: save it on white, or on none as PNG or SVG`,
    );
  }
  const inked = distance.filter((apart) => apart > VISIBLE).sort();
  if (inked.length === 0) throw new PictureProblem(`nothing is seen in ${file}: its ground is all it has`);
  // Not the maximum, which is JPEG noise beside an edge.
  const full = inked[Math.floor(0.9 * inked.length)] ?? 1;
  return distance.map((apart) => Math.min(1, apart / full));
}

function inkOnNothing({ width, height, alphaAt, lightAt }: Pixels): Float32Array {
  const isOpaque = (index: number) => alphaAt(index) >= 0.9;
  const opaque = Array.from({ length: width * height }, (_, index) => index).filter(isOpaque);
  const edge = opaque.filter(
    (index) => ![index - 1, index + 1, index - width, index + width].every(isOpaque),
  );
  const levels = opaque.map(lightAt).sort((a, b) => a - b);
  const [dark = 0, light = 0] = [0.02, 0.98].map((part) => levels[Math.floor(part * levels.length)]);
  // Light letters inside a dark shape are not ink; light letters on a transparent ground are.
  const isCutOut = light > 0.8 && light - dark > 0.4 && median(edge.map(lightAt)) < 0.6;
  const inkAt = (index: number) => (isCutOut ? Math.min(1, (light - lightAt(index)) / (light - dark)) : 1);
  return new Float32Array(width * height).map((_, index) => alphaAt(index) * inkAt(index));
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
