import assert from 'node:assert/strict';
import { test } from 'node:test';
import sharp from 'sharp';
import { drawIcons } from './drawings.ts';
import { readEdition, readOnSale } from './read.ts';
import { checkTheme, contrastOf, styleSheetOf, webManifestOf } from './theme.ts';

const { written } = await readEdition(await readOnSale());
const { theme } = written;

test('signs need less contrast than text', () => {
  const colors = { ...theme.colors, sage: { ...theme.colors.sage, light: '#788563' } };
  assert.ok(contrastOf('#788563', theme.colors.mist.light) < 4.5);
  checkTheme({ ...written, theme: { ...theme, colors } }, (_, wrong) => assert.ok(!wrong, String(wrong)));
});

test('contrast is calculated as WCAG 2.2 does, whichever colour comes first', () => {
  assert.equal(contrastOf('#000000', '#ffffff'), 21);
  assert.equal(contrastOf('#b4472f', '#b4472f'), 1);
  // The lightest grey that is text on white at level AA, and the next one.
  assert.ok(contrastOf('#767676', '#ffffff') >= 4.5);
  assert.ok(contrastOf('#ffffff', '#777777') < 4.5);
});

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

test('the icons are drawn in the colours of the edition', async () => {
  const icons = await drawIcons({ ...theme, deep: '#104010' });
  assert.match(String(icons['favicon.svg']), /fill="#104010"/);
  for (const [name, size] of [
    ['apple-touch-icon.png', 180],
    ['icon-192.png', 192],
    ['icon-512.png', 512],
  ] as const) {
    const { data, info } = await sharp(icons[name]).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    assert.deepEqual([info.width, info.height], [size, size]);
    // The corner of the icon, which a round mask cuts off.
    assert.deepEqual([...data.subarray(0, 4)], [0x10, 0x40, 0x10, 255]);
  }
  const ico = Buffer.from(icons['favicon.ico'] ?? '');
  const picture = await sharp(ico.subarray(ico.readUInt32LE(18))).metadata();
  assert.deepEqual([picture.format, picture.width, ico.readUInt32LE(14)], ['png', 32, ico.length - 22]);
});
