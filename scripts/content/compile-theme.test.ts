import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEdition, readOnSale } from './read-edition.ts';
import { styleSheetOf, webManifestOf } from './theme.ts';

const { written } = await readEdition(await readOnSale());
const { theme } = written;

test('every colour of the palette is a plain value: light first, dark by the device, by choice and in deep sections', () => {
  const sheet = styleSheetOf(theme);
  const [first = '', byDevice = '', byChoice = '', ...others] = sheet.split('@media screen');
  assert.deepEqual(others, []);
  assert.ok(first.includes(`--deep: ${theme.deep};`));
  assert.match(byDevice, /^ and \(prefers-color-scheme: dark\) \{\s+:root:not\(\[data-theme="light"\]\) \{/);
  assert.match(byChoice, /^ \{\s+:root\[data-theme="dark"\],\s+\.section--deep \{/);
  const colors = [
    ...Object.entries(theme.colors),
    ...Object.entries(theme.art).map(([name, color]) => [`art-${name}`, color] as const),
  ];
  for (const [name, { light, dark }] of colors) {
    assert.ok(first.includes(`  --${name}: ${light};\n`), name);
    for (const block of [byDevice, byChoice]) assert.ok(block.includes(`  --${name}: ${dark};\n`), name);
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
