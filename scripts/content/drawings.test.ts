import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JSDOM } from 'jsdom';
import { drawIllustration } from './pictures.ts';
import { readEdition, readOnSale } from './read-edition.ts';

test('R1.9 the illustration is a self-contained image with the colours of both schemes', async () => {
  const { written } = await readEdition(await readOnSale());
  const { image, ...size } = await drawIllustration('mindful-journey', written.theme);
  assert.deepEqual(size, { width: 640, height: 760 });
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
