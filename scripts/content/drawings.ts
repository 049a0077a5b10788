import { readFile } from 'node:fs/promises';
import { transform } from 'esbuild';
import {
  type DrawingName,
  drawings,
  type IconName,
  type IllustrationName,
  icons,
} from '#shared/content/entities.ts';
import type { Written } from './schemas.ts';
import { fillsOf, propertiesOf } from './theme.ts';

/** The drawings of this site. They have no colours of their own: `art.css` and the theme paint them by class. */
const FOLDER = 'client/ui/art';
const ROOT =
  /^<svg xmlns="[^"]+" viewBox="0 0 (?<width>\d+) (?<height>\d+)" aria-hidden="true">(?<inside>.*)<\/svg>$/;

const readDrawing = async (name: string): Promise<string> =>
  (await readFile(`${FOLDER}/${name}.svg`, 'utf8')).replaceAll(/\n\s*| (?=\/>)/g, '');

/** The drawings that become part of the page, which follow its theme, by name. */
export async function readDrawings(): Promise<Record<string, string>> {
  const read = [...drawings, ...icons].map(async (name) => [name, await readInline(name)] as const);
  return Object.fromEntries(await Promise.all(read));
}

/** A drawing as part of an HTML document. */
export async function readInline(name: DrawingName | IconName): Promise<string> {
  return (await readDrawing(name)).replace(' xmlns="http://www.w3.org/2000/svg"', '');
}

/**
 * A drawing as an image of its own: twice, side by side, light and dark. An image cannot know the theme that a visitor
 * chose for the page: Safari gives it only the device's theme. So the page shows one half of it, see picture.css.
 */
export async function drawIllustration(name: IllustrationName, theme: Written['theme']) {
  const { width, height, inside } = ROOT.exec(await readDrawing(name))?.groups ?? {};
  if (!width || !height) throw new Error(`${name}.svg does not begin as the other drawings`);
  const size = `width="${2 * Number(width)}" height="${height}" viewBox="0 0 ${2 * Number(width)} ${height}"`;
  const picture = `<g class="light"><g id="picture">${inside}</g></g>`;
  const again = `<use class="dark" href="#picture" x="${width}"/>`;
  const style = `<style>${await styleOf(theme)}</style>`;
  return {
    width: Number(width),
    height: Number(height),
    image: `<svg xmlns="http://www.w3.org/2000/svg" ${size}>${style}${picture}${again}</svg>`,
  };
}

/** The CSS rules of the drawings, and the colours that these rules use, for both schemes. */
async function styleOf(theme: Written['theme']): Promise<string> {
  const rules = fillsOf(theme) + (await readFile(`${FOLDER}/art.css`, 'utf8'));
  const used = new Set([...rules.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name));
  const colors = (['light', 'dark'] as const).map((scheme) => {
    const declarations = Object.entries(propertiesOf(theme, scheme))
      .filter(([name]) => used.has(name))
      .map(([name, color]) => `${name}:${color};`);
    return `.${scheme}{${declarations.join('')}}`;
  });
  const { code } = await transform(colors.join('') + rules, {
    loader: 'css',
    minify: true,
    // The `&` of nested rules would not be valid XML.
    supported: { nesting: false },
  });
  return code;
}
