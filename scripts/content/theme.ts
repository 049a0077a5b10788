import type { Color } from '#shared/content/edition.ts';
import type { Report, Written } from './schema.ts';

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

/** Reports foregrounds with too little contrast to their ground, in the light or the dark scheme. */
export function checkTheme({ theme }: Written, report: Report): void {
  const colors = colorsOf(theme);
  for (const [color, grounds, least, what] of USES)
    for (const ground of grounds)
      for (const scheme of ['light', 'dark'] as const) {
        const [front, back] = [colors[color][scheme], colors[ground][scheme]];
        const ratio = contrastOf(front, back);
        // The deep sections are dark by day too.
        if (ratio >= least || (ground === 'deep' && scheme === 'light')) continue;
        const isDarker = luminanceOf(front) < luminanceOf(back);
        const [change, other] = isDarker ? ['darker', 'lighter'] : ['lighter', 'darker'];
        // Rounded down, so that a ratio is never shown as higher than it is.
        const shown = (Math.floor(ratio * 100) / 100).toFixed(2);
        const found = `${what}, ${color} ${front} on ${ground} ${back}, has a contrast of ${shown} to 1`;
        report(
          `theme.${color.startsWith('art.') ? color : `colors.${color}`}.${scheme}`,
          `in ${scheme}, ${found} and needs ${least} to 1: make ${color} ${change}, or ${ground} ${other}`,
        );
      }
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
export function webManifestOf({ edition: { siteName, shortName }, theme }: Written): string {
  const icon = (size: number) => ({ src: `/icon-${size}.png`, sizes: `${size}x${size}`, type: 'image/png' });
  const manifest = {
    name: siteName,
    // JSON leaves out what is undefined.
    short_name: shortName,
    start_url: '/',
    display: 'browser',
    background_color: theme.colors.paper.light,
    theme_color: theme.deep,
    icons: [icon(192), icon(512), { ...icon(512), purpose: 'maskable' }],
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}
