import { onWays } from './card-fee.ts';
import { termsPathOf } from './policies.ts';
import { sitePages } from './site-page-table.ts';
import { officeEntries, type SitePageOptions, sectionOf, type TextPage } from './site-pages.ts';

const words = {
  prices: (fee: string) =>
    `All prices are in US dollars (USD). Before you pay, the page shows what your card is charged${fee}.`,
  terms: 'What you agree to when you register',
  dispute:
    'If something about your registration or a payment is not right, write or call before you do anything else, and we will look at it together. None of this limits the rights that the law gives you, also against your bank.',
} as const;

/** Who runs the site, in which currency prices are, and what to do when something is not right. */
export function legalPage({ edition, office }: SitePageOptions): TextPage {
  const { facts, terms, notices } = edition;
  return {
    title: sitePages.legal.title,
    lede: facts.title,
    sections: [
      { title: 'Who runs this site', blocks: [{ entries: officeEntries(office, facts) }] },
      {
        title: 'Prices and terms',
        blocks: [
          words.prices(onWays(facts.prices, ', with its fee')),
          {
            entries: [
              { title: words.terms, text: `Version ${terms.version}`, href: termsPathOf(facts, terms) },
            ],
          },
        ],
      },
      { title: 'If something is not right', blocks: [words.dispute] },
      ...(notices?.legal ?? []).map(sectionOf),
    ],
  };
}
