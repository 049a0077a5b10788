import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { JSDOM } from 'jsdom';
import { register } from 'tsx/esm/api';
import { drawIllustrations } from './draw-illustrations.tsx';

test('R1.9 the illustration is a self-contained image with the colours of both schemes', async (t) => {
  // The drawing is imported from its source each time, so that `npm run dev` shows a change.
  t.after(register());
  const folder = await mkdtemp(join(tmpdir(), 'public-'));
  t.after(() => rm(folder, { recursive: true }));
  const { 'mindful-journey': address } = await drawIllustrations(folder);
  assert.match(address, /^\/static\/media\/mindful-journey-[0-9A-F]{8}\.svg$/);
  assert.deepEqual(await drawIllustrations(folder), { 'mindful-journey': address });

  const image = await readFile(join(folder, address), 'utf8');
  assert.ok(image.length < 12_000);
  assert.doesNotMatch(image, /light-dark|\sstyle=|url\((?!#)|href="(?!#)/);
  const { document } = new JSDOM(image, { contentType: 'image/svg+xml' }).window;
  const style = document.querySelector('style')?.textContent ?? '';
  for (const scheme of ['light', 'dark']) {
    assert.equal(document.querySelectorAll(`.${scheme}`).length, 1);
    const [, colors = ''] = new RegExp(`\\.${scheme}\\{([^}]*)\\}`).exec(style) ?? [];
    for (const [, name] of style.matchAll(/var\((--[\w-]+)\)/g))
      assert.match(colors, new RegExp(`${name}:#`));
  }
  for (const { classList } of document.querySelectorAll('[class^="art-"]')) {
    for (const name of classList) assert.ok(style.includes(`.${name}`), name);
  }
});
