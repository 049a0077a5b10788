import {
  CONFIRM_DAYS,
  COPIES_KEPT_DAYS,
  OFFERED_HOURS,
  SENT_KEPT_DAYS,
  SENT_UNPAID_KEPT_DAYS,
  SESSION_DAYS,
  UNCONFIRMED_KEPT_DAYS,
} from '#shared/kept-for.ts';
import { PAGES_OPEN_DAYS } from '#shared/own-page.ts';
import { UNFINISHED_KEPT_DAYS } from '#shared/page.ts';
import { factsKept, type Keeping, type PrivacyFact, privacyCopy } from './privacy.ts';
import { HEALTH_KEPT_DAYS } from './questions.ts';
import { sitePages } from './site-page-table.ts';
import {
  asksAboutHealth,
  officeEntries,
  type SitePageOptions,
  sectionOf,
  type TextPage,
} from './site-pages.ts';

const DATABASE = 'Database on our machines';
const BROWSER = 'Your browser';
const afterRetreat = (days: number) => `${days} days after the retreat`;

/** What is kept where, why and until when; without `only`, in every configuration. */
interface Kept {
  what: string;
  where: string;
  why: string;
  until: string;
  only?: keyof Keeping;
}

const kept: readonly Kept[] = [
  {
    what: 'Name, e-mail, phone and time zone of who has a place',
    where: `${DATABASE}; all but the time zone also at the payment provider`,
    why: 'To keep your place, write to you and charge the balance',
    until: 'You ask us to remove it, and nothing is owed or still to come',
  },
  {
    what: 'The same of who has begun to register and has not paid',
    where: 'The same',
    why: 'To let you finish',
    until: 'Soon after registration is over',
  },
  {
    what: 'What you agreed to and decided, what our office decided, sums and dates of payments',
    where: DATABASE,
    why: 'To keep our side of the contract, and our accounts',
    until: 'The law on accounts no longer wants it; your name goes from it earlier, as above',
  },
  {
    what: 'Notes of our office about you',
    where: DATABASE,
    why: 'To know what you told us',
    until: 'Your name goes, or the note is taken back',
  },
  {
    what: 'Card and billing address',
    where: 'Payment provider only',
    why: 'To charge what you agreed to',
    until: 'We remove your name: the card goes then; of the payments, the provider keeps what the law wants',
  },
  {
    what: 'Your address with each letter',
    where: DATABASE,
    why: 'To answer when a letter is missed',
    until: `${SENT_KEPT_DAYS} days after it was sent`,
  },
  {
    what: 'Letters sent',
    where: 'Queue on our machines',
    why: 'To send each letter once',
    until: `${SENT_KEPT_DAYS} days; where nobody has paid, ${SENT_UNPAID_KEPT_DAYS} day`,
  },
  {
    what: 'A new address that you have not confirmed',
    where: DATABASE,
    why: 'To change it once you confirm it',
    until: `You confirm or drop it; the link in the letter works for ${CONFIRM_DAYS} days`,
  },
  {
    what: 'That letters to an address come back, by the scrambled address',
    where: DATABASE,
    why: 'To write to no mailbox that refuses our letters',
    until: 'As long as the database; it does not hold the address',
  },
  {
    what: 'Copies of the database',
    where: 'Another disk',
    why: 'Against its loss',
    until: `${COPIES_KEPT_DAYS} days`,
  },
  {
    what: 'Answers to our questions',
    where: DATABASE,
    why: 'To prepare for you',
    until: 'We remove your name',
    only: 'asksQuestions',
  },
  {
    what: 'Answers about your health',
    where: DATABASE,
    why: 'To look after you, with your consent',
    until: `You take your consent back, or ${afterRetreat(HEALTH_KEPT_DAYS)}`,
    only: 'asksAboutHealth',
  },
  {
    what: 'Your entry on the waiting list',
    where: DATABASE,
    why: 'To offer you a place',
    until: `You leave it; ${UNCONFIRMED_KEPT_DAYS} days, if you do not confirm it; soon after registration is over`,
    only: 'hasWaitingList',
  },
  {
    what: 'Cookie of the link with which a place is offered',
    where: BROWSER,
    why: 'To keep the place for you',
    until: `${OFFERED_HOURS} hours at most`,
    only: 'hasWaitingList',
  },
  {
    what: 'Cookie of your own page',
    where: BROWSER,
    why: 'To keep the page open',
    until: `${SESSION_DAYS} days at most, or you close the page; its links work until ${afterRetreat(PAGES_OPEN_DAYS)}`,
  },
  {
    what: 'What you have typed, in the tab',
    where: BROWSER,
    why: 'To survive a reload',
    until: 'You close the tab',
  },
  {
    what: 'The same once it was sent, until you have paid',
    where: BROWSER,
    why: 'So that the link in our letter leads back to it',
    until: `${UNFINISHED_KEPT_DAYS} days`,
  },
  {
    what: 'Light or dark, and a random key against charging twice',
    where: BROWSER,
    why: 'To show the page as you chose it, and to charge you once',
    until: 'You clear its data',
  },
  {
    what: 'Your answer about being measured, and what was told',
    where: BROWSER,
    why: 'To ask you once, and count nothing twice',
    until: 'You clear its data',
    only: 'isMeasured',
  },
  {
    what: 'Network address, and your e-mail scrambled',
    where: 'Memory of our machines',
    why: 'Against people who try out stolen cards or send letters to strangers',
    until: 'Ten minutes, or a day where a letter is sent',
  },
];

