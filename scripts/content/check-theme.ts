import type { ContentProblem } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';
import type { Written } from './schemas.ts';

/** The colours that the site uses as foreground or background of each other. */
const colorsOf = ({ deep, colors, art }: Written['theme']) => ({
  ...colors,
  deep: { light: deep, dark: deep },
  'art.deep': art.deep,
  'art.light': art.light,
});
type ColorName = keyof ReturnType<typeof colorsOf>;

interface Use {
  /** Names the use in a message to the author of the palette. */
  what: string;
  color: ColorName;
  on: readonly ColorName[];
  /** The contrast that it needs. */
  least: number;
}

/** Long texts: WCAG 2.2, 1.4.6, of level AAA. */
const READ = 7;
/** All other text: WCAG 2.2, 1.4.3, of level AA. */
const TEXT = 4.5;
/** Signs that are no text: WCAG 2.2, 1.4.11, of level AA. */
const SIGN = 3;

const GROUNDS = ['paper', 'sand', 'mist', 'deep'] as const;

/** Which foreground the style sheets, and the letters too, set on which grounds. */
const USES: readonly Use[] = [
  { what: 'the text', color: 'ink', on: GROUNDS, least: READ },
  { what: 'the quieter text', color: 'ink-soft', on: GROUNDS, least: TEXT },
  { what: 'a link', color: 'accent-text', on: GROUNDS, least: TEXT },
  { what: 'the words of a button', color: 'on-accent', on: ['accent', 'accent-strong'], least: TEXT },
  { what: 'an error in the form', color: 'error', on: ['paper', 'sand'], least: TEXT },
  { what: 'a star or a ticked box', color: 'accent', on: ['paper', 'sand', 'deep'], least: SIGN },
  { what: 'the line above an outcome', color: 'sage', on: ['mist'], least: SIGN },
  { what: 'the sign that plays a film', color: 'art.deep', on: ['art.light'], least: SIGN },
];

/** Finds foregrounds with too little contrast to their ground, in the light or the dark scheme. */
export function checkTheme({ written, problem }: EditionFolder): ContentProblem[] {
  const colors = colorsOf(written.theme);
  return USES.flatMap(({ what, color, on, least }) =>
    on.flatMap((ground) =>
      // The deep sections are dark by day too.
      (ground === 'deep' ? (['dark'] as const) : (['light', 'dark'] as const)).flatMap((scheme) => {
        const [front, back] = [colors[color][scheme], colors[ground][scheme]];
        const ratio = contrastOf(front, back);
        if (ratio >= least) return [];
        const [change, other] = isDarker(front, back) ? ['darker', 'lighter'] : ['lighter', 'darker'];
        const found = `${what}, ${color} ${front} on ${ground} ${back}, has a contrast of ${floored(ratio)} to 1`;
        const says = `in ${scheme}, ${found} and needs ${least} to 1: make ${color} ${change}, or ${ground} ${other}`;
        const field = color.startsWith('art.') ? color.split('.') : ['colors', color];
        return problem('theme', [...field, scheme], says);
      }),
    ),
  );
}

/** Rounds down, so that a ratio is never shown as higher than it is. */
const floored = (ratio: number): string => (Math.floor(ratio * 100) / 100).toFixed(2);

/**
 * The contrast ratio of two colours, from 1 to 21; each colour as `#rrggbb`.
 * @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
 */
export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

const isDarker = (one: string, other: string): boolean => luminanceOf(one) < luminanceOf(other);

/** @see https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
