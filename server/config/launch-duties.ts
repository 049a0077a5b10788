import type { Edition, Facts } from '#shared/content/edition.ts';
import { regularPriceWarning } from '#shared/content/prices.ts';
import { type CountryRule, isSoldTo, nameOfArea, ruleFor } from '#shared/content/sells.ts';
import { sitePages, sitePagesOf } from '#shared/content/site-pages.ts';
import { countriesOfGroup } from '#shared/countries.ts';
import type { LaunchItem } from './launch-item.ts';

/**
 * What somebody decides about the pages on the site itself, and about publication, before the site takes real cards.
 * @param isMeasured whether the measurement pixel is on
 */
export function noticeItems(
  edition: Pick<Edition, 'facts' | 'terms' | 'questions'>,
  isMeasured: boolean,
): LaunchItem[] {
  const paths = sitePagesOf(edition, isMeasured).map((name) => sitePages[name].path);
  const notices = `The site says what it keeps, who runs it and what may not work on ${paths.join(', ')}: read them, and add under notices in edition.yaml what the law wants where you are.`;
  const agreed = JSON.stringify(edition.terms.policies);
  const isInTerms = edition.facts.publication === undefined && /\bpubli(?:sh|c)/i.test(agreed);
  const publication: LaunchItem = {
    id: 'publication',
    decides: 'lawyer',
    says: 'By the terms, who registers agrees that her likeness is published: decide whether that is to be a tick of its own (publication: separate in edition.yaml).',
    source: 'https://eur-lex.europa.eu/eli/reg/2016/679/oj',
  };
  return [{ id: 'notices', decides: 'lawyer', says: notices }, ...(isInTerms ? [publication] : [])];
}

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

/** A duty that comes with selling somewhere. */
interface Duty extends Pick<LaunchItem, 'id' | 'decides' | 'source'> {
  /** Where: countries, groups and states. */
  areas: readonly string[];
  /** What the edition says of a country that has it done there. */
  isDone?: (rule: Omit<CountryRule, 'countries'>) => boolean;
  /** @param where the areas that it is about, such as `France and Italy` */
  says: (where: string) => string;
}

const CONSUMER_RIGHTS = 'https://eur-lex.europa.eu/eli/dir/2011/83/oj';

