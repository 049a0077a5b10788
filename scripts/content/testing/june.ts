import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';

/** Photographs: file, width, height, and the colours from top to bottom. */
const PHOTOGRAPHS = [
  ['harbor.jpg', 1800, 1350, ['#f2c48d', '#4f7f8f', '#12303a']],
  ['gate.jpg', 1200, 900, ['#cfe3c0', '#6d8f5a']],
  ['bread.png', 900, 900, ['#f3dfb8', '#a8702e']],
  ['shore.webp', 1600, 900, ['#e8efe9', '#d3bd93']],
  ['lamp.jpg', 800, 1200, ['#0c1b26', '#f0b45a']],
  ['table.jpg', 1500, 1500, ['#f8f1e4', '#8fa7a0']],
  ['window.jpg', 1000, 1400, ['#bfe0ea', '#f7f3ea']],
  ['dusk.jpg', 2000, 1100, ['#2a2f5c', '#e28a6b']],
  ['host.jpg', 1000, 1250, ['#e9dccb', '#8a5a48']],
  ['fisher.jpg', 900, 600, ['#9fb7c4', '#3f4f63']],
  ['baker.jpg', 600, 900, ['#f1e3cc', '#b58a62']],
  ['gardener.jpg', 640, 800, ['#dbe7c9', '#5d7c4a']],
  ['balcony.jpg', 1280, 720, ['#dfeaf2', '#7fa8b0']],
  ['social-card.png', 1200, 630, ['#f2c48d', '#12303a']],
] as const;

/** Logos of several shapes: wide, tall and square. */
const LOGOS = [
  ['lighthouse.svg', 420, 60],
  ['quay.png', 160, 200],
  ['tide.svg', 300, 90],
  ['sandbank.png', 640, 120],
  ['oars.svg', 90, 90],
] as const;

const WRITTEN = new URL('june-2031/', import.meta.url);

/**
 * Adds the edition `june-2031` to a folder of editions, with the photographs and logos that it names, but no
 * record.
 */
export async function addJune(editionsFolder: string): Promise<void> {
  const folder = join(editionsFolder, 'june-2031');
  await cp(WRITTEN, folder, { recursive: true });
  const media = join(folder, 'media');
  await mkdir(media, { recursive: true });
  const photographs = PHOTOGRAPHS.map(([name, width, height, colors]) =>
    sharp(Buffer.from(scene(width, height, colors))).toFile(join(media, name)),
  );
  const logos = LOGOS.map(([name, width, height]) => {
    const drawn = lettering(width, height);
    const file = join(media, name);
    return name.endsWith('.svg') ? writeFile(file, drawn) : sharp(Buffer.from(drawn)).toFile(file);
  });
  await Promise.all([...photographs, ...logos]);
}

/** A sky or a wall, with something round in it where the eye should rest. */
function scene(width: number, height: number, colors: readonly string[]): string {
  const stops = colors.map(
    (color, index) => `<stop offset="${index / (colors.length - 1)}" stop-color="${color}"/>`,
  );
  const radius = Math.min(width, height) / 5;
  return svg(
    width,
    height,
    `<linearGradient id="g" x2="0" y2="1">${stops.join('')}</linearGradient>
<rect width="100%" height="100%" fill="url(#g)"/>
<circle cx="${width / 2}" cy="${height * 0.4}" r="${radius}" fill="#fff" fill-opacity=".55"/>
<path d="M0 ${height * 0.8}Q${width / 2} ${height * 0.65} ${width} ${height * 0.8}V${height}H0z" fill-opacity=".35"/>`,
  );
}

/** A mark and a bar, as a logo without words. */
function lettering(width: number, height: number): string {
  const size = Math.min(width, height);
  const bar =
    width > size
      ? `<rect x="${size * 1.2}" y="${height * 0.3}" width="${width - size * 1.2}" height="${height * 0.4}"/>`
      : '';
  return svg(
    width,
    height,
    `<g fill="#24414b"><circle cx="${size / 2}" cy="${height / 2}" r="${size / 2}"/>${bar}</g>`,
  );
}

const svg = (width: number, height: number, content: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${content}</svg>`;
