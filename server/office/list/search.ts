import { domainToUnicode } from 'node:url';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import { folded } from '#server/service/folded.ts';

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
    text: [`${firstName} ${lastName}`, email, inOwnScript(email), id].map(folded).join('\n'),
    phoneDigits: digitsOf(phoneNumber),
    byName: `${folded(lastName) || AFTER_ALL_NAMES}\n${folded(firstName)}`,
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
  const words = typed
    .split(/\s+/)
    .flatMap((part) =>
      IS_OF_PHONE.test(part)
        ? { word: folded(part), digits: digitsOf(part) }
        : folded(part)
            .split(' ')
            .map((word) => ({ word, digits: '' })),
    )
    .filter(({ word }) => word !== '');
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
