import createDOMPurify from 'dompurify';
import { JSDOM } from 'jsdom';

const { window } = new JSDOM('');
const forHtml = createDOMPurify(window);
const forSvg = createDOMPurify(window);

/** HTML reduced to an allow-list of text tags and safe links: to this page, the web, a mailbox or a phone (R1.10). */
export function sanitiseHtml(html: string): string {
  return forHtml.sanitize(html, {
    ALLOWED_TAGS: ['p', 'a', 'strong', 'em', 'ul', 'ol', 'li', 'br'],
    ALLOWED_ATTR: ['href'],
    ALLOWED_URI_REGEXP: /^(?:#|https?:|mailto:|tel:)/i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}

/** References outside the file: a CSS import, or a URL that is neither a part of the file nor an embedded picture. */
const OUTSIDE = /@import|url\(\s*(?!["']?(?:#|data:image\/(?:png|jpeg|webp|gif|avif);))/i;
const INSIDE = /^(?:#|data:image\/(?:png|jpeg|webp|gif|avif);)/i;

forSvg.addHook('uponSanitizeElement', (node, { tagName }) => {
  if (tagName === 'style' && OUTSIDE.test(unescaped(node.textContent ?? ''))) node.textContent = '';
});

forSvg.addHook('uponSanitizeAttribute', (_node, attribute) => {
  const { attrName, attrValue } = attribute;
  const isAddress = attrName === 'href' || attrName === 'xlink:href';
  if (isAddress ? !INSIDE.test(attrValue.trim()) : OUTSIDE.test(unescaped(attrValue)))
    attribute.keepAttr = false;
});

/**
 * Returns a drawing without scripts, and without anything that is fetched from elsewhere.
 * @throws {Error} when it is no SVG
 */
export function sanitiseSvg(source: string): string {
  const { documentElement } = new JSDOM(source, { contentType: 'image/svg+xml' }).window.document;
  if (documentElement.localName !== 'svg') throw new Error('it holds no <svg>');
  const { firstElementChild } = forSvg.sanitize(documentElement.outerHTML, {
    USE_PROFILES: { svg: true, svgFilters: true },
    ADD_TAGS: ['use'],
    RETURN_DOM_FRAGMENT: true,
  });
  if (!firstElementChild) throw new Error('nothing of it may be shown');
  return new window.XMLSerializer().serializeToString(firstElementChild);
}

/** CSS without comments and escapes, as a browser understands it: `\75rl(` is `url(`. */
function unescaped(css: string): string {
  return css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\\([0-9a-f]{1,6})\s?|\\(.)/gi, (_all, code?: string, letter?: string) =>
      code ? String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff)) : (letter ?? ''),
    );
}
