import { domainToUnicode } from 'node:url';
import { dialledNumber } from '#shared/mail-and-phone.ts';
import { typedNumber, typedText } from '#shared/typed-text.ts';

/** Letters that Unicode does not decompose into a base letter and an accent. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** What people write for a letter where their keyboard lacks it. */
const SPELT_OUT: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe' };

/** Apostrophes of any kind, and the accents and quotes that are typed for them. */
const APOSTROPHES = /['`´ʹʻʼʾʿˈ‘’‛′＇]/gu;

/**
 * A name as it is compared and searched: two names that a reader takes for the same are the same text. Without accents
 * (other scripts write vowels as marks, which stay) and apostrophes, in lower case and usual width, with one space for every hyphen and space.
 */
export function folded(text: string): string {
  return typedText(text)
    .replace(APOSTROPHES, '')
    .normalize('NFKD')
    .replace(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '$1')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(/[\p{Pd}\s]+/gu, ' ')
    .trim();
}

/** The same with umlauts spelt out: `Müller` -> `mueller`. */
function speltOut(text: string): string {
  return folded(
    typedText(text)
      .toLowerCase()
      .replace(/[äöüåø]/g, (letter) => SPELT_OUT[letter] ?? letter),
  );
}

/** Of whom a search finds something. */
interface Searchable {
  firstName: string;
  lastName: string;
  email: string;
  phoneNumber: string;
}

/**
 * What a search looks through for each of its words: name and address, with umlauts and with these spelt out, the phone
 * number, and the names of those who had the place before.
 */
export function searchTextOf(
  { firstName, lastName, email, phoneNumber }: Searchable,
  namesBefore: string,
): string {
  // Nobody can type a line break into the search field, so a word never matches across two of these.
  const texts = [`${firstName} ${lastName}`, email, inOwnScript(email), namesBefore];
  const forms = new Set([...texts.map(folded), ...texts.map(speltOut)]);
  const dialled = dialledFrom(phoneNumber);
  const phone = dialled.startsWith('+') ? international(dialled).whole : digitsOf(dialled);
  return [...forms, phone, ''].join('\n');
}

/** By which people are sorted by last name, then by first name; those who are forgotten come after all others. */
export function sortNameOf({ firstName, lastName }: Pick<Searchable, 'firstName' | 'lastName'>): string {
  return `${folded(lastName) || AFTER_ALL_NAMES}\n${folded(firstName)}`;
}

const AFTER_ALL_NAMES = '\uffff';

/** `anna@xn--bcher-kva.example` -> `anna@bücher.example`, as she writes it. */
function inOwnScript(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  return email.slice(0, at) + domainToUnicode(email.slice(at));
}

export function searchWords(typed: string): readonly (readonly string[])[] {
  const words = typedText(typed).replace(SPACE_IN_PHONE, '').split(/\s+/);
  return words.flatMap((part): string[][] => {
    const digits = digitsOf(dialledFrom(part));
    if (digits === '' || !IS_OF_PHONE.test(part)) {
      const spelt = speltOut(part).split(' ');
      return folded(part)
        .split(' ')
        .flatMap((word, at) => (word ? [[word, spelt[at] ?? word]] : []));
    }
    const { whole, national } = international(dialledFrom(part));
    // A whole number with its country's code is also one that was given without it.
    return [[folded(part), digits, whole, ...(national.length < FEWEST_DIGITS ? [] : [`\n${national}\n`])]];
  });
}

/** A part of a phone number in any notation and script. */
const OF_PHONE = '[\\p{Nd}\\p{Dash}·・ー+()./]+';
const IS_OF_PHONE = new RegExp(`^${OF_PHONE}$`, 'u');
const SPACE_IN_PHONE = new RegExp(`(?<=(?:^|\\s)${OF_PHONE})\\s+(?=${OF_PHONE}(?:\\s|$))`, 'gu');

const FEWEST_DIGITS = 7;

/** Country codes of one and two digits; all others have three. @see https://www.itu.int/rec/T-REC-E.164 */
const COUNTRY_CODE = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/** The digits that are dialled, after `+` if they begin with a country's code. */
function dialledFrom(phone: string): string {
  return dialledNumber(typedNumber(phone)).replace(/^00/, '+');
}

/** A number that is read as beginning with a country's code. Without trunk prefix, which is dialled at home only. */
function international(dialled: string) {
  const digits = digitsOf(dialled);
  const [code = ''] = COUNTRY_CODE.exec(digits) ?? [];
  const national = digits.slice(code.length).replace(/^0+/, '');
  return { whole: `+${code}${national}`, national };
}

/** The digits without leading zeros: the trunk prefix of national numbers is not dialled from abroad. */
function digitsOf(phone: string): string {
  return phone.replace(/\D/g, '').replace(/^0+/, '');
}
