import assert from 'node:assert/strict';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { EDITIONS_FOLDER } from '#scripts/content/read.ts';
import { TESTED_EDITION } from './tested-edition.ts';

/** Photographs and logos: file, width, height, and the colour; a logo in no colour has a transparent ground. */
const PICTURES: readonly (readonly [string, number, number, string?])[] = [
  ['harbor.jpg', 1800, 1350, '#f2c48d'],
  ['bread.png', 900, 900, '#f3dfb8'],
  ['table.webp', 1500, 1500, '#f8f1e4'],
  ['host.jpg', 1000, 1250, '#e9dccb'],
  ['fisher.jpg', 900, 600, '#9fb7c4'],
  ['gardener.jpg', 640, 800, '#dbe7c9'],
  ['balcony.jpg', 1280, 720, '#dfeaf2'],
  ['card.jpg', 1200, 630, '#f2c48d'],
  ['lighthouse.svg', 420, 60],
  ['oars.png', 180, 90],
];

/** What the files that it shares with the tested edition say instead: the file, words there, and the new words. */
const CHANGES = `
page|What if food was never the problem?|Come and sit down to eat
page|For four days in January, put|From {dates}, put
page|img: doorway|img: harbor.jpg\n  alt: A small harbor at evening, with boats at rest\n  focus: [50, 60]
page|img: shared-table|img: bread.png\n      alt: A loaf of bread on a board
page|img: at-ease|img: table.webp\n  alt: A table laid for many
page|Friday, Saturday and Sunday begin|Every day begins
page|let January be|let it be
people|name: Marian Thornquist|name: Odile Ferrant-Moss
people|img: author|img: host.jpg\n  focus: [50, 35]
people|Abstract portrait of the author|The host at her kitchen window, laughing
people|Until January,|See you at the table,
people|img: memoirist|img: fisher.jpg\n      focus: [40, 30]
people|Abstract portrait of the memoirist|A woman in a woollen cap
people|Bestselling memoirist\n      circle: true|Keeper of the lighthouse\n      circle: false
people|author: Retreat participant, 2021|author: Guest, garden side\n      img: gardener.jpg\n      alt: A woman among beans
people|www.youtube-nocookie.com/embed/placeholder|player.vimeo.com/video/20310618
people|poster: testimonial-2023.svg|poster: balcony.jpg
faq|until {handOverUntil} you\n      can hand your place over to somebody else, and you|you
outlets|Yoga Studio\n      logo: broadcast|Lighthouse Press\n      logo: lighthouse.svg
outlets|Wellness Brand\n        logo: broadcast|Two Oars\n        logo: oars.png
outlets|Afternoon TV|Salt Review
theme|deep: "#33202e"|deep: "#12303a"
theme|ink: { light: "#33202e"|ink: { light: "#12303a"
theme|paper: { light: "#fbf6ef"|paper: { light: "#f5f8f6"`;

/**
 * Adds the edition `june-2031` to a folder of editions, its terms not recorded: its facts, days and terms are in
 * `june-2031/`, the other files are those of the tested edition with some changes, and its pictures are drawn.
 */
export async function addJune(editionsFolder: string): Promise<void> {
  const folder = join(editionsFolder, 'june-2031');
  await cp(join(EDITIONS_FOLDER, TESTED_EDITION), folder, { recursive: true });
  await rm(join(folder, 'agreed'), { recursive: true });
  await cp(new URL('june-2031/', import.meta.url), folder, { recursive: true });
  for (const change of CHANGES.trim().split(/\n(?=\w+\|)/)) {
    const [file, words = '', by = ''] = change.split('|');
    await replaceIn(join(folder, `${file}.yaml`), words, by);
  }
  for (const [name, width, height, color = 'none'] of PICTURES) {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
      <rect width="100%" height="100%" fill="${color}"/><circle cx="50%" cy="40%" r="${height / 4}" fill="#24414b"/></svg>`;
    const file = join(folder, 'media', name);
    await (name.endsWith('.svg') ? writeFile(file, svg) : sharp(Buffer.from(svg)).toFile(file));
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
