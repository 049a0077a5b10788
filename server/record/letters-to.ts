import type { RegistrationRow } from '#server/database/schema.ts';
import { addressDigest } from '#server/mail/digests.ts';

/** Before she pays, anybody may have typed her address: letters go to the one that she began with, and to one more. */
const MOST_ADDRESSES = 2;

type LettersTo = Pick<RegistrationRow, 'lettersTo'>;

/** Why the letters about a registration wait until it is paid: there are two other addresses, or too many such letters. */
export type Withheld = 'third-address' | 'too-many';

/** Why no letter may go to the present address of a registration before it is paid; undefined if letters may. */
export function withheldFor({ lettersTo, email }: LettersTo & { email: string }): Withheld | undefined {
  const addresses = addressesIn(lettersTo);
  if (addresses.includes(addressDigest(email))) return undefined;
  return addresses.length >= MOST_ADDRESSES ? 'third-address' : 'too-many';
}

/** Whether an address may be added, so that it must be asked whether the limits allow another letter. */
export function mayAddAddress({ lettersTo }: LettersTo, email: string): boolean {
  return withheldFor({ lettersTo, email }) === 'too-many';
}

/** The addresses of a registration after one was added, if that may be. */
export function lettersToAlso({ lettersTo }: LettersTo, email: string): string {
  return mayAddAddress({ lettersTo }, email)
    ? [...addressesIn(lettersTo), addressDigest(email)].join(' ')
    : lettersTo;
}

function addressesIn(lettersTo: string): string[] {
  return lettersTo.split(' ').filter((digest) => digest !== '');
}
