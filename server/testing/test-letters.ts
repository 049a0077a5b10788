import { JSDOM } from 'jsdom';
import { createPlaceLinks } from '#server/links/place-links.ts';
import { createWaitingLinks } from '#server/links/waiting-links.ts';
import type { Message } from '#server/mail/letters/compose-message.ts';

const siteUrl = 'https://retreat.example';

export const testContext = {
  office: {
    email: 'office@retreat.example',
    phone: '+1 (555) 555-0100',
    fax: '+1 (555) 555-0101',
    postalAddress: '100 Example Street, Sampletown, CA 90000',
    legalName: 'Sample Retreats LLC',
  },
  siteUrl,
  links: createPlaceLinks(['a-secret-of-a-test-of-letters-only'], siteUrl),
  waitingLinks: createWaitingLinks(['a-secret-of-a-test-of-letters-only'], siteUrl),
};

export function parseHtml({ html }: Pick<Message, 'html'>): Document {
  return new JSDOM(html).window.document;
}

/** Words with simple spaces, and without the marks that isolate names. */
export function plainWords(text: string): string {
  return text
    .replaceAll(/[\u2068\u2069\u200c]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
