import createDOMPurify from 'dompurify';
import { JSDOM } from 'jsdom';

const ALLOWED_TAGS = ['p', 'a', 'strong', 'em', 'ul', 'ol', 'li', 'br'];
const ALLOWED_ATTRIBUTES = ['href'];

/** Links go to this page, to the web, to a mailbox or a phone. */
const ALLOWED_ADDRESS = /^(?:#|https?:|mailto:|tel:)/i;

const purifier = createDOMPurify(new JSDOM('').window);

/** HTML reduced to an allow-list of text tags and safe links (R1.10). */
export function sanitiseHtml(html: string): string {
  return purifier.sanitize(html, {
    ALLOWED_TAGS,
    ALLOWED_ATTR: ALLOWED_ATTRIBUTES,
    ALLOWED_URI_REGEXP: ALLOWED_ADDRESS,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}