/** Who else gets what. */
const recipients: readonly (PrivacyFact & { only?: keyof Keeping })[] = [
  {
    title: 'Stripe, our card payment provider',
    text: 'Name, e-mail, phone, billing address, card and payments: https://stripe.com/privacy',
  },
  { title: 'Our mail provider', text: 'Our letters, with the address to which each goes.' },
  {
    title: 'Our host',
    text: 'Runs the machines on which the site and its database are, and uses nothing of it.',
  },
  { title: 'Your bank', text: 'If you dispute a payment: what you agreed to, and what we wrote to you.' },
  { title: 'The hosts of films', text: 'Your network address, once you press play.' },
  {
    title: 'The social network of the pixel',
    text: 'What is said above, once you have said yes.',
    only: 'isMeasured',
  },
];

/** @see https://eur-lex.europa.eu/eli/reg/2016/679/oj Articles 6 and 9 */
const bases: readonly (PrivacyFact & { only?: keyof Keeping })[] = [
  {
    title: 'Contract',
    text: 'Your registration, its payments, your own page and our letters about them (GDPR, Art. 6(1)(b)).',
  },
  { title: 'Legal obligation', text: 'Our accounts (Art. 6(1)(c)).' },
  {
    title: 'Legitimate interests',
    text: 'Keeping the site safe from fraud and loss, and knowing what you told our office (Art. 6(1)(f)). You can object.',
  },
  {
    title: 'Your consent',
    text: 'Measuring visits (Art. 6(1)(a)). You can take it back at any time, under Privacy choices.',
    only: 'isMeasured',
  },
  {
    title: 'Your explicit consent',
    text: 'What you write about your health (Art. 9(2)(a)). You can take it back at any time, on your own page.',
    only: 'asksAboutHealth',
  },
];

const rights: readonly PrivacyFact[] = [
  {
    title: 'To see and take it',
    text: 'Download all that we keep about you from your own page, or ask us for a copy. Notes of our office about you are in it. What you wrote about your health, and what we hold before you have paid, we send you.',
  },
  {
    title: 'To correct it',
    text: 'Name, phone and e-mail on your own page; anything else by writing to us.',
  },
  {
    title: 'To delete it',
    text: 'Write to us. While something is owed or still to come, we keep what that needs; sums and the version of the policies stay for our accounts, without your name.',
  },
  { title: 'To object, or to restrict what we do', text: 'Write to us, and say what and why.' },
  {
    title: 'To complain',
    text: 'To the data protection authority where you live or work, or the attorney general of your state. We would be glad if you wrote to us first.',
  },
];

/** What is kept about visitors and registrants, for how long, who gets it, and what they may ask for. */
export function privacyPage({ edition, office, isMeasured }: SitePageOptions): TextPage {
  const keeping: Keeping = {
    asksQuestions: edition.questions !== undefined,
    asksAboutHealth: asksAboutHealth(edition),
    hasWaitingList: edition.facts.places !== undefined,
    isMeasured,
  };
  const isHere = ({ only }: { only?: keyof Keeping }) => only === undefined || keeping[only];
  return {
    title: sitePages.privacy.title,
    lede: privacyCopy.intro,
    sections: [
      { title: 'What we keep, and why', blocks: [{ entries: factsKept(keeping) }] },
      {
        title: 'For how long',
        blocks: [
          {
            table: {
              caption: 'What is kept where, why and until when',
              head: ['What', 'Where', 'Why', 'Until'],
              rows: kept.filter(isHere).map(({ what, where, why, until }) => [what, where, why, until]),
            },
          },
        ],
      },
      {
        title: 'Who gets it',
        blocks: ['We sell nothing of it. These get what they need:', { entries: recipients.filter(isHere) }],
      },
      { title: 'On what ground', blocks: [{ entries: bases.filter(isHere) }] },
      { title: 'Your rights', blocks: [{ entries: rights }] },
      {
        title: 'Who is responsible',
        blocks: [privacyCopy.questions, { entries: officeEntries(office, edition.facts) }],
      },
      ...(edition.notices?.privacy ?? []).map(sectionOf),
    ],
  };
}
