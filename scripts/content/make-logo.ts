import sharp from 'sharp';
import type { LogoFile } from '#shared/content/entities.ts';
import type { AddressOf, Made } from './kept-pictures.ts';
import { PictureProblem, readPixels } from './picture-problem.ts';

/**
 * In em: the area of a logo of common density, the same as a word-mark's; and the largest width and height.
 */
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
/** From 0 to 1: fainter ink is treated as JPEG noise. */
const NOISE = 0.08;

interface Pixels {
  width: number;
  height: number;
  /** Red, green, blue and alpha, a byte each. */
  data: Buffer;
}

/** How much ink lies on each pixel, from 0 to 1. */
type Ink = Float32Array;

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/**
 * A logo in one ink on a transparent ground, without margins, in a size that gives it the same optical weight
 * as others.
 * @throws {PictureProblem} when it cannot be read, has no even ground or is too small
 */
export async function makeLogo(file: string, source: Buffer, addressOf: AddressOf): Promise<Made<LogoFile>> {
  const pixels = await readPixels(file, () => readRgba(source));
  const ink = inkOf(file, pixels);
  const box = boxOf(file, pixels, ink);
  const size = sizeOf(box, pixels.width, ink);

  const cssWidth = size.width * CSS_PIXELS_PER_EM;
  if (box.width < cssWidth) {
    throw new PictureProblem(
      `the logo in ${file} is ${box.width} pixels wide, too small for its row: take one of ${Math.ceil(cssWidth)} or more, best ${Math.ceil(2 * cssWidth)}, or an SVG`,
    );
  }
  const black = Buffer.alloc(pixels.data.length);
  for (const [index, amount] of ink.entries()) black[4 * index + 3] = Math.round(255 * amount);
  const { width, height } = pixels;
  const image = await sharp(black, { raw: { width, height, channels: 4 } })
    .extract(box)
    .resize({ width: Math.round(cssWidth * PIXELS_PER_CSS_PIXEL), withoutEnlargement: true })
    .webp({ lossless: true })
    .toBuffer();
  const address = addressOf('', 'webp');
  return {
    image: {
      src: address,
      width: Math.round(cssWidth),
      height: Math.round(size.height * CSS_PIXELS_PER_EM),
      quarters: Math.round(size.width * 4),
    },
    files: new Map([[address, image]]),
  };
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
  return { data, width: info.width, height: info.height };
}

/**
 * On an opaque ground, ink is what differs from the ground. On a transparent ground, ink is what is opaque,
 * except the light parts inside a dark mark.
 */
function inkOf(file: string, pixels: Pixels): Ink {
  const { width, height, data } = pixels;
  const corners = [0, width - 1, (height - 1) * width, height * width - 1];
  const hasGround = corners.every((index) => alphaAt(data, index) > 0.95);
  return hasGround ? inkOnGround(file, pixels) : inkOnNothing(pixels);
}

function inkOnGround(file: string, { width, height, data }: Pixels): Ink {
  const border: number[] = [];
  for (let x = 0; x < width; x++) border.push(x, (height - 1) * width + x);
  for (let y = 0; y < height; y++) border.push(y * width, y * width + width - 1);
  const [red = 0, green = 0, blue = 0] = [0, 1, 2].map((channel) =>
    median(border.map((index) => byte(data, index, channel))),
  );
  const distance = new Float32Array(width * height);
  for (let index = 0; index < distance.length; index++) {
    distance[index] = Math.hypot(
      byte(data, index, 0) - red,
      byte(data, index, 1) - green,
      byte(data, index, 2) - blue,
    );
  }
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
  return distance.map((apart) => withoutNoise(Math.min(1, apart / full)));
}

function inkOnNothing({ width, height, data }: Pixels): Ink {
  const levels: number[] = [];
  const edge: number[] = [];
  for (let index = 0; index < width * height; index++) {
    if (alphaAt(data, index) < 0.9) continue;
    const light = lightAt(data, index);
    levels.push(light);
    const besides = [index - 1, index + 1, index - width, index + width];
    if (besides.some((beside) => alphaAt(data, beside) < 0.9)) edge.push(light);
  }
  levels.sort((a, b) => a - b);
  const [dark = 0, light = 0] = [0.02, 0.98].map((part) => levels[Math.floor(part * levels.length)]);
  // Light letters inside a dark shape are not ink; light letters on a transparent ground are.
  const isCutOut = light > 0.8 && light - dark > 0.4 && median(edge) < 0.6;
  const ink = new Float32Array(width * height);
  for (let index = 0; index < ink.length; index++) {
    const part = isCutOut ? Math.min(1, (light - lightAt(data, index)) / (light - dark)) : 1;
    ink[index] = withoutNoise(alphaAt(data, index) * part);
  }
  return ink;
}

/** The smallest box that contains all ink. */
function boxOf(file: string, { width, height }: Pixels, ink: Ink): Box {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (const [index, amount] of ink.entries()) {
    if (amount < 0.1) continue;
    const [x, y] = [index % width, Math.floor(index / width)];
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  if (right < 0) throw new PictureProblem(`nothing is seen in ${file}: it is transparent all over`);
  return { left, top, width: right - left + 1, height: bottom - top + 1 };
}

/** In em: logos of all shapes get the same area, dense ones a smaller one. */
function sizeOf(box: Box, rowLength: number, ink: Ink): { width: number; height: number } {
  const aspect = box.width / box.height;
  let all = 0;
  for (let y = box.top; y < box.top + box.height; y++) {
    for (let x = box.left; x < box.left + box.width; x++) all += ink[y * rowLength + x] ?? 0;
  }
  const density = all / (box.width * box.height);
  const area = AREA * (COMMON_INK / Math.max(density, 0.1)) ** INK_WEIGHT;
  const width = Math.min(Math.sqrt(area * aspect), MAX_WIDTH, MAX_HEIGHT * aspect);
  const inQuarters = Math.max(Math.round(width * 4), 1) / 4;
  return { width: inQuarters, height: inQuarters / aspect };
}

const withoutNoise = (amount: number): number => Math.max(0, (amount - NOISE) / (1 - NOISE));
const byte = (data: Buffer, index: number, channel: number): number => data[4 * index + channel] ?? 0;
const alphaAt = (data: Buffer, index: number): number => byte(data, index, 3) / 255;

/** From 0 to 1. */
function lightAt(data: Buffer, index: number): number {
  const [red, green, blue] = [byte(data, index, 0), byte(data, index, 1), byte(data, index, 2)];
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
