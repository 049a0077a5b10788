import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { JSDOM } from 'jsdom';
import sharp, { type Sharp } from 'sharp';
import { type IllustrationName, illustrations } from '#shared/content/entities.ts';
import { PictureProblem, places } from './make-pictures.ts';
import { drawIllustration, type Pictures, picturesOf } from './pictures.ts';
import { readEdition, readOnSale } from './read-edition.ts';

/** The colour of the face in the photographs of these tests. */
const FACE = '#e01010';

/** Files of `media/`, by their names. */
type Files = Readonly<Record<string, Sharp | Buffer | string>>;

/** The folder of an edition with these files, and what opens its pictures as each build does. */
async function openStudio(t: TestContext, files: Files) {
  const folder = await mkdtemp(join(tmpdir(), 'pictures-'));
  t.after(() => rm(folder, { recursive: true }));
  const [media, kept] = [join(folder, 'media'), join(folder, 'kept')];
  await mkdir(media);
  const write = async (written: Files) => {
    for (const [name, content] of Object.entries(written))
      await (content instanceof sharp
        ? content.toFile(join(media, name))
        : writeFile(join(media, name), content));
  };
  await write(files);
  return { media, kept, write, open: () => picturesOf(folder, kept) };
}

/** The pictures of an edition with these files. */
async function picturesWith(t: TestContext, files: Files): Promise<Pictures> {
  return (await openStudio(t, files)).open();
}

