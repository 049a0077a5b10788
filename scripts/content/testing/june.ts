import assert from 'node:assert/strict';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { EDITIONS_FOLDER } from '#scripts/content/read-edition.ts';
import { TESTED_EDITION } from './tested-edition.ts';

/** Photographs and logos of several formats and shapes: file, width, height, and the colours from top to bottom. */
const PICTURES = [
  ['harbor.jpg', 1800, 1350, '#f2c48d', '#12303a'],
  ['gate.jpg', 1200, 900, '#cfe3c0', '#6d8f5a'],
  ['bread.png', 900, 900, '#f3dfb8', '#a8702e'],
  ['table.webp', 1500, 1500, '#f8f1e4', '#8fa7a0'],
  ['window.jpg', 1000, 1400, '#bfe0ea', '#f7f3ea'],
  ['dusk.jpg', 2000, 1100, '#2a2f5c', '#e28a6b'],
  ['host.jpg', 1000, 1250, '#e9dccb', '#8a5a48'],
  ['fisher.jpg', 900, 600, '#9fb7c4', '#3f4f63'],
  ['gardener.jpg', 640, 800, '#dbe7c9', '#5d7c4a'],
  ['balcony.jpg', 1280, 720, '#dfeaf2', '#7fa8b0'],
  ['social-card.png', 1200, 630, '#f2c48d', '#12303a'],
  ['lighthouse.svg', 420, 60],
  ['quay.png', 160, 200],
  ['tide.svg', 300, 90],
  ['sandbank.png', 640, 120],
  ['oars.svg', 90, 90],
] as const;

/** What the files that it shares with the tested edition say instead: a file, words there, and the new words. */
const CHANGES: readonly (readonly [file: string, words: string, by: string])[] = [
  ['page', 'What if food was never the problem?', 'Come and sit down to eat'],
  ['page', 'For four days in January, put', 'From {dates}, put'],
  [
    'page',
    'img: doorway',
    'img: harbor.jpg\n  alt: A small harbor at evening, with boats at rest\n  focus: [50, 60]',
  ],
  ['page', 'img: threshold', 'img: gate.jpg\n      alt: A garden gate standing open'],
  ['page', 'img: shared-table', 'img: bread.png\n      alt: A loaf of bread on a board'],
  ['page', 'img: at-ease', 'img: table.webp\n  alt: A table laid for many'],
  ['page', 'img: mindful-journey', 'img: window.jpg'],
  ['page', 'Illustration of a mindful journey', 'A window that looks out to the sea'],
  ['page', 'img: night-door', 'img: dusk.jpg\n  alt: Dusk over the water'],
  ['page', 'Friday, Saturday and Sunday begin', 'Every day begins'],
  ['page', 'stars: 5', 'stars: 4'],
  ['page', 'Your place in the circle is open.', 'Say yes while the summer is ahead of you.'],
  ['page', 'let January be', 'let it be'],
  ['page', 'Registration for this retreat has closed.', 'The chairs are taken for this time.'],
  ['people', 'name: Marian Thornquist', 'name: Odile Ferrant-Moss'],
  ['people', 'I left the classroom in 2005', 'Odile Ferrant-Moss was made up for a test'],
  ['people', 'img: author', 'img: host.jpg\n  focus: [50, 35]'],
  ['people', 'Abstract portrait of the author', 'The host at her kitchen window, laughing'],
  ['people', 'Until January,', 'See you at the table,'],
  ['people', 'img: memoirist', 'img: fisher.jpg\n      focus: [40, 30]'],
  ['people', 'Abstract portrait of the memoirist', 'A woman in a woollen cap'],
  ['people', 'Bestselling memoirist\n      circle: true', 'Keeper of the lighthouse\n      circle: false'],
  ['people', 'img: television-host', 'img: testimonial-2023.svg'],
  [
    'people',
    'author: Retreat participant, 2021',
    'author: Guest, garden side\n      img: gardener.jpg\n      alt: A woman among beans',
  ],
  ['people', 'www.youtube-nocookie.com/embed/placeholder', 'player.vimeo.com/video/20310618'],
  ['people', 'poster: testimonial-2023.svg', 'poster: balcony.jpg'],
  ['faq', 'until {handOverUntil} you\n      can hand your place over to somebody else, and you', 'you'],
  ['outlets', 'Yoga Studio\n      logo: broadcast', 'Lighthouse Press\n      logo: lighthouse.svg'],
  ['outlets', 'Literary Review\n      logo: didone', 'Quay Bakery\n      logo: quay.png'],
  ['outlets', 'Morning TV\n        logo: broadcast', 'The Evening Tide\n        logo: tide.svg'],
  ['outlets', 'Breakfast Show\n        logo: poster', 'Radio Sandbank\n        logo: sandbank.png'],
  ['outlets', 'Afternoon TV', 'Salt Review'],
  ['outlets', 'Wellness Brand\n        logo: broadcast', 'Two Oars\n        logo: oars.svg'],
  ['theme', 'deep: "#33202e"', 'deep: "#12303a"'],
  ['theme', 'ink: { light: "#33202e"', 'ink: { light: "#12303a"'],
  ['theme', 'paper: { light: "#fbf6ef"', 'paper: { light: "#f5f8f6"'],
];

/**
 * Adds the edition `june-2031` to a folder of editions, without a record: its facts, days and terms are in `june-2031/`,
 * the other files are those of the tested edition with some changes, and its pictures are drawn.
 */
export async function addJune(editionsFolder: string): Promise<void> {
  const folder = join(editionsFolder, 'june-2031');
  await cp(join(EDITIONS_FOLDER, TESTED_EDITION), folder, { recursive: true });
  for (const name of ['record.yaml', 'agreed']) await rm(join(folder, name), { recursive: true });
  await cp(new URL('june-2031/', import.meta.url), folder, { recursive: true });
  for (const [file, words, by] of CHANGES) await replaceIn(join(folder, `${file}.yaml`), words, by);
  for (const [name, width, height, ...colors] of PICTURES) {
    const drawn = Buffer.from(drawingOf(width, height, colors));
    const file = join(folder, 'media', name);
    await (name.endsWith('.svg') ? writeFile(file, drawn) : sharp(drawn).toFile(file));
  }
}

export async function replaceIn(path: string, words: string, by: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  assert.ok(text.includes(words), `${path} does not contain ${words}`);
  await writeFile(
    path,
    text.replace(words, () => by),
  );
}

/** Of two colours a scene, with something round where the eye should rest; without them a logo: a mark and a bar. */
function drawingOf(width: number, height: number, [above, below]: readonly string[]): string {
  const size = Math.min(width, height);
  const drawn = above
    ? `<linearGradient id="g" x2="0" y2="1"><stop stop-color="${above}"/><stop offset="1" stop-color="${below}"/></linearGradient>
      <rect width="100%" height="100%" fill="url(#g)"/>
      <circle cx="50%" cy="40%" r="${size / 5}" fill="#fff" fill-opacity=".55"/>`
    : `<circle cx="${size / 2}" cy="${height / 2}" r="${size / 2}"/>
      <rect x="${size * 1.2}" y="30%" width="${Math.max(0, width - size * 1.2)}" height="40%"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" fill="#24414b">${drawn}</svg>`;
}