/** Of live online events and of selling at a distance to consumers; not what sellers owe anywhere. */
const DUTIES: readonly Duty[] = [
  {
    id: 'eu-consumer-law',
    decides: 'lawyer',
    areas: ['EU'],
    source: 'https://eur-lex.europa.eu/eli/reg/2008/593/oj',
    says: (where) =>
      `Consumers in ${where} keep the protection of their own law, whatever the terms say (Rome I, Article 6; Denmark has its own rule): check the terms against it.`,
  },
  {
    id: 'pay-button',
    decides: 'lawyer',
    areas: ['EEA', 'GB'],
    source: CONSUMER_RIGHTS,
    isDone: ({ payButton }) => payButton === true,
    says: (where) =>
      `For ${where} the last button does not say that it pays, and there a consumer is then not bound by the order (Article 8(2); in the UK regulation 14(4)): write payButton: true into a rule of sells.`,
  },
  {
    id: 'withdrawal',
    decides: 'lawyer',
    areas: ['EEA', 'GB'],
    source: CONSUMER_RIGHTS,
    isDone: ({ withdrawal }) => withdrawal !== undefined,
    says: (where) =>
      `For ${where} nothing is said of the right of withdrawal, not even that there is none for leisure on set dates (Articles 6(1)(k) and 16(l)), nor what holds for recordings (Article 16(m), and Article 11a on a button where there is a right): write withdrawal into a rule of sells.`,
  },
  {
    id: 'eu-vat',
    decides: 'bookkeeper',
    areas: ['EU'],
    source: 'https://eur-lex.europa.eu/eli/dir/2022/542/oj',
    isDone: ({ tax }) => tax !== undefined,
    says: (where) =>
      `A live event that is streamed to consumers is taxed where they live since 2025, and for ${where} no tax is set: register for VAT or its one-stop shop, and write tax into a rule of sells.`,
  },
  {
    id: 'uk-consumer-law',
    decides: 'lawyer',
    areas: ['GB'],
    source: 'https://www.legislation.gov.uk/uksi/2013/3134/body',
    says: () =>
      'Sold in the United Kingdom: check what must be said before and after the order, and the exception from the right to cancel for leisure on set dates (regulations 13, 16 and 28).',
  },
  {
    id: 'uk-vat',
    decides: 'bookkeeper',
    areas: ['GB'],
    source: 'https://www.gov.uk/guidance/vat-place-of-supply-of-services-notice-741a',
    isDone: ({ tax }) => tax !== undefined,
    says: () =>
      'Sold in the United Kingdom, for which no tax is set: find out whether VAT is due there on an online event, and on its recordings.',
  },
  {
    id: 'ch-consumer-law',
    decides: 'lawyer',
    areas: ['CH'],
    source: 'https://www.fedlex.admin.ch/eli/cc/1988/223_223_223/en',
    says: () =>
      'Sold in Switzerland: the site must name who sells with an address, let errors be corrected, and confirm the order at once (Unfair Competition Act, Article 3(1)(s)); check that, and the terms.',
  },
  {
    id: 'ch-vat',
    decides: 'bookkeeper',
    areas: ['CH'],
    isDone: ({ tax }) => tax !== undefined,
    says: () =>
      'Sold in Switzerland, for which no tax is set: find out whether VAT is due there, which depends on the turnover in the whole world.',
  },
  {
    id: 'ca-gst',
    decides: 'bookkeeper',
    areas: ['CA'],
    source:
      'https://www.canada.ca/en/revenue-agency/services/tax/businesses/topics/gst-hst-businesses/digital-economy-gsthst/find-out-need-register/cross-border-threshold-amounts.html',
    isDone: ({ tax }) => tax !== undefined,
    says: () =>
      'Sold in Canada, for which no tax is set: who sells services to consumers there for more than 30,000 Canadian dollars in twelve months registers for GST/HST.',
  },
  {
    id: 'quebec-consumer-law',
    decides: 'lawyer',
    areas: ['CA-QC'],
    source: 'https://www.legisquebec.gouv.qc.ca/en/document/cs/P-40.1',
    says: () =>
      'Sold in Quebec: check what must be disclosed before a distance contract, when it can be cancelled, and what must be in French (Consumer Protection Act, sections 54.1 and following).',
  },
  {
    id: 'us-sales-tax',
    decides: 'bookkeeper',
    areas: ['US-WA'],
    source:
      'https://dor.wa.gov/taxes-rates/retail-sales-tax/services-newly-subject-retail-sales-tax/live-presentations',
    says: () =>
      'Sold in Washington, which taxes live presentations, also online, where the attendee is: find out whether the sales there oblige to collect it, or leave US-WA out.',
  },
  {
    id: 'us-states',
    decides: 'bookkeeper',
    areas: ['US'],
    says: () =>
      'Sold in the United States: find out which states and cities tax live online events or recordings as amusements, admissions or digital products, and from which turnover on.',
  },
];

/** What selling an edition where it is sold asks of lawyer and bookkeeper; what it has set itself is left out. */
export function sellingItems({ sells = {} }: Pick<Facts, 'sells'>): LaunchItem[] {
  const isEverywhere = !sells.only && !sells.except;
  const everywhere: LaunchItem = {
    id: 'sold-everywhere',
    decides: 'owner',
    says: 'It is sold to everybody in the world, with the duties of each country: decide where it is sold, and list that under sells in edition.yaml.',
  };
  const items = DUTIES.flatMap(({ areas, isDone, says, ...item }) => {
    const open = areas
      .flatMap((area) => (countriesOfGroup(area).length > 0 ? countriesOfGroup(area) : [area]))
      .filter((area) => {
        const [country = '', state = ''] = area.split('-');
        return isSoldTo(sells, { country, state }) !== false && !isDone?.(ruleFor(sells, country));
      });
    return open.length === 0 ? [] : [{ ...item, says: says(someOf(open)) }];
  });
  return [...(isEverywhere ? [everywhere] : []), ...items];
}

const MOST_NAMED = 4;
const wordList = new Intl.ListFormat('en', { type: 'conjunction' });

/** `France and Italy`; of more than a few, the first ones and how many others there are. */
function someOf(areas: readonly string[]): string {
  const others = areas.length - MOST_NAMED;
  const named = areas.slice(0, others > 1 ? MOST_NAMED : areas.length).map(nameOfArea);
  return wordList.format(others > 1 ? [...named, `${others} other countries`] : named);
}