/** A grey-green photograph with a red face around a point in percent. */
function photograph(width: number, height: number, [x, y] = [50, 50]): Sharp {
  const radius = Math.min(width, height) / 10;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <rect width="100%" height="100%" fill="#779977"/><circle cx="${x}%" cy="${y}%" r="${radius}" fill="${FACE}"/></svg>`;
  return sharp(Buffer.from(svg)).flatten();
}

function pathOf(pictures: Pictures, src: string): string {
  const found = pictures.files().find(({ to }) => `/${to}` === src);
  assert.ok(found, `${src} is published`);
  return found.from;
}

/** What was made of a file, and not only named. */
async function fileOf<Made extends object>(making: Promise<Made | string>): Promise<Made> {
  const made = await making;
  assert.ok(typeof made === 'object');
  return made;
}

/** The addresses and widths of a `srcset`. */
function candidates(srcSet = ''): { src: string; width: number }[] {
  return srcSet.split(', ').map((candidate) => {
    const [src = '', width = ''] = candidate.split(' ');
    return { src, width: Number.parseInt(width, 10) };
  });
}

/** Returns a function that says whether a point, its coordinates from 0 to 1, is in the face. */
async function findFace(file: string): Promise<(x: number, y: number) => boolean> {
  const { data, info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
  return (x, y) => {
    const at = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * info.channels;
    const [red = 0, green = 0] = [data[at], data[at + 1]];
    return red > 180 && green < 80;
  };
}

test('a photograph is made in the widths and the aspect ratio of its place, as AVIF and WebP', async (t) => {
  const pictures = await picturesWith(t, { 'a.jpg': photograph(3000, 2000).jpeg() });
  for (const place of ['hero', 'portrait', 'transform'] as const) {
    const { aspect, widths, sizes } = places[place];
    const image = await fileOf(pictures.make(place, 'a.jpg'));
    assert.equal(image.widths?.sizes, sizes);
    for (const [format, srcSet] of [
      ['heif', image.widths?.avif],
      ['webp', image.widths?.webp],
    ] as const) {
      const made = candidates(srcSet);
      assert.deepEqual(
        made.map(({ width }) => width),
        [...widths],
      );
      for (const { src, width } of made) {
        assert.match(src, /^\/static\/media\/a-\w+-\d+-[0-9A-F]{8}\.(avif|webp)$/);
        const facts = await sharp(pathOf(pictures, src)).metadata();
        assert.equal(facts.format, format);
        assert.deepEqual([facts.width, facts.height], [width, Math.round(width / aspect)]);
      }
    }
    assert.ok(Math.abs(image.width / image.height - aspect) < 0.01);
    assert.ok(candidates(image.widths?.webp).some(({ src }) => src === image.src));
  }
});

test('a photograph is never made larger than it is', async (t) => {
  const pictures = await picturesWith(t, { 'a.png': photograph(500, 400).png() });
  const { widths } = await fileOf(pictures.make('transform', 'a.png'));
  assert.deepEqual(
    candidates(widths?.avif).map(({ width }) => width),
    [320, 500],
  );
});

test('cropping keeps the focus in the picture, near every edge', async (t) => {
  const { write, open } = await openStudio(t, {});
  const pictures = open();
  for (const [width, height, face] of [
    [1800, 900, [15, 50]],
    [1800, 900, [90, 40]],
    [900, 1800, [50, 12]],
    [900, 1800, [50, 92]],
  ] as const) {
    const name = `${width}-${face.join('-')}.jpg`;
    await write({ [name]: photograph(width, height, [...face]).jpeg() });
    const { src } = await fileOf(pictures.make('portrait', name, face));
    const isFace = await findFace(pathOf(pictures, src));
    const seen = [];
    for (let x = 0.05; x < 1; x += 0.05) {
      for (let y = 0.05; y < 1; y += 0.05) if (isFace(x, y)) seen.push(Math.hypot(x - 0.5, y - 0.5));
    }
    assert.ok(seen.length > 5, `${name}: the face is there`);
    assert.ok(Math.max(...seen) < 0.5, `${name}: the face lies in the circle`);
    const { src: centred } = await fileOf(pictures.make('portrait', name));
    assert.notEqual(centred, src);
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
  const { media, open } = await openStudio(t, { 'phone.jpg': phone });
  const before = await sharp(join(media, 'phone.jpg')).metadata();
  assert.ok(before.exif && before.icc && before.orientation === 6);

  const pictures = open();
  const { src, width, height } = await fileOf(pictures.make('author', 'phone.jpg', [50, 15]));
  assert.ok(height > width);
  assert.ok((await findFace(pathOf(pictures, src)))(0.5, 0.16));
  for (const { from } of pictures.files()) {
    const { exif, xmp, iptc, icc, orientation, space } = await sharp(from).metadata();
    assert.deepEqual(
      { exif, xmp, iptc, icc },
      { exif: undefined, xmp: undefined, iptc: undefined, icc: undefined },
    );
    assert.ok(orientation === undefined || orientation === 1);
    assert.equal(space, 'srgb');
    assert.ok(!(await readFile(from)).includes('GPS'));
  }
});

test('the style sheet shows the colour of a photograph until it loads; a transparent one has no colour', async (t) => {
  const plain = (channels: 3 | 4, background: string) =>
    sharp({ create: { width: 600, height: 600, channels, background } }).png();
  const files = { 'a.png': plain(3, '#aa8855'), 'holes.png': plain(4, '#09090980') };
  const pictures = await picturesWith(t, files);
  assert.equal((await fileOf(pictures.make('portrait', 'a.png'))).tone, 'a85');
  assert.equal((await fileOf(pictures.make('portrait', 'holes.png'))).tone, undefined);
  assert.equal(pictures.style(), '.tone-a85{background-color:#a85}');
});

test('a made picture is kept for the next build as long as it is used', async (t) => {
  const { kept, write, open } = await openStudio(t, {
    'a.jpg': photograph(800, 800).jpeg(),
    'b.jpg': photograph(900, 900).jpeg(),
  });
  const first = open();
  const image = await fileOf(first.make('portrait', 'a.jpg'));
  await first.make('portrait', 'b.jpg');
  await first.prune();
  const file = pathOf(first, image.src);
  const { mtimeMs, ino } = await stat(file);

  const second = open();
  const [again, twice] = await Promise.all([
    second.make('portrait', 'a.jpg'),
    second.make('portrait', 'a.jpg'),
  ]);
  assert.deepEqual([again, twice], [image, image]);
  const now = await stat(file);
  assert.deepEqual([now.mtimeMs, now.ino], [mtimeMs, ino]);
  const ofB = async () => (await readdir(kept)).filter((name) => name.startsWith('b-')).length;
  assert.equal(await ofB(), 4);
  await second.prune();
  assert.equal(await ofB(), 0);

  await write({ 'a.jpg': photograph(800, 800, [20, 20]).jpeg() });
  assert.notEqual((await fileOf(open().make('portrait', 'a.jpg'))).src, image.src);
});

test('an SVG keeps its shape, and is published without anything that could run', async (t) => {
  const pictures = await picturesWith(t, {
    'hill.svg':
      '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200" onload="alert(1)"><script>alert(1)</script><rect width="9" height="9"/></svg>',
  });
  const { src, ...image } = await fileOf(pictures.make('hero', 'hill.svg'));
  assert.match(src, /^\/static\/media\/hill-[0-9A-F]{8}\.svg$/);
  assert.deepEqual(image, { width: 300, height: 200 });
  assert.equal(
    await readFile(pathOf(pictures, src), 'utf8'),
    '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect width="9" height="9"/></svg>',
  );
});

test('the poster of a film on this site is one file, that of a film on another host has several widths', async (t) => {
  const pictures = await picturesWith(t, { 'a.jpg': photograph(1920, 1080).jpeg() });
  const { src, ...still } = await pictures.makePoster('a.jpg', true);
  assert.deepEqual(still, { width: 720, height: 405 });
  assert.equal((await sharp(pathOf(pictures, src)).metadata()).width, 720);
  assert.equal(candidates((await pictures.makePoster('a.jpg', false)).widths?.avif).length, 3);
});

test('a drawing of this site is returned as its name', async (t) => {
  const pictures = await picturesWith(t, {});
  assert.equal(await pictures.make('hero', 'doorway'), 'doorway');
  assert.equal(await pictures.makeLogo('slab'), 'slab');
  assert.deepEqual(pictures.files(), []);
});

test('a picture that is broken or too small is refused, with the size that it has to have', async (t) => {
  const whole = await photograph(900, 600).jpeg().toBuffer();
  const pictures = await picturesWith(t, {
    'words.jpg': 'no picture',
    'half.jpg': whole.subarray(0, whole.length / 2),
    'broken.svg': '<svg><g></svg>',
    'small.jpg': whole,
  });
  const refusal = (says: RegExp) => (error: unknown) =>
    error instanceof PictureProblem && says.test(error.message);
  for (const name of ['words.jpg', 'half.jpg', 'broken.svg']) {
    const says = new RegExp(`^${name} cannot be read as a picture \\(.+\\): export it once more`);
    await assert.rejects(pictures.make('portrait', name), refusal(says), name);
  }
  await assert.rejects(
    pictures.make('hero', 'small.jpg'),
    refusal(
      /^small.jpg is 900 by 600 pixels, too small for this place: take one of 969 by 646 or more, best 1938 by/,
    ),
  );
});

test('logos of any shape and colour become black, trimmed, and of equal area', async (t) => {
  const drawn = (width: number, height: number, content: string) =>
    sharp(
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${content}</svg>`,
      ),
    );
  const bars = (fill: string, count: number) =>
    Array.from(
      { length: count },
      (_, at) => `<rect x="${100 + at * 60}" y="100" width="30" height="200" fill="${fill}"/>`,
    ).join('');
  const aspects = {
    'wide.png': 3.75,
    'white.webp': 3.75,
    'square.png': 1.05,
    'tall.png': 0.25,
    'ring.svg': 1,
  };
  const pictures = await picturesWith(t, {
    'wide.png': drawn(1000, 400, bars('#0a2a6a', 13)),
    'white.webp': drawn(1000, 400, bars('#fff', 13)).webp(),
    'square.png': drawn(400, 400, bars('#222', 4)),
    'tall.png': drawn(400, 1000, '<rect x="100" y="100" width="200" height="800" fill="#333"/>'),
    'ring.svg':
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 90"><circle cx="45" cy="45" r="30" fill="none" stroke="#222" stroke-width="6"/></svg>',
  });
  for (const [name, aspect] of Object.entries(aspects)) {
    const { src, width, height, quarters } = await fileOf(pictures.makeLogo(name));
    assert.ok(pictures.style().includes(`.logo-${quarters}{inline-size:${quarters / 4}em}`));
    assert.ok(Math.abs(width / height / aspect - 1) < 0.1, `${name}: ${width} by ${height}`);
    if (name !== 'tall.png')
      assert.ok(Math.abs((width * height) / 256 - 9.5) < 2, `${name}: ${width * height}`);
    const { data, info } = await sharp(pathOf(pictures, src)).raw().toBuffer({ resolveWithObject: true });
    assert.equal(info.channels, 4);
    assert.ok(
      data.every((byte, at) => at % 4 === 3 || byte === 0),
      name,
    );
  }
});

