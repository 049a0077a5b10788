import type { CSSProperties } from 'react';
import { palette } from './palette.ts';

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
