import { countriesOfGroup, isCountry, nameOfCountry } from '#shared/countries.ts';
import { stateCodeOf, stateNameOf } from '#shared/states.ts';

/**
 * Where an edition is sold, by the billing address of the card, and what is different where. An area is the code of a
 * country such as `DE`, of a group of countries (`EU`, `EEA`), or of a state or province such as `US-NY`.
 */
export interface Sells {
  /** The areas to which it is sold; absent: everywhere. */
  only?: readonly string[];
  /** The areas of these, or of the world, to which it is not. */
  except?: readonly string[];
  rules?: readonly CountryRule[];
}

/** What is different for billing addresses in some countries. */
export interface CountryRule {
  /** Countries and groups. */
  countries: readonly string[];
  /**
   * The button that pays says so, with the sum.
   * @see https://eur-lex.europa.eu/eli/dir/2011/83/oj Article 8(2)
   */
  payButton?: boolean;
  /**
   * The sentence on the right to withdraw.
   * @see https://eur-lex.europa.eu/eli/dir/2011/83/oj Articles 6(1)(h), (k) and 16(l), (m)
   */
  withdrawal?: string;
  /** What the price contains. */
  tax?: Tax;
}

/** A tax that is contained in the price: its name, and its rate in percent. */
export interface Tax {
  name: string;
  rate: number;
}

/** A billing address, as far as it matters here: the country's two letters, and the state as it was typed. */
export interface BillingPlace {
  country: string;
  state: string;
}

export function isCountryOrGroup(code: string): boolean {
  return isCountry(code) || countriesOfGroup(code).length > 0;
}

export function isArea(code: string): boolean {
  const [country = '', state] = code.split('-');
  return state === undefined ? isCountryOrGroup(code) : stateNameOf(country, state) !== undefined;
}

const hasCountry = (areas: readonly string[], country: string): boolean =>
  areas.some((area) => area === country || countriesOfGroup(area).includes(country));

/**
 * Whether an edition is sold to a billing address; undefined while its country is not known, or while it depends on a state
 * that is not known: empty, or neither the name nor the letters of one.
 */
export function isSoldTo({ only, except = [] }: Sells, place: BillingPlace): boolean | undefined {
  const { country } = place;
  if (country === '') return undefined;
  const code = stateCodeOf(country, place.state);
  const isIn = (areas: readonly string[]): boolean | undefined => {
    if (hasCountry(areas, country)) return true;
    if (!areas.some((area) => area.startsWith(`${country}-`))) return false;
    return code === undefined ? undefined : areas.includes(`${country}-${code}`);
  };
  const [isLetIn, isLeftOut] = [only ? isIn(only) : true, isIn(except)];
  if (isLetIn === false || isLeftOut === true) return false;
  return isLetIn === undefined || isLeftOut === undefined ? undefined : true;
}

/** What is different for a country: of several rules that name it, the last one that says something of it. */
export function ruleFor({ rules = [] }: Sells = {}, country: string): Omit<CountryRule, 'countries'> {
  const own = rules.filter(({ countries }) => hasCountry(countries, country));
  return Object.assign({}, ...own.map(({ countries: _, ...rule }) => rule));
}

/**
 * The tax that is contained in a sum, in US cents: of 19 % it is 19/119, rounded to the nearest cent, half a cent away from
 * zero, so that a refund of a sum has the same tax as the sum.
 */
export function taxIn(cents: number, { rate }: Tax): number {
  // The rate has two decimals: in hundredths, the arithmetic stays in integers.
  const hundredths = Math.round(rate * 100);
  return Math.sign(cents) * Math.round((Math.abs(cents) * hundredths) / (10_000 + hundredths));
}

/** A tax with its rate, such as `19% VAT`. */
export const nameOfTax = ({ name, rate }: Tax): string => `${rate}% ${name}`;

/** The billing address as people name it, such as `California, United States`. */
export function nameOfPlace({ country, state }: BillingPlace): string {
  const code = stateCodeOf(country, state);
  const name = (code && stateNameOf(country, code)) ?? state;
  return [name, nameOfCountry(country)].filter(Boolean).join(', ');
}

/** Its area, for a list: `US-CA`, `DE`. */
export function areaOf({ country, state }: BillingPlace): string {
  return [country, stateCodeOf(country, state)].filter(Boolean).join('-');
}

/** Where an edition is sold, to end a sentence with: `in the United States and Canada, but not in New York`. */
export function soldWhere({ only, except }: Sells): string {
  const list = (areas: readonly string[]) => wordList.format(areas.map(nameOfArea));
  if (!except) return `in ${list(only ?? [])}`;
  return only ? `in ${list(only)}, but not in ${list(except)}` : `everywhere but in ${list(except)}`;
}

const wordList = new Intl.ListFormat('en', { type: 'conjunction' });

/** Names that have an article in a sentence. */
const WITH_ARTICLE = /^(?:United|European|Netherlands|Philippines|Bahamas|Maldives|Gambia|District)|Islands$/;

/** The name of an area as it stands in a sentence, such as `the United States`. */
export function nameOfArea(code: string): string {
  const [country = '', state] = code.split('-');
  const name = GROUP_NAMES[code] ?? (state && stateNameOf(country, state)) ?? nameOfCountry(country);
  return WITH_ARTICLE.test(name) ? `the ${name}` : name;
}

const GROUP_NAMES: Readonly<Record<string, string>> = {
  EU: 'European Union',
  EEA: 'European Economic Area',
};
