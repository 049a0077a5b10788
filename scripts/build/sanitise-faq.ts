import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';
import * as v from 'valibot';
import { sanitiseHtml } from './sanitise-html.ts';

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
