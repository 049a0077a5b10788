import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { PublishedFile } from './kept-pictures.ts';
import type { Written } from './schemas.ts';

/** For browsers that do not support SVG icons. */
const ICO_SIZE = 32;

/** On home screens, which cut the corners off themselves. */
const SQUARES = [
  ['apple-touch-icon.png', 180],
  ['icon-192.png', 192],
  ['icon-512.png', 512],
] as const;
const SVG = 'favicon.svg';
const ICO = 'favicon.ico';

/**
 * Draws the site's icons in an edition's colours into a folder. Icons that would not change are not written.
 * @returns the icons to publish, each under the path that browsers request
 */
export async function makeIcons(theme: Written['theme'], folder: string): Promise<PublishedFile[]> {
  const svg = iconOf(theme, `<rect width="64" height="64" rx="15" fill="${theme.deep}"/>`, '');
  if ((await readIfThere(join(folder, SVG))) !== svg) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, ICO), icoOf(await pngOf(svg, ICO_SIZE)));
    // The edges, which a home screen may crop, show only the ground.
    const square = iconOf(
      theme,
      `<path fill="${theme.deep}" d="M0 0h64v64H0z"/>`,
      'translate(1.6 -.1) scale(.88)',
    );
    for (const [name, size] of SQUARES) await writeFile(join(folder, name), await pngOf(square, size));
    // Written last: its existence means that the other icons exist too.
    await writeFile(join(folder, SVG), svg);
  }
  const names = [SVG, ICO, ...SQUARES.map(([name]) => name)];
  return names.map((name) => ({ from: join(folder, name), to: name }));
}

/** An open door, with a path over a hill behind it. */
function iconOf({ art, colors }: Written['theme'], ground: string, transform: string): string {
  const paper = colors.paper.light;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
  ${ground}
  <g${transform && ` transform="${transform}"`}>
    <path d="M15 54V29a15 15 0 0 1 30 0v25z" fill="${art.sky.light}"/>
    <circle cx="30" cy="36" r="9" fill="${art.sun.light}"/>
    <path d="M15 43c9-6 21-5 30 0v11H15z" fill="${art.near.light}"/>
    <path d="M24 54c0-5 8-5 7-12h4c0 6 0 7-3 12z" fill="${paper}"/>
    <path d="M45 54V29c0-8 3-12 9-13v43z" fill="${art.accent.light}"/>
    <circle cx="48" cy="39" r="1.6" fill="${paper}"/>
  </g>
</svg>
`;
}

const pngOf = (svg: string, size: number): Promise<Buffer> =>
  sharp(Buffer.from(svg), { density: (72 * size) / 64 })
    .resize(size, size)
    .png({ compressionLevel: 9, palette: true })
    .toBuffer();

/**
 * One PNG as an ICO file.
 * @see https://en.wikipedia.org/wiki/ICO_(file_format)
 */
function icoOf(png: Buffer): Buffer {
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2); // An icon …
  header.writeUInt16LE(1, 4); // … with one picture,
  header.writeUInt8(ICO_SIZE, 6);
  header.writeUInt8(ICO_SIZE, 7);
  header.writeUInt16LE(1, 10); // of one plane
  header.writeUInt16LE(32, 12); // and 32 bits a pixel.
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
