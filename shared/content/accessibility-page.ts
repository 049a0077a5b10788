import { formatDate } from '#shared/dates.ts';
import { sitePages } from './site-page-table.ts';
import { entriesOf, officeEntries, type SitePageOptions, sectionOf, type TextPage } from './site-pages.ts';

/** What the site aims at, what is tested, and what is known not to work. Renew the date with each change. */
const statement = {
  date: '2026-11-27',
  standard: 'WCAG 2.2, level AA',
  tested: [
    'With each change of the site | Programs check the pages on a phone and on a desktop computer, light and dark: contrast, names and labels, headings, valid HTML, and that nothing scrolls sideways on a screen 320 pixels wide.',
    'Each night | All these tests again, and programs that register, pay, correct and cancel as people do: by keyboard, with large text, with older browsers, and without scripts where that works.',
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
      { title: 'This statement', blocks: [`Written on ${formatDate(date)}, from the tests named above.`] },
    ],
  };
}
