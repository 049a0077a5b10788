import createDOMPurify from 'dompurify';
import { JSDOM } from 'jsdom';

const purify = createDOMPurify(new JSDOM('').window);
const LINK = /\[([^\]]+)\]\(([^)\s]+)\)/g;

/** The addresses of the links in a text, `[words](address)`. */
export const linksIn = (markdown: string): string[] =>
  [...markdown.matchAll(LINK)].map(([, , address = '']) => address);

/**
 * An answer as HTML: paragraphs and lists, in them links, `**strong**` and `*emphasised*` words. It is reduced to an
 * allow-list of text tags and safe links: to this page, the web, a mailbox or a phone (R1.10).
 */
export function htmlOf(markdown: string): string {
  const blocks = markdown.split(/\n\s*\n/).map((block) => {
    const [before, ...items] = block.trim().split(/^\s*- /m);
    if (before || items.length === 0) return `<p>${inline(block)}</p>`;
    return `<ul>${items.map((item) => `<li>${inline(item)}</li>`).join('')}</ul>`;
  });
  return purify.sanitize(blocks.join(' '), {
    ALLOWED_TAGS: ['p', 'a', 'strong', 'em', 'ul', 'li'],
    ALLOWED_ATTR: ['href'],
    ALLOWED_URI_REGEXP: /^(?:#|https?:|mailto:|tel:)/i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}

const inline = (text: string): string =>
  text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/\*(.+?)\*/g, '<em>$1</em>')
    .replaceAll(LINK, '<a href="$2">$1</a>');
