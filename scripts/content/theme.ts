import sharp from 'sharp';
import type { Color } from '#shared/content/edition.ts';
import type { ContentProblem } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';
import type { Written } from './schemas.ts';

type Theme = Written['theme'];

/** The colours that the site uses as foreground or background of each other. */
const colorsOf = ({ deep, colors, art }: Theme) => ({
  ...colors,
  deep: { light: deep, dark: deep },
  'art.deep': art.deep,
  'art.light': art.light,
});
type ColorName = keyof ReturnType<typeof colorsOf>;

/** The contrasts that WCAG 2.2 asks for: long texts of level AAA, 1.4.6; other text, 1.4.3; signs, 1.4.11. */
const [READ, TEXT, SIGN] = [7, 4.5, 3] as const;

const GROUNDS = ['paper', 'sand', 'mist', 'deep'] as const;

/** Which foreground the style sheets, and the letters too, set on which grounds; its contrast, and its name. */
type Use = readonly [ColorName, on: readonly ColorName[], least: number, what: string];
const USES: readonly Use[] = [
  ['ink', GROUNDS, READ, 'the text'],
  ['ink-soft', GROUNDS, TEXT, 'the quieter text'],
  ['accent-text', GROUNDS, TEXT, 'a link'],
  ['on-accent', ['accent', 'accent-strong'], TEXT, 'the words of a button'],
  ['error', ['paper', 'sand'], TEXT, 'an error in the form'],
  ['accent', ['paper', 'sand', 'deep'], SIGN, 'a star or a ticked box'],
  ['sage', ['mist'], SIGN, 'the line above an outcome'],
  ['art.deep', ['art.light'], SIGN, 'the sign that plays a film'],
];

/** Finds foregrounds with too little contrast to their ground, in the light or the dark scheme. */
export function checkTheme({ written, problem }: EditionFolder): ContentProblem[] {
  const colors = colorsOf(written.theme);
  const problemOf = ([color, , least, what]: Use, ground: ColorName, scheme: keyof Color) => {
    const [front, back] = [colors[color][scheme], colors[ground][scheme]];
    const ratio = contrastOf(front, back);
    if (ratio >= least) return [];
    const [change, other] =
      luminanceOf(front) < luminanceOf(back) ? ['darker', 'lighter'] : ['lighter', 'darker'];
    // Rounded down, so that a ratio is never shown as higher than it is.
    const shown = (Math.floor(ratio * 100) / 100).toFixed(2);
    const found = `${what}, ${color} ${front} on ${ground} ${back}, has a contrast of ${shown} to 1`;
    const says = `in ${scheme}, ${found} and needs ${least} to 1: make ${color} ${change}, or ${ground} ${other}`;
    const field = color.startsWith('art.') ? color.split('.') : ['colors', color];
    return [problem('theme', [...field, scheme], says)];
  };
  return USES.flatMap((use) =>
    use[1].flatMap((ground) => {
      const dark = problemOf(use, ground, 'dark');
      // The deep sections are dark by day too.
      return ground === 'deep' ? dark : [...problemOf(use, ground, 'light'), ...dark];
    }),
  );
}

/**
 * The contrast ratio of two colours, from 1 to 21; each colour as `#rrggbb`.
 * @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
 */
export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** @see https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** What else depends on the scheme, by CSS property. */
const SCHEMES = {
  light: { 'color-scheme': 'light', '--illustration-half': 'left', '--logo-ink': 'none' },
  dark: { 'color-scheme': 'dark', '--illustration-half': 'right', '--logo-ink': 'invert(1)' },
};

/**
 * A palette as the custom properties of the style sheets. Dark where the device is or the visitor chose it, and in the deep
 * sections; light everywhere on paper.
 */
export function styleSheetOf(theme: Theme): string {
  const [light, dark] = (['light', 'dark'] as const).map((scheme) =>
    Object.entries({ ...SCHEMES[scheme], ...propertiesOf(theme, scheme) })
      .map(([name, value]) => `  ${name}: ${value};`)
      .join('\n'),
  );
  return `:root {
  --deep: ${theme.deep};
${light}
}
@media screen and (prefers-color-scheme: dark) {
:root:not([data-theme="light"]) {
${dark}
}
}
@media screen {
:root[data-theme="dark"],
.section--deep {
${dark}
}
}
`;
}

