import { formatBreakableDate } from '#shared/dates.ts';
import { mailLink, phoneLink } from '#shared/mail-and-phone.ts';
import { onWays } from '#shared/money.ts';
import type { OfficeContact } from '#shared/page.ts';
import type { Edition, Facts, Policy, SitePageName } from './edition.ts';
import { termsPathOf } from './policies.ts';
import { pixelFact } from './privacy.ts';

export const sitePages = {
  privacy: { path: '/privacy', title: 'Privacy notice' },
  accessibility: { path: '/accessibility', title: 'Accessibility' },
  legal: { path: '/legal', title: 'Legal notice' },
  healthData: { path: '/health-data', title: 'Consumer health data' },
} as const satisfies Record<SitePageName, { path: string; title: string }>;

export const sitePageNames: readonly SitePageName[] = ['privacy', 'accessibility', 'legal', 'healthData'];

export interface SitePageOptions {
  edition: Pick<Edition, 'facts' | 'terms' | 'questions' | 'notices'>;
  office: OfficeContact;
  isMeasured: boolean;
}

interface PageEntry {
  title: string;
  text: string;
  href?: string;
}

interface PageTable {
  caption: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

export type PageBlock = string | { entries: readonly PageEntry[] } | { table: PageTable };

export interface PageSection {
  title: string;
  blocks: readonly PageBlock[];
}

export interface TextPage {
  title: string;
  eyebrow?: string;
  lede: string;
  sections: readonly PageSection[];
  closing?: readonly string[];
}

/**
 * The pages that there are: the one about health data where the pixel may tell a network that somebody read this page.
 * @see https://app.leg.wa.gov/RCW/default.aspx?cite=19.373.020
 */
export function sitePagesOf(isMeasured: boolean): SitePageName[] {
  return sitePageNames.filter((name) => name !== 'healthData' || isMeasured);
}

export const sectionOf = ({ title, paragraphs }: Policy): PageSection => ({ title, blocks: paragraphs });

/** The cells of a row, as texts write it: `one | two`. */
export const cellsOf = (row: string): string[] => row.split(' | ');

/** Lines such as `title | text` as entries. */
export function entriesOf(lines: readonly string[]): { entries: readonly PageEntry[] } {
  return {
    entries: lines.map((line) => {
      const [title = '', text = ''] = cellsOf(line);
      return { title, text };
    }),
  };
}

export function officeEntries(office: OfficeContact, { siteName }: Pick<Facts, 'siteName'>): PageEntry[] {
  const { officeLegalName, officePostalAddress, officeEmail, officePhone, officeFax } = office;
  return [
    { title: 'Run by', text: officeLegalName ?? siteName },
    ...(officePostalAddress ? [{ title: 'Postal address', text: officePostalAddress }] : []),
    { title: 'E-mail', text: officeEmail, href: mailLink(officeEmail) },
    { title: 'Phone', text: officePhone, href: phoneLink(officePhone) },
    ...(officeFax ? [{ title: 'Fax', text: officeFax }] : []),
  ];
}

/** What the site aims at, what is tested, and what is known not to work. Renew the date with each change. */
const statement = {
  date: '2026-11-28',
  standard: 'WCAG 2.2, level AA',
  tested: [
    'With each change of the site | Programs check the pages on a phone and on a desktop computer, light and dark: contrast, names and labels, headings, valid HTML, and that nothing scrolls sideways on a screen 320 pixels wide.',
    'Each night | All these tests again, and programs that register, pay, correct and cancel as people do: by keyboard, with large text, in three browsers, and without scripts where that works.',
  ],
  limits: [
    'Card fields | Our payment provider supplies them. We cannot change how they work with assistive technology. By check you pay without them: write or call.',
    'Films at other hosts | Their players are not ours, and their films may lack captions or an audio description.',
    'Live sessions | They take place in the rooms of a video service, not on this site. Tell us before the retreat if you need captions, an interpreter or anything else.',
    'Tests with people | Programs find only a part of what keeps people out. If you meet something, we want to know.',
  ],
  ask: 'Write or call. Say on which page it was, and what you use. We do for you what the page did not, and mend it.',
} as const;

/** What people with disabilities can expect of the site, and whom to ask. @see https://www.w3.org/TR/WCAG22/ */
export function accessibilityPage({ edition, office }: SitePageOptions): TextPage {
  const { date, standard, tested, limits, ask } = statement;
  return {
    title: sitePages.accessibility.title,
    lede: `This site is made for everyone. It aims at ${standard}.`,
    sections: [
      { title: 'What is tested, and when', blocks: [entriesOf(tested)] },
      { title: 'What may not work', blocks: [entriesOf(limits)] },
      ...(edition.notices?.accessibility ?? []).map(sectionOf),
      {
        title: 'If something keeps you out',
        blocks: [ask, { entries: officeEntries(office, edition.facts) }],
      },
      {
        title: 'This statement',
        blocks: [`Written on ${formatBreakableDate(date)}, from the tests named above.`],
      },
    ],
  };
}

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

const measured = [
  pixelFact.text,
  'Who reads this page may tell something about her health by it. So nothing is told before you say yes, nothing of what you type is told ever, and you can take your yes back under Privacy choices on the page.',
] as const;

const rights = [
  'You can see what we hold, have it deleted, take your consent back, and have a list of those with whom it was shared. Write to us: we answer within 45 days. If we refuse, reply to us, and we decide once more within 45 days; if we refuse again, you can complain to the attorney general of your state.',
] as const;

/**
 * What the pixel may tell about the health of visitors, apart from the privacy notice, as laws want it.
 * @see https://app.leg.wa.gov/RCW/default.aspx?cite=19.373.020
 */
export function healthDataPage({ edition, office }: SitePageOptions): TextPage {
  const { facts, notices } = edition;
  return {
    title: sitePages.healthData.title,
    lede: 'What we collect that may tell something about your health.',
    sections: [
      { title: 'What a visit may tell', blocks: measured },
      ...(notices?.healthData ?? []).map(sectionOf),
      { title: 'What you can ask for', blocks: [...rights, { entries: officeEntries(office, facts) }] },
    ],
  };
}
