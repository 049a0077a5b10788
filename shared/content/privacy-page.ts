import {
  CONFIRM_DAYS,
  COPIES_KEPT_DAYS,
  SENT_KEPT_DAYS,
  SENT_UNPAID_KEPT_DAYS,
  SESSION_DAYS,
  UNCONFIRMED_KEPT_DAYS,
} from '#shared/kept-for.ts';
import { PAGES_OPEN_DAYS } from '#shared/own-page.ts';
import { factsKept, privacyCopy } from './privacy.ts';
import {
  cellsOf,
  entriesOf,
  officeEntries,
  type SitePageOptions,
  sectionOf,
  sitePages,
  type TextPage,
} from './site-pages.ts';

const CONDITIONS = ['asksQuestions', 'hasWaitingList', 'isMeasured'] as const;
type Condition = (typeof CONDITIONS)[number];

type Lists = Readonly<{ always: readonly string[] } & Partial<Record<Condition, readonly string[]>>>;

const HEAD = 'What | Where | Why | Until';
const DATABASE = 'Database on our machines';
const BROWSER = 'Your browser';
const FOR_ACCOUNTS = 'The law on accounts no longer wants it; it stays when your name goes';

const kept: Lists = {
  always: [
    `Name, e-mail, phone and time zone of who has a place | ${DATABASE}; all but the time zone also at the payment provider | To keep your place, write to you and charge the balance | You ask us to remove it, and nothing is owed or still to come`,
    'The same of who has begun to register and has not paid | The same | To let you finish | Soon after registration is over',
    `What you agreed to and decided, what our office decided, sums and dates of payments | ${DATABASE} | To keep our side of the contract, and our accounts | The law on accounts no longer wants it; your name goes from it earlier, as above`,
    `Notes of our office about you | ${DATABASE} | To know what you told us | Your name goes, or the note is taken back`,
    'Number of your card, and your whole billing address | Payment provider only | To charge what you agreed to | We remove your name: the card goes then; of the payments, the provider keeps what the law wants',
    `Postal code of the card that paid | ${DATABASE} | To know that it is you who acts on your own page | We remove your name`,
    `Brand, last digits and expiry of your card, and the country of its bank | ${DATABASE} | To charge it, to show you which card it is, and for our accounts | ${FOR_ACCOUNTS}`,
    `Your address with each e-mail from us | ${DATABASE} | To answer when one is missed | ${SENT_KEPT_DAYS} days after it was sent`,
    `What our e-mails to you said | ${DATABASE} | So that you can read them again on your own page | We remove your name`,
    `E-mails sent | Queue on our machines | To send each one once | ${SENT_KEPT_DAYS} days; where nobody has paid, ${SENT_UNPAID_KEPT_DAYS} day`,
    `A new address that you have not confirmed | ${DATABASE} | To change it once you confirm it | You confirm or drop it; the link that we send works for ${CONFIRM_DAYS} days`,
    `That e-mail to an address comes back, by the scrambled address | ${DATABASE} | To write to no mailbox that refuses our e-mail | As long as the database; it does not hold the address`,
    `Copies of the database | Another disk | Against its loss | ${COPIES_KEPT_DAYS} days`,
    `Cookie of your own page | ${BROWSER} | To keep the page open | ${SESSION_DAYS} days at most, or you close the page; its links work until ${PAGES_OPEN_DAYS} days after the retreat`,
    `What you have typed, in the tab | ${BROWSER} | To survive a reload | You close the tab`,
    `Light or dark, and a random key against charging twice | ${BROWSER} | To show the page as you chose it, and to charge you once | You clear its data`,
    'Network address, and your e-mail scrambled | Memory of our machines | Against people who try out stolen cards or send e-mail to strangers | Ten minutes, or a day where an e-mail is sent',
  ],
  asksQuestions: [`Answers to our questions | ${DATABASE} | To prepare for you | We remove your name`],
  hasWaitingList: [
    `Your entry on the waiting list | ${DATABASE} | To offer you a place | You leave it; ${UNCONFIRMED_KEPT_DAYS} days, if you do not confirm it; soon after registration is over`,
  ],
  isMeasured: [
    `Your answer about being measured, and what was told | ${BROWSER} | To ask you once, and count nothing twice | You clear its data`,
  ],
};

