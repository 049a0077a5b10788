import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import sharp, { type Sharp } from 'sharp';
import { illustrations } from '#shared/content/entities.ts';
import { drawIllustration } from './drawings.ts';
import { PictureProblem, type Pictures, picturesOf } from './pictures.ts';
import { readEdition, readOnSale } from './read.ts';

/** Opens the pictures of a folder with these files in `media/`, as each build does. */
async function openStudio(t: TestContext, files: Readonly<Record<string, Sharp | Buffer | string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'pictures-'));
  t.after(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'media'));
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, 'media', name);
    await (content instanceof sharp ? content.toFile(path) : writeFile(path, content));
  }
  return { folder, open: () => picturesOf(folder, join(folder, 'kept')) };
}

/** A grey-green photograph with a red face around a point in percent. */
function photograph(width: number, height: number, [x, y] = [50, 50]): Sharp {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <rect width="100%" height="100%" fill="#779977"/><circle cx="${x}%" cy="${y}%" r="${Math.min(width, height) / 10}" fill="#e01010"/></svg>`;
  return sharp(Buffer.from(svg)).flatten();
}

function fileAt(pictures: Pictures, src: string): string {
  return pictures.files().find(({ to }) => `/${to}` === src)?.from ?? assert.fail(`${src} is not published`);
}

/** Whether a point of a picture, its coordinates from 0 to 1, is in the face. */
async function isFaceAt(file: string, x: number, y: number): Promise<boolean> {
  const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
  const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
  return (data[at] ?? 0) > 180 && (data[at + 1] ?? 255) < 90;
}

const portrait = (file: string) => ({ file, width: 112, height: 112 });

test('a photograph is cut to its place, as AVIF, WebP and JPEG, at its width and twice that, if it is so large', async (t) => {
  const { open } = await openStudio(t, {
    'a.jpg': photograph(3000, 2000).jpeg(),
    'small.jpg': photograph(480, 360).jpeg(),
    'logo.png': sharp({ create: { width: 200, height: 50, channels: 4, background: '#0000' } }),
  });
  const pictures = open();
  const { sets, ...image } = await pictures.make({ file: 'a.jpg', width: 320, height: 240 });
  assert.deepEqual(image, { src: sets?.last.split(' ')[0], width: 320, height: 240 });
  for (const [format, set] of [
    ['heif', sets?.avif],
    ['webp', sets?.webp],
    ['jpeg', sets?.last],
  ] as const)
    for (const [index, candidate] of (set ?? '').split(', ').entries()) {
      const [src = '', density] = candidate.split(' ');
      assert.match(src, /^\/static\/media\/a-[0-9A-F]{8}\.\w+$/);
      assert.equal(density, `${index + 1}x`);
      const made = await sharp(fileAt(pictures, src)).metadata();
      assert.deepEqual(
        [made.format, made.width, made.height],
        [format, 320 * (index + 1), 240 * (index + 1)],
      );
    }
  const small = await pictures.make({ file: 'small.jpg', width: 320, height: 240 });
  assert.match(small.sets?.avif ?? '', / 1x, \S+ 1\.5x$/);
  // A logo keeps its shape and its transparent ground.
  const logo = await pictures.make({ file: 'logo.png', width: 128, height: undefined });
  assert.deepEqual([logo.width, logo.height], [128, 32]);
  assert.match(logo.src, /\.png$/);
});

test('the cut keeps the focus in the picture, near every edge', async (t) => {
  const cases = [
    [1800, 900, [15, 50]],
    [1800, 900, [90, 40]],
    [900, 1800, [50, 12]],
    [900, 1800, [50, 92]],
  ] as const;
  const files = cases.map(([width, height, face], at) => [
    `${at}.png`,
    photograph(width, height, [...face]).png(),
  ]);
  const { open } = await openStudio(t, Object.fromEntries(files));
  const pictures = open();
  for (const [at, [width, height, [x, y]]] of cases.entries()) {
    const { src } = await pictures.make(portrait(`${at}.png`), [x, y]);
    const side = Math.min(width, height);
    const within = (all: number, percent: number) =>
      ((percent / 100) * all - Math.min(Math.max((percent / 100) * all - side / 2, 0), all - side)) / side;
    assert.ok(await isFaceAt(fileAt(pictures, src), within(width, x), within(height, y)), `${at}`);
  }
});

test('a photograph is upright, in sRGB, and does not reveal where it was taken', async (t) => {
  // Upright, the face is at the top; in the file it lies on its side, as a phone writes it.
  const phone = photograph(1200, 1600, [50, 15])
    .rotate(-90)
    .withMetadata({ orientation: 6 })
    .withExifMerge({ IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } })
    .withIccProfile('p3')
    .jpeg();
  const { folder, open } = await openStudio(t, { 'phone.jpg': phone });
  const before = await sharp(join(folder, 'media/phone.jpg')).metadata();
  assert.ok(before.exif && before.icc && before.orientation === 6);
  const pictures = open();
  const { src } = await pictures.make({ file: 'phone.jpg', width: 360, height: 464 }, [50, 15]);
  assert.ok(await isFaceAt(fileAt(pictures, src), 0.5, 0.16));
  for (const { from } of pictures.files()) {
    const { exif, xmp, icc, orientation = 1, space } = await sharp(from).metadata();
    assert.deepEqual([exif, xmp, icc, orientation, space], [undefined, undefined, undefined, 1, 'srgb']);
  }
});

test('what is made is kept for the next build as long as it is used', async (t) => {
  const { folder, open } = await openStudio(t, {
    'a.jpg': photograph(800, 800).jpeg(),
    'b.jpg': photograph(900, 900).jpeg(),
  });
  const first = open();
  const image = await first.make(portrait('a.jpg'));
  await first.make(portrait('b.jpg'));
  const { mtimeMs } = await stat(fileAt(first, image.src));
  const second = open();
  const again = await Promise.all([second.make(portrait('a.jpg')), second.make(portrait('a.jpg'))]);
  assert.deepEqual(again, [image, image]);
  assert.equal((await stat(fileAt(second, image.src))).mtimeMs, mtimeMs);
  await second.prune();
  assert.deepEqual(
    (await readdir(join(folder, 'kept'))).filter((name) => name.startsWith('b-')),
    [],
  );
});

const svg = (inside: string, attributes = '') =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"${attributes}>${inside}</svg>`;

test('a drawing is published as it is; what is more than a drawing, broken or too small is refused', async (t) => {
  const whole = await photograph(900, 600).jpeg().toBuffer();
  const hostile = [
    svg('<script>alert(1)</script>'),
    svg('', ' onload="alert(1)"'),
    svg('<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">x</p></foreignObject>'),
    svg('<a href="javascript:alert(1)"><path d="M0 0"/></a>'),
    svg('<image href="https://elsewhere.example/a.png"/>'),
  ];
  const { folder, open } = await openStudio(t, {
    'hill.svg': svg('<path id="p" d="M0 0H9"/><use href="#p"/>'),
    'words.jpg': 'no picture',
    'half.jpg': whole.subarray(0, whole.length / 2),
    'small.jpg': whole,
    ...Object.fromEntries(hostile.map((source, at) => [`hostile-${at}.svg`, source])),
  });
  const pictures = open();
  const { src, ...size } = await pictures.make(portrait('hill.svg'));
  assert.deepEqual(size, { width: 300, height: 200 });
  assert.equal(
    await readFile(fileAt(pictures, src), 'utf8'),
    await readFile(join(folder, 'media/hill.svg'), 'utf8'),
  );
  const refused = (file: string, says: RegExp, width = 112) =>
    assert.rejects(
      pictures.make({ file, width, height: width }),
      (error) => error instanceof PictureProblem && says.test(error.message),
      file,
    );
  for (const at of hostile.keys()) await refused(`hostile-${at}.svg`, /holds more than a drawing: export it/);
  for (const file of ['words.jpg', 'half.jpg'])
    await refused(file, /cannot be read as a picture \(.+\): export/);
  await refused('small.jpg', /is 900 by 600 pixels, too small .* take one of 969 by 646 or more/, 646);
});

test('R1.9 the drawings of this site are self-contained images with the colours of both schemes', async () => {
  const { written } = await readEdition(await readOnSale());
  for (const name of illustrations) {
    const { svg, ...size } = await drawIllustration(name, written.theme);
    if (name === 'mindful-journey') assert.deepEqual(size, { width: 640, height: 760 });
    assert.ok(svg.length < 12_000);
    assert.doesNotMatch(svg, /light-dark|\sstyle=|url\((?!#)|href="(?!#)/);
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(svg) ?? [];
    for (const scheme of ['light', 'dark']) {
      const [, colors = ''] = new RegExp(`\\.${scheme}\\{([^}]*)\\}`).exec(style) ?? [];
      for (const [, color] of style.matchAll(/var\((--[\w-]+)\)/g))
        assert.match(colors, new RegExp(`${color}:#`));
    }
    for (const [, painted = ''] of svg.matchAll(/class="(art-[^" ]*)/g))
      assert.ok(style.includes(`.${painted}`));
  }
});
