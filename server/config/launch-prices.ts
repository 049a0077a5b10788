import type { Facts } from '#shared/content/edition.ts';
import { regularPriceWarning } from '#shared/content/prices.ts';
import { isSoldTo } from '#shared/content/sells.ts';
import { countriesOfGroup } from '#shared/countries.ts';
import type { LaunchItem } from './launch-item.ts';

/** Of a thousand: the most that card networks let sellers of a country add to a price, wherever the buyer is. */
const MOST_PER_MILLE = { unitedStates: 30, canada: 24 };

const VISA = 'https://usa.visa.com/dam/VCOM/download/merchants/surcharge-considerations-and-requirements.pdf';
const VISA_QUESTIONS = 'https://usa.visa.com/dam/VCOM/download/merchants/surcharging-faq-by-merchants.pdf';
const MASTERCARD = 'https://www.mastercard.ca/surchargedisclosure';

/** What an edition on sale asks, as far as a rule about prices depends on it. */
type Priced = Pick<Facts, 'prices' | 'balance' | 'retreatPackage' | 'sells'>;

/**
 * What a person has to decide about the card fee and the struck-through price before real cards are taken: the rules of
 * card networks, countries and states, each with its source. It asks nobody.
 */
export function priceItems(facts: Priced): LaunchItem[] {
  return [...cardFeeItems(facts), ...regularPriceItems(facts)];
}

function cardFeeItems({ prices, balance, sells = {} }: Priced): LaunchItem[] {
  const { cardFee, cardFeePerMille } = prices;
  if (cardFeePerMille === 0) return [];
  const isSoldIn = (country: string, state = '') => isSoldTo(sells, { country, state }) !== false;
  const lower = 'ask less (price.cardFee), or one price with price.checkDiscount';
  const away = 'leave it out under sells, or ask no card fee';
  const items: (LaunchItem | false)[] = [
    cardFeePerMille > MOST_PER_MILLE.unitedStates && {
      id: 'card-fee-above-3-percent',
      decides: 'owner',
      says: `The card fee is ${cardFee}, and Visa lets sellers in the United States add no more than 3%, nor more than taking the card costs: ${lower}.`,
      source: VISA,
    },
    cardFeePerMille > MOST_PER_MILLE.canada && {
      id: 'card-fee-above-canadian-cap',
      decides: 'owner',
      says: `If the Stripe account is Canadian: the card fee is ${cardFee}, and Mastercard lets sellers in Canada add no more than 2.4%, nor more than taking the card costs: ${lower}.`,
      source: MASTERCARD,
    },
    isSoldIn('CA', 'QC') && {
      id: 'card-fee-in-quebec',
      decides: 'lawyer',
      says: `The law of Quebec forbids asking more than the price that is shown, also for a card (Consumer Protection Act, section 224(c)): ${away}.`,
      source: 'https://www.legisquebec.gouv.qc.ca/en/document/cs/P-40.1',
    },
    countriesOfGroup('EEA').some((country) => isSoldIn(country)) && {
      id: 'card-fee-in-the-eu',
      decides: 'lawyer',
      says: `In the European Union no fee may be asked for paying with a consumer’s card (directive 2015/2366, article 62(4)): ${away}.`,
      source: 'https://eur-lex.europa.eu/eli/dir/2015/2366/oj',
    },
    isSoldIn('GB') && {
      id: 'card-fee-in-the-uk',
      decides: 'lawyer',
      says: `In the United Kingdom no fee may be asked for paying with a consumer’s card (Consumer Rights (Payment Surcharges) Regulations 2012, regulation 6A): ${away}.`,
      source: 'https://www.legislation.gov.uk/uksi/2012/3110/regulation/6A',
    },
    isSoldIn('US') && {
      id: 'card-fee-in-us-states',
      decides: 'lawyer',
      says: 'Connecticut and others forbid a card fee, and Colorado allows 2% at most: have it checked for each state to which the retreat is sold. A discount by check is allowed.',
      source: 'https://portal.ct.gov/dcp/legal/credit-card-surcharge',
    },
    !prices.creditOnly && {
      id: 'card-fee-on-debit-cards',
      decides: 'owner',
      says: `The card fee is asked on every card, and Visa allows none on debit and prepaid cards: write price.creditOnly: true, or ${lower}.`,
      source: VISA,
    },
    !balance.feeRefundable && {
      id: 'card-fee-not-refunded',
      decides: 'lawyer',
      says: 'The card fee stays when a payment is refunded, and Visa wants it refunded with the payment, in part with a part: write feeRefundable: true, and the same in the terms.',
      source: VISA,
    },
    {
      id: 'card-fee-announced',
      decides: 'owner',
      says: 'A card fee is announced to the acquirer (Stripe) 30 days before it is asked, and named before she pays and on the receipt: ask Stripe in writing whether and how it allows one.',
      source: VISA_QUESTIONS,
    },
  ];
  return items.filter((item) => item !== false);
}

function regularPriceItems(facts: Priced): LaunchItem[] {
  const says = regularPriceWarning(facts);
  const source = 'https://www.ecfr.gov/current/title-16/chapter-I/subchapter-B/part-233';
  return says ? [{ id: 'regular-price-never-asked', decides: 'lawyer', says, source }] : [];
}
