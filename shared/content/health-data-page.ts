import { pixelFact } from './privacy.ts';
import { HEALTH_KEPT_DAYS } from './questions.ts';
import { sitePages } from './site-page-table.ts';
import {
  asksAboutHealth,
  entriesOf,
  officeEntries,
  type PageSection,
  type SitePageOptions,
  sectionOf,
  type TextPage,
} from './site-pages.ts';

const answers = [
  'Why, and from whom | Only to look after you in the sessions. It comes from you alone, once you have ticked its own consent. No question about health must be answered.',
  'Who sees it | The people of the retreat office. It is not shared with anybody else and not sold. Our host stores it for us.',
  `How long | Until you take your consent back on your own page, which deletes it at once, at the latest until ${HEALTH_KEPT_DAYS} days after the retreat.`,
] as const;

const measured = [
  pixelFact.text,
  'Who reads this page may tell something about her health by it. So nothing is told before you say yes, nothing of what you type is told ever, and you can take your yes back under Privacy choices on the page.',
] as const;

const rights = [
  'You can see what we hold, have it deleted, take your consent back, and have a list of those with whom it was shared. Write to us: we answer within 45 days. If we refuse, answer our letter, and we decide once more within 45 days; if we refuse again, you can complain to the attorney general of your state.',
] as const;

/**
 * What is collected about the health of visitors and registrants, apart from the privacy notice, as laws want it.
 * @see https://app.leg.wa.gov/RCW/default.aspx?cite=19.373.020
 */
export function healthDataPage({ edition, office, isMeasured }: SitePageOptions): TextPage {
  const { facts, questions, notices } = edition;
  const asked = questions?.items.filter(({ health }) => health !== undefined).map(({ text }) => text) ?? [];
  const ofAnswers: PageSection = {
    title: 'What we ask you',
    blocks: ['On your own page, once you have a place:', ...asked, entriesOf(answers)],
  };
  return {
    title: sitePages.healthData.title,
    lede: 'What we collect that may tell something about your health.',
    sections: [
      ...(asksAboutHealth(edition) ? [ofAnswers] : []),
      ...(isMeasured ? [{ title: 'What a visit may tell', blocks: measured }] : []),
      ...(notices?.healthData ?? []).map(sectionOf),
      { title: 'What you can ask for', blocks: [...rights, { entries: officeEntries(office, facts) }] },
    ],
  };
}
