import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { Question, Questions } from '#shared/content/questions.ts';
import { balanceOf } from '#shared/content/tuition.ts';
import { checkCents, percentOf } from '#shared/money.ts';
import type { TestScope } from './clean-up.ts';

const asTested = { ...edition };

/** What a card costs more, or a check less, of a thousand; nothing where all ways cost the same. */
interface Rates {
  cardFeePerMille?: number;
  checkDiscountPerMille?: number;
}

/** The tested edition at the same tuition, with no card fee, or with less to pay by check. */
export function editionAt({ cardFeePerMille = 0, checkDiscountPerMille = 0 }: Rates = {}): Edition {
  const { prices, balance } = asTested.facts;
  const { balanceBeforeFeeCents, depositBeforeFeeCents } = prices;
  const rates = { cardFeePerMille, checkDiscountPerMille };
  const balanceCents = balanceOf({ prices: { ...prices, ...rates } }).byCardCents;
  const whole = balanceBeforeFeeCents + depositBeforeFeeCents;
  const asked = {
    ...prices,
    ...rates,
    cardFee: percentOf(cardFeePerMille),
    balanceCents,
    depositCents: depositBeforeFeeCents,
    byCardCents: whole,
    byCheckCents: checkCents(whole, checkDiscountPerMille),
  };
  const policies = [{ title: 'Payment Policy', paragraphs: ['You pay a deposit, and the balance later.'] }];
  return {
    ...asTested,
    terms: { ...asTested.terms, policies },
    agreed: asTested.agreed.map((terms) => ({
      ...terms,
      policies,
      prices: { ...terms.prices, ...rates },
      balance: { ...terms.balance, feeRefundable: true },
    })),
    facts: { ...asTested.facts, prices: asked, balance: { ...balance, feeRefundable: true } },
  };
}

/** Has the tested edition ask its card fee on credit cards only, for one test. */
export function sellWithFeeOnCredit(t: TestScope): void {
  const { facts } = asTested;
  Object.assign(edition, { facts: { ...facts, prices: { ...facts.prices, creditOnly: true } } });
  t.after(() => Object.assign(edition, asTested));
}

/** Has the tested edition ask for other rates, for one test. */
export function sellAt(t: TestScope, rates: Rates = {}): void {
  Object.assign(edition, editionAt(rates));
  t.after(() => Object.assign(edition, asTested));
}

const health = { consent: 'I agree that the office reads this.', digest: 'd'.repeat(64) };

/** One that must be answered, a choice, and one about health. */
export const testQuestions = {
  name: { id: 'name-shown', text: 'What shall we call you?', required: true },
  table: {
    id: 'table',
    text: 'With whom will you eat?',
    required: false,
    choices: ['By myself', 'With my family'],
  },
  health: { id: 'health', text: 'Is there anything about your health?', required: false, health },
} satisfies Record<string, Question>;

export const askedByTests: Questions = {
  remindAt: '2026-01-05T09:00-08:00',
  editableUntil: '2026-01-15T18:00-08:00',
  items: Object.values(testQuestions),
};

/** The tested edition, with questions. */
export const askingEdition: Edition = { ...edition, questions: askedByTests };

/** Has the tested edition ask questions, for one test. */
export function askQuestions(t: TestScope, questions = askedByTests): void {
  edition.questions = questions;
  t.after(() => delete edition.questions);
}

/** Gives the edition on sale a number of places for one test. */
export function limitPlaces(t: TestScope, places: number): void {
  facts.places = places;
  t.after(() => delete facts.places);
}
