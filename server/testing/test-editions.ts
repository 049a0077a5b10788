import { edition } from '#shared/content/compiled/january-2026.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';
import type { AgreedTerms, Edition } from '#shared/content/edition.ts';
import type { Question, Questions } from '#shared/content/questions.ts';
import type { TestScope } from './clean-up.ts';

const asTested = { ...edition };

/** The tested edition at the same tuition, with no card fee. */
export function editionWithoutFee(): Edition {
  const { prices, balance } = asTested.facts;
  const { balanceBeforeFeeCents, depositBeforeFeeCents } = prices;
  const asked = {
    ...prices,
    cardFee: '0%',
    cardFeePerMille: 0,
    balanceCents: balanceBeforeFeeCents,
    depositCents: depositBeforeFeeCents,
    byCardCents: balanceBeforeFeeCents + depositBeforeFeeCents,
  };
  const policies = [{ title: 'Payment Policy', paragraphs: ['You pay a deposit, and the balance later.'] }];
  return {
    ...asTested,
    terms: { ...asTested.terms, policies },
    agreed: asTested.agreed.map((terms) => ({
      ...terms,
      policies,
      prices: { ...terms.prices, cardFeePerMille: 0 },
      balance: { ...terms.balance, feeRefundable: true },
    })),
    facts: { ...asTested.facts, prices: asked, balance: { ...balance, feeRefundable: true } },
  };
}

export function sellWithoutFee(t: TestScope): void {
  Object.assign(edition, editionWithoutFee());
  t.after(() => Object.assign(edition, asTested));
}

/** Terms that were in force before the present ones, and said nothing of late deposits nor of the stored card. */
export const earlierTerms: AgreedTerms = {
  version: '0',
  digest: '0'.repeat(64),
  policies: [{ title: 'Payment Policy', paragraphs: ['You pay a deposit, and the balance later.'] }],
  prices: asTested.facts.prices,
  balance: asTested.facts.balance,
};

/** Gives the edition earlier terms; returns what takes them away again. */
export function recordEarlierTerms(): () => void {
  edition.agreed = [earlierTerms, ...asTested.agreed];
  return () => {
    edition.agreed = asTested.agreed;
  };
}

/** One that must be answered, a choice, and one that may stay open. */
export const testQuestions = {
  name: { id: 'name-shown', text: 'What shall we call you?', required: true },
  table: {
    id: 'table',
    text: 'With whom will you eat?',
    required: false,
    choices: ['By myself', 'With my family'],
  },
  song: { id: 'song', text: 'Which song do you bring?', required: false },
} satisfies Record<string, Question>;

export const askedByTests: Questions = {
  remindAt: '2026-01-05T09:00-08:00',
  editableUntil: '2026-01-15T18:00-08:00',
  items: Object.values(testQuestions),
};

export const askingEdition: Edition = { ...edition, questions: askedByTests };

export function askQuestions(t: TestScope, questions = askedByTests): void {
  edition.questions = questions;
  t.after(() => delete edition.questions);
}

export function limitPlaces(t: TestScope, places: number): void {
  facts.places = places;
  t.after(() => delete facts.places);
}
