import { domainToUnicode } from 'node:url';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';

/** The searchable text of a registration, normalized. */
export interface Searchable {
  text: string;
  phoneDigits: string;
  /** By which a list is sorted by last name, then by first name. */
  byName: string;
}

export function searchableOf({ id, registrant }: RegistrationRecord): Searchable {
  const { firstName, lastName, email, phoneNumber } = registrant;
  return {
    // Nobody can type a line break into the search field, so a word never matches across two of these.
    text: plain([`${firstName} ${lastName}`, email, inOwnScript(email), id].join('\n')),
    phoneDigits: digitsOf(phoneNumber),
    byName: plain(`${lastName || AFTER_ALL_NAMES}\n${firstName}`),
  };
}

/** `anna@xn--bcher-kva.example` -> `anna@bücher.example`, as she writes it. */
function inOwnScript(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  return email.slice(0, at) + domainToUnicode(email.slice(at));
}

/**
 * Returns a function that tells whether a registration contains all typed words, in its name, address, phone
 * number or payment.
 */
export function searchFor(typed: string): (searchable: Searchable) => boolean {
  const words = plain(typed)
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => ({ word, digits: IS_OF_PHONE.test(word) ? digitsOf(word) : '' }));
  return ({ text, phoneDigits }) =>
    words.every(({ word, digits }) => text.includes(word) || (digits !== '' && phoneDigits.includes(digits)));
}

/** Sorts those who are forgotten, and so have no name, after all others. */
const AFTER_ALL_NAMES = '\uffff';

/** A part of a phone number in any notation. */
const IS_OF_PHONE = /^[\d+()./-]+$/;

/** The digits without leading zeros: the trunk prefix of national numbers is not dialled from abroad. */
function digitsOf(phone: string): string {
  return phone.replace(/\D/g, '').replace(/^0+/, '');
}

/** Letters that Unicode does not decompose into a base letter and an accent. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', '’': "'" },
};

/** The text without accents, in lower case. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþı’]/g, (letter) => LETTERS[letter] ?? letter);
}
