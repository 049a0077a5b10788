import createDOMPurify from 'dompurify';
import { JSDOM } from 'jsdom';

const { window } = new JSDOM('');
const purify = createDOMPurify(window);

/** HTML reduced to an allow-list of text tags and safe links: to this page, the web, a mailbox or a phone (R1.10). */
export function sanitiseHtml(html: string): string {
  return purify.sanitize(html, {
    ALLOWED_TAGS: ['p', 'a', 'strong', 'em', 'ul', 'ol', 'li', 'br'],
    ALLOWED_ATTR: ['href'],
    ALLOWED_URI_REGEXP: /^(?:#|https?:|mailto:|tel:)/i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}

/**
 * Returns a drawing without scripts. As an image in a page it fetches nothing from elsewhere.
 * @throws {Error} when it is no SVG
 */
export function sanitiseSvg(source: string): string {
  const { documentElement } = new JSDOM(source, { contentType: 'image/svg+xml' }).window.document;
  if (documentElement.localName !== 'svg') throw new Error('it holds no <svg>');
  const { firstElementChild } = purify.sanitize(documentElement.outerHTML, {
    USE_PROFILES: { svg: true, svgFilters: true },
    ADD_TAGS: ['use'],
    RETURN_DOM_FRAGMENT: true,
  });
  if (!firstElementChild) throw new Error('nothing of it may be shown');
  return new window.XMLSerializer().serializeToString(firstElementChild);
}