/** The whole notice in six lines, which are true in every configuration. */
const inShort: readonly string[] = [
  'We keep what your place needs: who you are, how to reach you, what you agreed to and what you paid.',
  'Your card goes straight to our payment provider. We never have its number.',
  'We sell nothing. Those who help us run the retreat get only what they need for it.',
  'No social network learns of your visit unless you say yes.',
  'On your own page you can see, download and correct what we keep.',
  'Ask, and we delete your name and contact details as soon as nothing is owed.',
];

const recipients: Lists = {
  always: [
    'Stripe, our card payment provider | Name, e-mail, phone, billing address, card and payments: https://stripe.com/privacy',
    'Apple, Google or Link (of Stripe) | Only if you pay with their wallet: what you pay, and for what. Your card, name and billing address then come from it.',
    'Our mail provider | Our e-mails, with the address to which each goes.',
    'Our host | Runs the machines on which the site and its database are, and uses nothing of it.',
    'Your bank | If you dispute a payment: what you agreed to, and what we wrote to you.',
    'The hosts of films | Your network address, once you press play.',
  ],
  isMeasured: ['The social network of the pixel | What is said above, once you have said yes.'],
};

/** @see https://eur-lex.europa.eu/eli/reg/2016/679/oj Article 6 */
const bases: Lists = {
  always: [
    'Contract | Your registration, its payments, your own page and our e-mails about them (GDPR, Art. 6(1)(b)).',
    'Legal obligation | Our accounts (Art. 6(1)(c)).',
    'Legitimate interests | Keeping the site safe from fraud and loss, and knowing what you told our office (Art. 6(1)(f)). You can object.',
  ],
  isMeasured: [
    'Your consent | Measuring visits (Art. 6(1)(a)). You can take it back at any time, under Privacy choices.',
  ],
};

const rights: readonly string[] = [
  'To see and take it | Download all that we keep about you from your own page, or ask us for a copy. Notes of our office about you are in it. What we hold before you have paid, we send you.',
  'To correct it | Name, phone and e-mail on your own page; anything else by writing to us.',
  'To delete it | Write to us. While something is owed or still to come, we keep what that needs; sums and the version of the policies stay for our accounts, without your name.',
  'To object, or to restrict what we do | Write to us, and say what and why.',
  'To complain | To the data protection authority where you live or work, or the attorney general of your state. We would be glad if you wrote to us first.',
];

export function privacyPage({ edition, office, isMeasured }: SitePageOptions): TextPage {
  const keeping: Record<Condition, boolean> = {
    asksQuestions: edition.questions !== undefined,
    hasWaitingList: edition.facts.places !== undefined,
    isMeasured,
  };
  const linesOf = (lists: Lists) => [
    ...lists.always,
    ...CONDITIONS.flatMap((condition) => (keeping[condition] && lists[condition]) || []),
  ];
  const caption = 'What is kept where, why and until when';
  const table = { caption, head: cellsOf(HEAD), rows: linesOf(kept).map(cellsOf) };
  const facts = factsKept(keeping);
  return {
    title: sitePages.privacy.title,
    lede: privacyCopy.intro,
    sections: [
      { title: 'In short', blocks: inShort },
      { title: 'What we keep, and why', blocks: [{ entries: facts }] },
      { title: 'For how long', blocks: [{ table }] },
      {
        title: 'Who gets it',
        blocks: ['We sell nothing of it. These get what they need:', entriesOf(linesOf(recipients))],
      },
      { title: 'On what ground', blocks: [entriesOf(linesOf(bases))] },
      { title: 'Your rights', blocks: [entriesOf(rights)] },
      {
        title: 'Who is responsible',
        blocks: [privacyCopy.questions, { entries: officeEntries(office, edition.facts) }],
      },
      ...(edition.notices?.privacy ?? []).map(sectionOf),
    ],
  };
}
