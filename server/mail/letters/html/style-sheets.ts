import { type Colour, palette } from './palette.ts';

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
