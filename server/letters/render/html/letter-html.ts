import type { Letter } from '#server/letters/render/letter.ts';
import type { LinkedWords } from '#server/letters/render/links.ts';
import type { Edition } from '#shared/content/edition.ts';
import { letterBlock } from './blocks.ts';
import { html, Markup } from './html.ts';
import { inline } from './inline.ts';
import { LAYOUT, type Look, lookOf } from './styles.ts';

const DETECTIONS = 'telephone=no, date=no, address=no, email=no, url=no';
/** Some clients remove the element <article>. */
const ARTICLE = new Markup('role="article" aria-roledescription="email" lang="en" dir="ltr"');

/** Renders a letter as HTML for mail clients, in the edition's colours; what a person typed is escaped. */
export function letterHtml(letter: Letter, { facts, palette }: Edition, links: LinkedWords): string {
  const look = lookOf(palette, links);
  const { styles, sheets } = look;
  // Two style sheets: a client that fails on one keeps the other.
  return html`<!doctype html>
    <html lang="en" dir="ltr">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="supported-color-schemes" content="light dark">
        <meta name="format-detection" content="${DETECTIONS}">
        <meta name="x-apple-disable-message-reformatting" content="">
        <title>${letter.subject}</title>
        <style>${sheets.common}</style>
        <style>${sheets.dark}</style>
        <!--[if mso]><style>${sheets.outlook}</style><![endif]-->
      </head>
      <body class="on-sand" style="${styles.body}">
        ${preheader(letter.preheader)}
        <div class="on-sand" aria-label="${letter.subject}" ${ARTICLE} style="${styles.article}">
          ${sheet(letter, facts.siteName, look)}
        </div>
      </body>
    </html>`.source;
}

/** Without a tiny font or one in the colour of the background, which filters against spam count. */
const HIDDEN = 'display:none;max-height:0;overflow:hidden;opacity:0;mso-hide:all';
const BLANK = '\u200c\u00a0'.repeat(90);

/**
 * The text that inboxes show beside the subject; it is padded with blanks, because the first words of the
 * letter would follow otherwise.
 */
function preheader(text: string): Markup {
  return html`<div style="${HIDDEN}">${text}${BLANK}</div>`;
}

/** The sheet of the letter: at most 600 pixels wide, centred. */
function sheet(letter: Letter, siteName: string, look: Look): Markup {
  const { styles } = look;
  return html`
    <table ${LAYOUT} width="100%">
      <tbody>
        <tr>
          <td class="margin" align="center" style="padding:0">
            <table ${LAYOUT} width="100%" class="sheet on-paper" align="center" style="${styles.sheet}">
              <tbody>
                <tr>
                  <td class="edge" style="padding:32px 20px">
                    ${door(siteName, look)}
                    <h1 class="title ink" style="${styles.title}">${letter.title}</h1>
                    ${letter.blocks.map((block) => letterBlock(block, look))}
                    ${foot(letter, look)}
                  </td>
                </tr>
              </tbody>
            </table>
          </td>
        </tr>
      </tbody>
    </table>`;
}

/** The retreat's emblem, drawn with what every client supports: a coloured cell, with the name beside it. */
function door(siteName: string, { styles }: Look): Markup {
  return html`
    <table ${LAYOUT} width="100%" style="margin:0 0 28px">
      <tbody>
        <tr>
          <td class="on-accent" aria-hidden="true" width="16" height="24" style="${styles.door}">\u00a0</td>
          <td class="ink" style="${styles.siteName}">${siteName}</td>
        </tr>
      </tbody>
    </table>`;
}

function foot({ signature, reason }: Letter, look: Look): Markup {
  const { styles } = look;
  return html`
    <table ${LAYOUT} width="100%" class="rule" style="${styles.foot}">
      <tbody>
        <tr>
          <td style="padding-top:20px">
            <p class="ink-soft" style="${styles.signature}">${inline(signature, look)}</p>
            <p class="ink-soft" style="${styles.reason}">${inline(reason, look)}</p>
          </td>
        </tr>
      </tbody>
    </table>`;
}
