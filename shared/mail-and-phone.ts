import { typedNumber, typedText } from './typed-text.ts';

/** Characters of a host name in any script: nothing else that a URL gives a meaning. */
const HOST = /^[\p{L}\p{M}\p{N}.。．｡-]+$/u;
const ASCII = /^\p{ASCII}*$/u;

export function typedEmail(text: string): string {
  return typedText(text).replace(/^mailto:\s*/i, '');
}

/**
 * The address with its domain in ASCII form, in which mail servers and Stripe take it:
 * `anna@bücher.example` -> `anna@xn--bcher-kva.example`. Returned unchanged if it is in that form already, or if
 * its domain is none.
 */
export function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  const domain = address.slice(at);
  if (ASCII.test(domain) || !HOST.test(domain)) return address;
  try {
    return address.slice(0, at) + new URL(`http://${domain}`).hostname;
  } catch {
    return address;
  }
}

/**
 * A link that writes to an e-mail address; no character of the address can begin a parameter.
 * @see https://www.rfc-editor.org/rfc/rfc6068
 */
export function mailLink(address: string, subject?: string): string {
  const lastAt = /%40(?!.*%40)/;
  const to = encodeURIComponent(address).replace(lastAt, '@');
  return `mailto:${to}${subject === undefined ? '' : `?subject=${encodeURIComponent(subject)}`}`;
}

/** An extension at the end of a phone number, such as ` ext. 77`, `x77`, `#77` or `;ext=77`. */
const EXTENSION = /[\s,;]*(?:ext(?:ension|n)?[.:=]?|x|#)\s*\d{1,7}$/i;

const MAX_LENGTH = 40;
const NUMBER = /^[(\s]*\+?[\d\s()./\p{Dash}]+$/u;

/** A phone number in any usual form: 7 to 20 digits. An extension counts toward the 20, not toward the 7. */
export function isPhoneNumber(phone: string): boolean {
  if (phone.length > MAX_LENGTH) return false;
  const number = withoutExtension(phone);
  return NUMBER.test(number) && digitsIn(number).length >= 7 && digitsIn(phone).length <= 20;
}

/** The number as a telephone dials it from any country: `+44 (0)20 7946 0958 ext. 7` -> `+442079460958`. */
export function dialledNumber(phone: string): string {
  return withoutExtension(phone)
    .replace(/(\+.*)\(\s*0\s*\)/, '$1')
    .replace(/[^\d+]/g, '');
}

/** A link that calls a number; its extension is left to the caller. */
export function phoneLink(phone: string): string {
  return `tel:${dialledNumber(phone)}`;
}

/** A link that writes a text message to a number. @see https://www.rfc-editor.org/rfc/rfc5724 */
export function textLink(phone: string): string {
  return `sms:${dialledNumber(phone)}`;
}

export function lastDigits(phone: string, count: number): string {
  const digits = digitsIn(withoutExtension(phone));
  return digits.length < count ? '' : digits.slice(-count);
}

export function withoutExtension(phone: string): string {
  return typedNumber(phone).replace(EXTENSION, '');
}

function digitsIn(text: string): string {
  return text.replace(/\D/g, '');
}
