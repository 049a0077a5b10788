import type { Color, Palette } from '#shared/content/edition.ts';
import { oncePer } from '#shared/once-per.ts';
import type { LinkedWords } from './parts.ts';

/** React takes two and a half times as long to render; the budget for mails is 0.8 of bare nodemailer. */
export class Markup {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

type Part = string | number | Markup | readonly Part[];

/** Escapes what is no markup. Line breaks go, with the indentation after them: a tag must be on one line. */
export function html(template: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const [first = '', ...others] = onOneLine(template);
  return new Markup(others.reduce((source, text, index) => source + write(parts[index]) + text, first));
}

function write(part: Part = ''): string {
  if (part instanceof Markup) return part.source;
  if (typeof part === 'object') return part.reduce<string>((source, inner) => source + write(inner), '');
  return escapeText(String(part));
}

const onOneLine = oncePer((template: TemplateStringsArray) =>
  template.map((text) => text.replaceAll(/\n\s*/g, '')),
);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
};

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

const SERIF = 'Georgia, "Times New Roman", Times, serif';
const SANS = '"Helvetica Neue", Helvetica, Arial, sans-serif';

export const LAYOUT = new Markup('role="presentation" cellpadding="0" cellspacing="0" border="0"');
export const DATA = new Markup('width="100%" cellpadding="0" cellspacing="0" border="0"');

export type Look = ReturnType<typeof colorsOf> & { links: LinkedWords };

/** The styles of each element, and the style sheet of dark schemes. */
export const colorsOf = oncePer((palette: Palette) => ({
  styles: stylesOf(palette),
  dark: new Markup(darkSheet(palette)),
}));

/** Inline, since clients drop style sheets; on each element, since Outlook's tables inherit nothing. */
function stylesOf({ sand, paper, ink, inkSoft, accent, accentText, onAccent, rule }: Palette) {
  const cell = (font: string, color: Color, padding = '9px 0', align = 'top') =>
    html`padding:${padding};border-bottom:1px solid ${rule.light};font:${font};color:${color.light};text-align:left;vertical-align:${align}`;
  const inCell = `normal 15px/1.45 ${SANS}`;
  const fact = cell(inCell, ink);
  return {
    body: html`background-color:${sand.light};margin:0;padding:0;word-spacing:normal`,
    // Names, ids and addresses break anywhere: unbroken they would make the letter wider than a phone.
    article: html`background-color:${sand.light};-webkit-text-size-adjust:100%;word-break:break-word;overflow-wrap:anywhere`,
    sheet: html`max-width:600px;background-color:${paper.light};text-align:left`,
    foot: html`margin-top:24px;border-top:1px solid ${rule.light}`,
    title: html`margin:0 0 18px;font:normal 27px/1.2 ${SERIF};color:${ink.light}`,
    heading: html`margin:32px 0 10px;font:normal 22px/1.3 ${SERIF};color:${ink.light}`,
    subheading: html`margin:20px 0 6px;font:bold 16px/1.4 ${SANS};color:${ink.light}`,
    paragraph: html`margin:0 0 16px;font:normal 16px/1.6 ${SANS};color:${ink.light}`,
    signature: html`margin:0 0 8px;font:normal 13px/1.6 ${SANS};color:${inkSoft.light}`,
    reason: html`margin:0;font:normal 13px/1.6 ${SANS};color:${inkSoft.light}`,
    leave: html`margin:8px 0 0;font:normal 13px/1.6 ${SANS};color:${inkSoft.light}`,
    unbroken: html`white-space:nowrap`,
    link: html`color:${accentText.light};text-decoration:underline`,
    button: html`background-color:${accent.light};border-radius:8px`,
    buttonLabel: html`display:inline-block;padding:14px 28px;font:bold 16px/1.25 ${SANS};color:${onAccent.light};text-decoration:none`,
    emblem: html`padding:0;font:normal 13px/1.4 ${SANS};color:${inkSoft.light};vertical-align:middle`,
    picture: html`display:block;border:0`,
    siteName: html`font:italic 21px/1.3 ${SERIF};color:${ink.light};vertical-align:middle`,
    factTable: html`margin:0 0 24px;border-collapse:collapse;border-top:1px solid ${rule.light}`,
    factLabel: html`${cell(inCell, inkSoft)};width:26%;padding-right:16px;word-break:normal;overflow-wrap:normal`,
    fact,
    strongFact: html`${fact};font-weight:bold`,
  };
}

/** The inline styles fit a phone; on wider screens the sheet is centred. No heading is printed without its text. */
export const SCREENS = new Markup(`
@media only screen and (min-width: 621px) {
  .margin { padding: 32px 0 !important }
  .edge { padding: 36px 44px 32px !important }
  .title { font-size: 30px !important }
  .label { width: 1% !important; white-space: nowrap !important }
}
@media print {
  h1, h2, h3 { break-after: avoid }
  p, tr { break-inside: avoid }
}`);

/** Outlook for Windows has no `max-width`, and no padding around links. */
export const OUTLOOK = new Markup(`
.sheet { width: 600px !important }
.edge { padding: 36px 44px 32px !important }
.button { padding: 14px 28px !important }
`);

/** The same rules twice: by media query, and for Outlook’s web client, which marks what it recolours. */
function darkSheet(palette: Palette): string {
  return `
@media (prefers-color-scheme: dark) {
  ${darkRules(palette, '', '')}
  .rule { border-color: ${palette.rule.dark} !important }
}
${darkRules(palette, '[data-ogsb] ', '[data-ogsc] ')}
a[x-apple-data-detectors] { color: inherit !important; text-decoration: none !important }`;
}

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
