import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { transform } from 'esbuild';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { ILLUSTRATION_SIZE, type Illustrations } from '#client/ui/illustration.tsx';
import { readEdition, readOnSale } from '#scripts/content/read-edition.ts';
import { propertiesOf } from '#scripts/content/theme.ts';

const FOLDER = 'static/media';

/**
 * Writes the illustrations into the public folder, as images under hashed names, and returns their URL paths.
 * Each is drawn by its component, in the colours of the page's own style sheets.
 */
export async function drawIllustrations(publicFolder: string): Promise<Illustrations> {
  const { MindfulJourney } = await loadDrawing();
  const image = imageOf(<MindfulJourney />, await readStyle());
  const hash = createHash('sha256').update(image).digest('hex').slice(0, 8).toUpperCase();
  const path = `${FOLDER}/mindful-journey-${hash}.svg`;
  await mkdir(join(publicFolder, FOLDER), { recursive: true });
  await writeFile(join(publicFolder, path), image);
  return { 'mindful-journey': `/${path}` };
}

/** Imports the current version of the file, past the module cache: `npm run dev` builds more than once. */
async function loadDrawing(): Promise<typeof import('#client/ui/art/mindful-journey.tsx')> {
  const { href } = pathToFileURL(resolve('client/ui/art/mindful-journey.tsx'));
  return import(`${href}?at=${Date.now()}`);
}

/**
 * The picture twice, side by side: light and dark. An image cannot know the theme that a visitor chose for
 * the page: Safari gives it only the device's theme. So the page shows one half of the image, see
 * client/ui/illustration.css.
 */
function imageOf(picture: ReactNode, style: string): string {
  const { width, height } = ILLUSTRATION_SIZE;
  return renderToStaticMarkup(
    // biome-ignore lint/a11y/noSvgWithoutTitle: the page's `alt` tells what it shows
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={2 * width}
      height={height}
      viewBox={`0 0 ${2 * width} ${height}`}
    >
      <style>{style}</style>
      <g className="light">
        <g id="picture">{picture}</g>
      </g>
      <use className="dark" href="#picture" x={width} />
    </svg>,
  );
}

/** The CSS rules of the drawings, and the colours that these rules use, for both schemes. */
async function readStyle(): Promise<string> {
  const [rules, { written }] = await Promise.all([
    readFile('client/ui/art.css', 'utf8'),
    readOnSale().then((id) => readEdition(id)),
  ]);
  const used = new Set([...rules.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name));
  const colors = (['light', 'dark'] as const).map((scheme) => {
    const declarations = Object.entries(propertiesOf(written.theme, scheme))
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