/** The CSS rules that paint the drawings: a class for each of their colours. */
export const fillsOf = ({ art }: Theme): string =>
  Object.keys(art)
    .map((name) => `.art-${name}{fill:var(--art-${name})}\n`)
    .join('');

export function propertiesOf({ colors, art }: Theme, scheme: keyof Color): Record<string, string> {
  return Object.fromEntries([
    ...Object.entries(colors).map(([name, color]) => [`--${name}`, color[scheme]]),
    ...Object.entries(art).map(([name, color]) => [`--art-${name}`, color[scheme]]),
  ]);
}

/**
 * The web app manifest: name, icons and colours of the site when a visitor adds it to the home screen.
 * @see https://www.w3.org/TR/appmanifest/
 */
export function webManifestOf({ edition, theme }: Written): string {
  const { siteName, shortName } = edition;
  const icon = (size: number) => ({
    src: `/icon-${size}.png`,
    sizes: `${size}x${size}`,
    type: 'image/png',
  });
  const manifest = {
    name: siteName,
    ...(shortName !== undefined && { short_name: shortName }),
    start_url: '/',
    display: 'browser',
    background_color: theme.colors.paper.light,
    theme_color: theme.deep,
    icons: [icon(192), icon(512), { ...icon(512), purpose: 'maskable' }],
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** On home screens, which cut the corners off themselves. */
const SQUARES = { 'apple-touch-icon.png': 180, 'icon-192.png': 192, 'icon-512.png': 512 };

/** Draws the site's icons in an edition's colours: their contents by the names under which browsers request them. */
export async function drawIcons(theme: Theme): Promise<Record<string, string | Buffer>> {
  const svg = iconOf(theme, `<rect width="64" height="64" rx="15" fill="${theme.deep}"/>`, '');
  // The edges, which a home screen may crop, show only the ground.
  const ground = `<path fill="${theme.deep}" d="M0 0h64v64H0z"/>`;
  const square = iconOf(theme, ground, ' transform="translate(1.6 -.1) scale(.88)"');
  const squares = Object.entries(SQUARES).map(async ([name, size]) => [name, await pngOf(square, size)]);
  return {
    'favicon.svg': svg,
    'favicon.ico': icoOf(await pngOf(svg, ICO_SIZE)),
    ...Object.fromEntries(await Promise.all(squares)),
  };
}

/** An open door, with a path over a hill behind it. */
function iconOf({ art, colors }: Theme, ground: string, transform: string): string {
  const paper = colors.paper.light;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
  ${ground}
  <g${transform}>
    <path d="M15 54V29a15 15 0 0 1 30 0v25z" fill="${art.sky.light}"/>
    <circle cx="30" cy="36" r="9" fill="${art.sun.light}"/>
    <path d="M15 43c9-6 21-5 30 0v11H15z" fill="${art.near.light}"/>
    <path d="M24 54c0-5 8-5 7-12h4c0 6 0 7-3 12z" fill="${paper}"/>
    <path d="M45 54V29c0-8 3-12 9-13v43z" fill="${art.accent.light}"/>
    <circle cx="48" cy="39" r="1.6" fill="${paper}"/>
  </g>
</svg>
`;
}

const pngOf = (svg: string, size: number): Promise<Buffer> =>
  sharp(Buffer.from(svg), { density: (72 * size) / 64 })
    .resize(size, size)
    .png({ compressionLevel: 9, palette: true })
    .toBuffer();

/** For browsers that do not support SVG icons. */
const ICO_SIZE = 32;

/**
 * One PNG as an ICO file: a header, and the entry of a picture of one plane with 32 bits a pixel.
 * @see https://en.wikipedia.org/wiki/ICO_(file_format)
 */
function icoOf(png: Buffer): Buffer {
  const header = Buffer.from([0, 0, 1, 0, 1, 0, ICO_SIZE, ICO_SIZE, 0, 0, 1, 0, 32, 0]);
  const [length, start] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32LE(png.length);
  start.writeUInt32LE(header.length + 8);
  return Buffer.concat([header, length, start, png]);
}
