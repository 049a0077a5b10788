import assert from 'node:assert/strict';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import * as v from 'valibot';
import { parse } from 'yaml';
import { EDITIONS_FOLDER } from '#scripts/content/read.ts';
import { TESTED_EDITION } from './tested-edition.ts';

const schema = v.object({
  pictures: v.array(v.tuple([v.string(), v.number(), v.number(), v.string()])),
  changes: v.array(v.tuple([v.string(), v.string(), v.string()])),
});

/**
 * Adds the edition `june-2031` to a folder of editions, its terms not recorded: its facts, days and terms are in
 * `june-2031/`, the other files are those of the tested edition with the changes in `june.yaml`, and its pictures are drawn.
 */
export async function addJune(editionsFolder: string): Promise<void> {
  const folder = join(editionsFolder, 'june-2031');
  await cp(join(EDITIONS_FOLDER, TESTED_EDITION), folder, { recursive: true });
  await rm(join(folder, 'agreed'), { recursive: true });
  await cp(new URL('june-2031/', import.meta.url), folder, { recursive: true });
  const { pictures, changes } = v.parse(
    schema,
    parse(await readFile(new URL('june.yaml', import.meta.url), 'utf8')),
  );
  for (const [file, words, by] of changes) await replaceIn(join(folder, `${file}.yaml`), words, by);
  for (const [name, width, height, color] of pictures) {
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
