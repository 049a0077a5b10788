import { percentOf } from '#shared/content/card-fee.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import type { Edition } from '#shared/content/edition.ts';
import { balanceOf } from '#shared/content/tuition.ts';
import { checkCents } from '#shared/money.ts';
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
