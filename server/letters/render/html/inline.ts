import { splitIsolated } from '#server/letters/render/names.ts';
import { html, type Markup } from './html.ts';
import type { Look } from './styles.ts';

/**
 * What stays on one line: a month and a day joined by a no-break space, with the rest of the date (`March 8–11, 2027`),
 * and the word e-mail.
 */
const UNBROKEN =
  /(\p{Lu}\p{Ll}+\u00a0\d{1,2}(?:–(?:\p{Lu}\p{Ll}+\u00a0)?\d{1,2})?(?:,\s\d{4})?|\b[Ee]-mails?\b)/u;

/** Longer words, such as addresses, may break: unbroken they would make the letter wider than a phone. */
const LONGEST_UNBROKEN = 36;

/** An address on any site, without the punctuation that ends a sentence. */
const ADDRESS = /(https:\/\/[^\s<>"]*[\p{L}\p{N}/=&#_-])/u;

/**
 * Renders a text with its links and line breaks. What people typed is isolated, and never becomes a link.
 * @param leadsOut whether addresses on other sites become links, too
 */
export function inline(text: string, look: Look, leadsOut = false): Markup[] {
  return splitIsolated(text).flatMap((part, index) =>
    index % 2 === 1 ? html`<bdi>${part}</bdi>` : linked(part, look, leadsOut),
  );
}

function linked(text: string, look: Look, leadsOut: boolean): Markup[] {
  const parts = leadsOut ? text.split(ADDRESS) : [text];
  return parts.flatMap((part, index) =>
    index % 2 === 1
      ? link(part, unbroken(part, look), look)
      : part.split(look.links.pattern).map((word) => {
          const href = look.links.hrefOf(word);
          return href ? link(href, unbroken(word, look), look) : lines(word, look);
        }),
  );
}

function lines(text: string, look: Look): Markup {
  const [first = '', ...others] = text.split('\n');
  return html`${wordsOf(first, look)}${others.map((line) => html`<br>${wordsOf(line, look)}`)}`;
}

function wordsOf(text: string, look: Look): (string | Markup)[] {
  return text.split(UNBROKEN).map((part, index) => (index % 2 === 1 ? unbroken(part, look) : part));
}

/** A word that stays on one line. */
function unbroken(text: string, { styles }: Look): string | Markup {
  return text.length > LONGEST_UNBROKEN ? text : html`<span style="${styles.unbroken}">${text}</span>`;
}

export function link(href: string, content: string | Markup, { styles }: Look): Markup {
  return html`<a class="link" href="${href}" style="${styles.link}">${content}</a>`;
}
