import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { readEdition } from './read-edition.ts';
import { makeIcons } from './theme.ts';

test('the icons are drawn in the colours of the edition, and redrawn only when those change', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'icons-'));
  t.after(() => rm(folder, { recursive: true }));
  const { theme } = (await readEdition('january-2026')).written;
  const green = { ...theme, deep: '#104010' };
  const files = await makeIcons(green, folder);
  assert.deepEqual(files.sort(), [
    'apple-touch-icon.png',
    'favicon.ico',
    'favicon.svg',
    'icon-192.png',
    'icon-512.png',
  ]);
  const file = (name: string) => join(folder, name);
  assert.match(await readFile(file('favicon.svg'), 'utf8'), /fill="#104010"/);
  for (const [name, size] of [
    ['apple-touch-icon.png', 180],
    ['icon-192.png', 192],
    ['icon-512.png', 512],
  ] as const) {
    const { data, info } = await sharp(file(name)).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    assert.deepEqual([info.width, info.height], [size, size]);
    // The corner of the icon, which a round mask cuts off.
    assert.deepEqual([...data.subarray(0, 4)], [0x10, 0x40, 0x10, 255]);
  }
  const ico = await readFile(file('favicon.ico'));
  const picture = await sharp(ico.subarray(ico.readUInt32LE(18))).metadata();
  assert.deepEqual([picture.format, picture.width, ico.readUInt32LE(14)], ['png', 32, ico.length - 22]);

  const { mtimeMs } = await stat(file('icon-512.png'));
  await makeIcons(green, folder);
  assert.equal((await stat(file('icon-512.png'))).mtimeMs, mtimeMs);
  await makeIcons(theme, folder);
  assert.notEqual((await stat(file('icon-512.png'))).mtimeMs, mtimeMs);
});
