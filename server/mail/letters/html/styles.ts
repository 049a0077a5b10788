import { type CSSProperties, createContext, useContext } from 'react';
import type { Color, Palette } from '#shared/content/edition.ts';

declare module 'react' {
  interface CSSProperties {
    /** Outlook's own: what hides an element there. */
    msoHide?: 'all';
    /** Outlook's own: keeps line heights as they are given. */
    msoLineHeightRule?: 'exactly';
  }
}

export const SERIF = 'Georgia, "Times New Roman", Times, serif';
export const SANS = '"Helvetica Neue", Helvetica, Arial, sans-serif';

/** Inline, since clients drop style sheets; each element by itself, since Outlook's tables inherit nothing. */
const stylesOf = ({ ink, inkSoft, accentText, rule }: Palette) =>
  ({
    title: {
      margin: '0 0 24px',
      font: `normal 27px/1.2 ${SERIF}`,
      color: ink.light,
    },
    heading: {
      margin: '40px 0 12px',
      font: `normal 22px/1.3 ${SERIF}`,
      color: ink.light,
    },
    subheading: {
      margin: '20px 0 6px',
      font: `bold 16px/1.4 ${SANS}`,
      color: ink.light,
    },
    paragraph: {
      margin: '0 0 16px',
      font: `normal 16px/1.6 ${SANS}`,
      color: ink.light,
    },
    small: {
      margin: '0 0 8px',
      font: `normal 13px/1.6 ${SANS}`,
      color: inkSoft.light,
    },
    unbroken: { whiteSpace: 'nowrap' },
    link: { color: accentText.light, textDecoration: 'underline' },
    cell: {
      padding: '9px 0',
      borderBottom: `1px solid ${rule.light}`,
      font: `normal 15px/1.45 ${SANS}`,
      color: ink.light,
      textAlign: 'left',
      verticalAlign: 'top',
    },
  }) as const satisfies Record<string, CSSProperties>;

/** The colours of a letter's edition, and what is set in them. */
export const lookOf = (palette: Palette) => ({ palette, styles: stylesOf(palette) });

/** How the letter looks that is being set. */
export const LookContext = createContext<ReturnType<typeof lookOf> | undefined>(undefined);

export function useLook() {
  const look = useContext(LookContext);
  if (!look) throw new Error('A part of a letter stands outside of LookContext');
  return look;
}

/** What stands inline fits a phone; where there is room, the sheet lies in the middle of it. */
export const wideStyles = `
@media only screen and (min-width: 621px) {
  .margin { padding: 32px 0 !important }
  .edge { padding: 36px 44px 32px !important }
  .title { font-size: 30px !important }
}`;

/** No heading stands at the foot of a sheet without what it is of. */
export const printStyles = `
@media print {
  h1, h2, h3 { break-after: avoid }
  p, tr { break-inside: avoid }
}`;

/** The same rules for clients that ask the system, and for Outlook’s web client, which marks what it recolours. */
export function darkStylesOf(palette: Palette): string {
  return `
@media (prefers-color-scheme: dark) {
  ${darkRules(palette, '', '')}
  .rule { border-color: ${palette.rule.dark} !important }
}
${darkRules(palette, '[data-ogsb] ', '[data-ogsc] ')}
a[x-apple-data-detectors] { color: inherit !important; text-decoration: none !important }`;
}

/** By class; the light colours stand inline. */
function darkRules(palette: Palette, onBackground: string, onColor: string): string {
  const backgrounds: Record<string, Color> = {
    'on-sand': palette.sand,
    'on-paper': palette.paper,
    'on-accent': palette.accent,
  };
  const colors: Record<string, Color> = {
    ink: palette.ink,
    'ink-soft': palette.inkSoft,
    link: palette.accentText,
    'button-label': palette.onAccent,
  };
  const rules = [
    ...Object.entries(backgrounds).map(
      ([name, { dark }]) => `${onBackground}.${name} { background-color: ${dark} !important }`,
    ),
    ...Object.entries(colors).map(([name, { dark }]) => `${onColor}.${name} { color: ${dark} !important }`),
  ];
  return rules.join('\n  ');
}

/** Outlook for Windows has no `max-width`, and no padding around links. */
export const outlookHead = `<!--[if mso]><style>
.sheet { width: 600px !important }
.edge { padding: 36px 44px 32px !important }
.button { padding: 14px 28px !important }
</style><![endif]-->`;
