import type { RegistrationRecord } from '#server/payments/registration-record.ts';

/** What of a registration can be searched for, as it is compared. */
export interface Searchable {
  text: string;
  phoneDigits: string;
}

export function searchableOf({ id, registrant }: RegistrationRecord): Searchable {
  const { firstName, lastName, email, phoneNumber } = registrant;
  return {
    // Nobody can type a line break into the field: a word is found in one of them, never across two.
    text: plain([`${firstName} ${lastName}`, email, id].join('\n')),
    phoneDigits: digitsOf(phoneNumber),
  };
}

/** Tells whether all words of a text are found in the name, address, phone or payment of a registration. */
export function searchFor(typed: string): (searchable: Searchable) => boolean {
  const words = plain(typed)
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => ({ word, digits: IS_OF_PHONE.test(word) ? digitsOf(word) : '' }));
  return ({ text, phoneDigits }) =>
    words.every(({ word, digits }) => text.includes(word) || (digits !== '' && phoneDigits.includes(digits)));
}

/** A part of a phone number, however it is written. */
const IS_OF_PHONE = /^[\d+()./-]+$/;

/** Without what stands before the area at home, which is not dialled from abroad. */
function digitsOf(phone: string): string {
  return phone.replace(/\D/g, '').replace(/^0+/, '');
}

/** Letters that are no other one with an accent. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', '’': "'" },
};

/** Without accents, in small letters. */
function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøłđðþı’]/g, (letter) => LETTERS[letter] ?? letter);
}
