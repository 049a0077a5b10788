import { readFile } from 'node:fs/promises';
import { transform } from 'esbuild';
import sharp from 'sharp';
import type { Emblem } from '#shared/content/edition.ts';
import type { DrawingName, IconName, IllustrationName } from '#shared/content/entities.ts';
import type { Written } from './schema.ts';
import { fillsOf, propertiesOf } from './theme.ts';

type Theme = Written['theme'];

/** The drawings of this site. They have no colours of their own: `art.css` and the theme paint them by class. */
const FOLDER = 'client/ui/art';
const ROOT =
  /^<svg xmlns="[^"]+" viewBox="(?<x>-?\d+) (?<y>-?\d+) (?<width>\d+) (?<height>\d+)" aria-hidden="true">(?<inside>.*)<\/svg>$/;

const readDrawing = async (name: string): Promise<string> =>
  (await readFile(`${FOLDER}/${name}.svg`, 'utf8')).replaceAll(/\n\s*| (?=\/>)/g, '');

/** A drawing that becomes part of the page, and follows its theme. */
export async function readInline(name: DrawingName | IconName): Promise<string> {
  return (await readDrawing(name)).replace(' xmlns="http://www.w3.org/2000/svg"', '');
}

/**
 * A drawing as an image of its own: twice, side by side, light and dark. An image cannot know the theme that a visitor
 * chose for the page: Safari gives it only the device's theme. So the page shows one half of it, see picture.css.
 */
export async function drawIllustration(name: IllustrationName, theme: Theme) {
  const { x, y, inside, ...size } = ROOT.exec(await readDrawing(name))?.groups ?? {};
  const [width, height] = [Number(size.width), Number(size.height)];
  if (!width || !height) throw new Error(`${name}.svg does not begin as the other drawings`);
  const rules = await rulesOf(theme);
  const used = new Set([...rules.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name));
  const colors = (['light', 'dark'] as const).map((scheme) => {
    const declarations = Object.entries(propertiesOf(theme, scheme)).filter(([name]) => used.has(name));
    return `.${scheme}{${declarations.map(([name, color]) => `${name}:${color};`).join('')}}`;
  });
  const style = `<style>${await minified(colors.join('') + rules)}</style>`;
  const picture = `<g class="light"><g id="picture">${inside}</g></g><use class="dark" href="#picture" x="${width}"/>`;
  const box = `width="${2 * width}" height="${height}" viewBox="${x} ${y} ${2 * width} ${height}"`;
  return { width, height, svg: `<svg xmlns="http://www.w3.org/2000/svg" ${box}>${style}${picture}</svg>` };
}

/** A drawing in the colours of the day, for programs that know no style sheet of the page. */
async function paint(name: string, theme: Theme): Promise<string> {
  const colors = propertiesOf(theme, 'light');
  const rules = (await rulesOf(theme)).replaceAll(/var\((--[\w-]+)\)/g, (_, name) => colors[name] ?? '');
  const { x, y, width, height, inside } = ROOT.exec(await readDrawing(name))?.groups ?? {};
  const box = `viewBox="${x} ${y} ${width} ${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box}><style>${await minified(rules)}</style>${inside}</svg>`;
}

/** The open door at the head of letters, for mail clients, which show no SVG; the size in CSS pixels. */
export async function drawEmblem(theme: Theme): Promise<Emblem> {
  const size = { width: 64, height: 76 };
  const png = await sharp(Buffer.from(await paint('doorway', theme)))
    .resize(2 * size.width, 2 * size.height, { fit: 'fill' })
    .png({ compressionLevel: 9, palette: true, colors: 64 })
    .toBuffer();
  return { png: png.toString('base64'), ...size };
}

const rulesOf = async (theme: Theme): Promise<string> =>
  fillsOf(theme) + (await readFile(`${FOLDER}/art.css`, 'utf8'));

/** Nested rules would not be valid XML, by their `&`. */
const minified = async (rules: string): Promise<string> =>
  (await transform(rules, { loader: 'css', minify: true, supported: { nesting: false } })).code;

/** On home screens, which cut the corners off themselves. */
const SQUARES = { 'apple-touch-icon.png': 180, 'icon-192.png': 192, 'icon-512.png': 512 };

/** The site's icons in an edition's colours: their contents by the names under which browsers request them. */
export async function drawIcons(theme: Theme): Promise<Record<string, string | Buffer>> {
  const svg = (await paint('icon', theme)).replaceAll('#000', theme.deep);
  const drawn = (size: number) => sharp(Buffer.from(svg), { density: (72 * size) / 64 }).resize(size, size);
  const png = { compressionLevel: 9, palette: true } as const;
  const squares = Object.entries(SQUARES).map(async ([name, size]) => {
    // The edges, which a home screen may crop, show only the ground.
    const edge = Math.round(size * 0.06);
    const sides = { top: edge, bottom: edge, left: edge, right: edge, background: theme.deep };
    const inner = drawn(size - 2 * edge).flatten({ background: theme.deep });
    return [name, await inner.extend(sides).png(png).toBuffer()];
  });
  const icon = await drawn(32).png(png).toBuffer();
  // An ICO file holds a header and one PNG. See https://en.wikipedia.org/wiki/ICO_(file_format)
  const header = Buffer.from([0, 0, 1, 0, 1, 0, 32, 32, 0, 0, 1, 0, 32, 0, 0, 0, 0, 0, 22, 0, 0, 0]);
  header.writeUInt32LE(icon.length, 14);
  const ico = Buffer.concat([header, icon]);
  return { 'favicon.svg': svg, 'favicon.ico': ico, ...Object.fromEntries(await Promise.all(squares)) };
}
