import assert from 'node:assert/strict';
import { test } from 'node:test';
import { styleSheetOf, webManifestOf } from './compile-theme.ts';
import { readEdition, readOnSale } from './read-edition.ts';

const { written } = await readEdition(await readOnSale());
const { theme } = written;

test('every colour of the palette is a CSS property with a light and a dark value', () => {
  const sheet = styleSheetOf(theme);
  assert.ok(sheet.includes(`--deep: ${theme.deep};`));
  for (const [name, { light, dark }] of Object.entries(theme.colors)) {
    assert.ok(sheet.includes(`  --${name}: light-dark(${light}, ${dark});\n`), name);
  }
  for (const [name, { light, dark }] of Object.entries(theme.art)) {
    assert.ok(sheet.includes(`  --art-${name}: light-dark(${light}, ${dark});\n`), name);
  }
});

test('the web manifest has the names and colours of the edition', () => {
  const { name, short_name, background_color, theme_color } = JSON.parse(webManifestOf(written));
  assert.deepEqual(
    { name, short_name, background_color, theme_color },
    {
      name: written.edition.siteName,
      short_name: written.edition.shortName,
      background_color: theme.colors.paper.light,
      theme_color: theme.deep,
    },
  );
  const { shortName, ...edition } = written.edition;
  assert.ok(shortName);
  assert.ok(!('short_name' in JSON.parse(webManifestOf({ ...written, edition }))));
});