test('a logo that is too small, blank or not on a transparent ground is refused, with the reason', async (t) => {
  const plain = { width: 400, height: 200, channels: 4, background: '#0000' } as const;
  const margins = { top: 9, bottom: 9, left: 9, right: 9, background: '#0000' };
  const pictures = await picturesWith(t, {
    'blank.png': sharp({ create: plain }),
    'tiny.png': photograph(40, 20).resize(20, 10).extend(margins),
    'opaque.jpg': photograph(400, 200).jpeg(),
  });
  await assert.rejects(pictures.makeLogo('blank.png'), /nothing is seen in blank.png/);
  await assert.rejects(
    pictures.makeLogo('tiny.png'),
    /the logo in tiny.png is \d+ pixels wide, too small for its row: take one of \d+ or more/,
  );
  await assert.rejects(pictures.makeLogo('opaque.jpg'), /has no transparent ground: save it so/);
});

for (const name of illustrations) {
  test(`R1.9 ${name} is a self-contained image with the colours of both schemes`, () =>
    isSelfContained(name));
}

async function isSelfContained(name: IllustrationName): Promise<void> {
  const { written } = await readEdition(await readOnSale());
  const { image, ...size } = await drawIllustration(name, written.theme);
  if (name === 'mindful-journey') assert.deepEqual(size, { width: 640, height: 760 });
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
}
