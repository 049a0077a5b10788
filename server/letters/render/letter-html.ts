import type { Edition, Emblem } from '#shared/content/edition.ts';
import type { Block, Fact, Letter } from './letter.ts';
import { colorsOf, DATA, html, LAYOUT, type Look, Markup, OUTLOOK, SCREENS } from './markup.ts';
import { splitIsolated } from './names.ts';
import type { LinkedWords } from './parts.ts';

const DETECTIONS = 'telephone=no, date=no, address=no, email=no, url=no';
/** Some clients remove the element <article>. */
const ARTICLE = new Markup('role="article" aria-roledescription="email" lang="en" dir="ltr"');

export function letterHtml(letter: Letter, { facts, palette, emblem }: Edition, links: LinkedWords): string {
  const look = { ...colorsOf(palette), links };
  const { styles, dark } = look;
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
        <style>${SCREENS}</style>
        <style>${dark}</style>
        <!--[if mso]><style>${OUTLOOK}</style><![endif]-->
      </head>
      <body class="on-sand" style="${styles.body}">
        ${preheader(letter.preheader)}
        <div class="on-sand" aria-label="${letter.subject}" ${ARTICLE} style="${styles.article}">
          ${sheet(letter, facts.siteName, emblem, look)}
        </div>
      </body>
    </html>`.source;
}

/** Without a tiny font or one in the colour of the background, which filters against spam count. */
const HIDDEN = 'display:none;max-height:0;overflow:hidden;opacity:0;mso-hide:all';
const BLANK = '\u200c\u00a0'.repeat(90);

/** Padded with blanks: inboxes would show the first words of the letter after it. */
function preheader(text: string): Markup {
  return html`<div style="${HIDDEN}">${text}${BLANK}</div>`;
}

function sheet(letter: Letter, siteName: string, emblem: Emblem, look: Look): Markup {
  const { styles } = look;
  return html`
    <table ${LAYOUT} width="100%">
      <tbody>
        <tr>
          <td class="margin" align="center" style="padding:0">
            <table ${LAYOUT} width="100%" class="sheet on-paper" align="center" style="${styles.sheet}">
              <tbody>
                <tr>
                  <td class="edge" style="padding:24px 20px">
                    ${head(siteName, emblem, look)}
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

/** The emblem comes with the mail under this Content-ID: nobody learns when it is read, as from a fetch. */
export const EMBLEM_ID = 'emblem';

function head(siteName: string, { width, height }: Emblem, { styles }: Look): Markup {
  return html`
    <table ${LAYOUT} width="100%" style="margin:0 0 18px">
      <tbody>
        <tr>
          <td width="${width + 16}" style="${styles.emblem}">
            <img src="cid:${EMBLEM_ID}" alt="An open door" width="${width}" height="${height}" style="${styles.picture}">
          </td>
          <td class="ink" style="${styles.siteName}">${siteName}</td>
        </tr>
      </tbody>
    </table>`;
}

function foot({ signature, reason, leave }: Letter, look: Look): Markup {
  const { styles } = look;
  return html`
    <table ${LAYOUT} width="100%" class="rule" style="${styles.foot}">
      <tbody>
        <tr>
          <td style="padding-top:20px">
            <p class="ink-soft" style="${styles.signature}">${inline(signature, look)}</p>
            <p class="ink-soft" style="${styles.reason}">${inline(reason, look)}</p>
            ${leave ? html`<p class="ink-soft" style="${styles.leave}">${link(leave.href, leave.label, look)}</p>` : ''}
          </td>
        </tr>
      </tbody>
    </table>`;
}

function letterBlock(block: Block, look: Look): Markup {
  const { styles } = look;
  switch (block.kind) {
    case 'heading':
      return html`<h2 class="ink" style="${styles.heading}">${block.text}</h2>`;
    case 'subheading':
      return html`<h3 class="ink" style="${styles.subheading}">${block.text}</h3>`;
    case 'paragraph':
      return html`<p class="ink" style="${styles.paragraph}">${inline(block.text, look)}</p>`;
    case 'button':
      return button(block.label, block.href, look);
    case 'facts':
      return factTable(block.facts, look);
  }
}

/** The table cell has the background colour, because some clients ignore it on links. */
function button(label: string, href: string, { styles }: Look): Markup {
  return html`
    <table ${LAYOUT} style="margin:6px 0 22px">
      <tbody>
        <tr>
          <td class="button on-accent" align="center" style="${styles.button}">
            <a class="button-label" href="${href}" style="${styles.buttonLabel}">${label}</a>
          </td>
        </tr>
      </tbody>
    </table>`;
}

/** A longer label takes two lines on a phone, which leaves room for the value. */
const LONGEST_LABEL = 12;

function factTable(facts: readonly Fact[], look: Look): Markup {
  const { styles } = look;
  const rows = facts.map(
    (fact) => html`
      <tr>
        <th scope="row" class="label rule ink-soft" style="${styles.factLabel}">
          ${fact.label.length > LONGEST_LABEL ? fact.label : fact.label.replaceAll(' ', '\u00a0')}
        </th>
        <td class="rule ink" style="${fact.strong ? styles.strongFact : styles.fact}">
          ${fact.href ? link(fact.href, html`${inline(fact.value, look)}`, look) : inline(fact.value, look)}
        </td>
      </tr>`,
  );
  return html`
    <table class="rule" ${DATA} style="${styles.factTable}">
      <tbody>${rows}</tbody>
    </table>`;
}

/** Longer words, such as addresses, may break: the letter would be wider than a phone. */
const LONGEST_UNBROKEN = 36;

/** Never links what people typed. */
export function inline(text: string, look: Look): Markup[] {
  return splitIsolated(text).flatMap((part, index) =>
    index % 2 === 1 ? html`<bdi>${part}</bdi>` : linked(part, look),
  );
}

function linked(text: string, look: Look): Markup[] {
  const { pattern, hrefOf } = look.links;
  return text
    .split(pattern)
    .map((word, index) => (index % 2 === 1 ? link(hrefOf(word), unbroken(word, look), look) : lines(word)));
}

function lines(text: string): Markup {
  const [first = '', ...others] = text.split('\n');
  return html`${first}${others.map((line) => html`<br>${line}`)}`;
}

function unbroken(text: string, { styles }: Look): string | Markup {
  return text.length > LONGEST_UNBROKEN ? text : html`<span style="${styles.unbroken}">${text}</span>`;
}

export function link(href: string, content: string | Markup, { styles }: Look): Markup {
  return html`<a class="link" href="${href}" style="${styles.link}">${content}</a>`;
}
