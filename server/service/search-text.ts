import { domainToUnicode } from 'node:url';

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

/** Apostrophes of any kind, and the accents and quotes that are typed for them. */
const APOSTROPHES = /['`´ʹʻʼʾʿˈ‘’‛′＇]/gu;

/**
 * A name as it is compared and searched: two names that a reader takes for the same are the same text. Without accents
 * (other scripts write vowels as marks, which stay) and apostrophes, in lower case and usual width, with one space for every hyphen and space.
 */
export function folded(text: string): string {
  return text
    .replace(APOSTROPHES, '')
    .normalize('NFKD')
    .replace(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, '$1')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(/[\p{Pd}\s]+/gu, ' ')
    .trim();
}

/** Of whom a search finds something. */
export interface Searchable {
  firstName: string;
  lastName: string;
  email: string;
  phoneNumber: string;
}

/**
 * What a search looks through for each of its words: name, address, the digits of the phone number, and the names of those
 * who had the place before.
 */
export function searchTextOf(
  { firstName, lastName, email, phoneNumber }: Searchable,
  namesBefore: string,
): string {
  // Nobody can type a line break into the search field, so a word never matches across two of these.
  const texts = [`${firstName} ${lastName}`, email, inOwnScript(email)].map(folded);
  return [...texts, digitsOf(phoneNumber), ...(namesBefore ? [folded(namesBefore)] : [])].join('\n');
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

/** The words of a search, each in the forms of which one has to be there. */
export function searchWords(typed: string): readonly (readonly string[])[] {
  return typed.split(/\s+/).flatMap((part): string[][] => {
    const word = folded(part);
    if (word === '') return [];
    if (!IS_OF_PHONE.test(part)) return word.split(' ').map((one) => [one]);
    const digits = digitsOf(part);
    return [digits === '' ? [word] : [word, digits]];
  });
}

/** A part of a phone number in any notation. */
const IS_OF_PHONE = /^[\d+()./-]+$/;

/** The digits without leading zeros: the trunk prefix of national numbers is not dialled from abroad. */
function digitsOf(phone: string): string {
  return phone.replace(/\D/g, '').replace(/^0+/, '');
}
