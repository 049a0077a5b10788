import { pathToFileURL } from 'node:url';
import createDOMPurify from 'dompurify';
import type { Plugin } from 'esbuild';
import { JSDOM } from 'jsdom';
import * as v from 'valibot';

const FAQ_MODULE = /[\\/]shared[\\/]content[\\/]faq\.ts$/;

const faqModuleSchema = v.strictObject({
  faqTitle: v.string(),
  faq: v.array(v.strictObject({ question: v.string(), answer: v.string() })),
});

/**
 * Bundles the FAQ with its answers sanitised, so that neither the running server nor the browser carries a
 * sanitiser (R1.10).
 */
export const sanitiseFaq: Plugin = {
  name: 'sanitise-faq',
  setup(build) {
    build.onLoad({ filter: FAQ_MODULE }, async ({ path }) => ({
      loader: 'ts',
      contents: await sanitisedModule(path),
    }));
  },
};

async function sanitisedModule(path: string): Promise<string> {
  const loaded: unknown = { ...(await import(`${pathToFileURL(path).href}?at=${Date.now()}`)) };
  const { faqTitle, faq } = v.parse(faqModuleSchema, loaded);
  const clean = faq.map(({ question, answer }) => ({ question, answer: sanitiseHtml(answer) }));
  return `export const faqTitle = ${JSON.stringify(faqTitle)};\nexport const faq = ${JSON.stringify(clean)};\n`;
}

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
