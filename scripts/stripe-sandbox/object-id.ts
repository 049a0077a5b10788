import { randomInt } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random letters and digits, unguessable. */
export function randomToken(length: number): string {
  return Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/** An id in Stripe's style, e.g. `cus_` and 14 random characters. */
export function newObjectId(prefix: 'cus' | 'pi' | 'pm' | 'ch' | 'evt' | 'req'): string {
  return `${prefix}_${randomToken(prefix === 'cus' || prefix === 'req' ? 14 : 24)}`;
}
