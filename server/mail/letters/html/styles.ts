import type { CSSProperties } from 'react';

/** A colour by day and by night. */
export interface Colour {
  light: string;
  dark: string;
}

/** The page's own colours (`client/styles/tokens.css`); mail clients know no custom properties. */
export const palette = {
  paper: { light: '#fbf6ef', dark: '#1b1319' },
  sand: { light: '#efe3d3', dark: '#2a1e27' },
  ink: { light: '#33202e', dark: '#f4e9dc' },
  inkSoft: { light: '#554151', dark: '#d3c3bc' },
  accent: { light: '#b4472f', dark: '#f0a27c' },
  accentText: { light: '#9c3a25', dark: '#f0a27c' },
  onAccent: { light: '#fbf6ef', dark: '#1b1319' },
  rule: { light: '#d8c8b6', dark: '#4b3a47' },
} as const satisfies Record<string, Colour>;

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

const { ink, inkSoft, accentText, rule } = palette;

/** Inline, since clients drop style sheets; each element by itself, since Outlook's tables inherit nothing. */
export const styles = {
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
} as const satisfies Record<string, CSSProperties>;

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

/** By class; the light colours stand inline. */
const backgrounds: Record<string, Colour> = {
  'on-sand': palette.sand,
  'on-paper': palette.paper,
  'on-accent': palette.accent,
};
const colours: Record<string, Colour> = {
  ink: palette.ink,
  'ink-soft': palette.inkSoft,
  link: palette.accentText,
  'button-label': palette.onAccent,
};

/** The same rules for clients that ask the system, and for Outlook’s web client, which marks what it recolours. */
export const darkStyles = `
@media (prefers-color-scheme: dark) {
  ${darkRules('', '')}
  .rule { border-color: ${palette.rule.dark} !important }
}
${darkRules('[data-ogsb] ', '[data-ogsc] ')}
a[x-apple-data-detectors] { color: inherit !important; text-decoration: none !important }`;

function darkRules(onBackground: string, onColour: string): string {
  const rules = [
    ...Object.entries(backgrounds).map(
      ([name, { dark }]) => `${onBackground}.${name} { background-color: ${dark} !important }`,
    ),
    ...Object.entries(colours).map(([name, { dark }]) => `${onColour}.${name} { color: ${dark} !important }`),
  ];
  return rules.join('\n  ');
}

/** Outlook for Windows has no `max-width`, and no padding around links. */
export const outlookHead = `<!--[if mso]><style>
.sheet { width: 600px !important }
.edge { padding: 36px 44px 32px !important }
.button { padding: 14px 28px !important }
</style><![endif]-->`;
