/**
 * Invisible characters that come along when text is copied: soft hyphens, zero-width spaces, marks of direction. Joiners
 * stay, because names in Persian and Indian scripts are written with them.
 */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

const UNPRINTABLE = /[\p{Cc}\p{Cs}]+/gu;

/** Some keep their form: `12½` would become `121⁄2`, `O´Brien` get a space, and an ellipsis become periods. */
const COMPATIBLE = /[^\p{No}\p{Sk}…]+/gu;

/**
 * A text of one line as the person who typed or pasted it meant it. Every field, search and proof reads what is typed
 * through this function, or through `typedNumber`, so that two ways of typing one thing are equal.
 */
export function typedText(text: string): string {
  return text
    .replace(COMPATIBLE, (part) => part.normalize('NFKC'))
    .replace(INVISIBLE, '')
    .replace(UNPRINTABLE, ' ')
    .trim();
}

/** What keyboards of any script give for a hyphen between digits; `ー` is a Japanese keyboard's long vowel. */
const SEPARATOR = /[\p{Dash}·・ー]/gu;

/** The same for numbers such as phone numbers and postal codes: digits of any script become ASCII, any dash a hyphen. */
export function typedNumber(text: string): string {
  return typedText(text)
    .replace(/\p{Cf}/gu, '')
    .replace(SEPARATOR, '-')
    .replace(/[^\P{Nd}0-9]/gu, (digit) => String(digitValue(digit)));
}

/** Unicode encodes digits in rows of ten, from zero to nine; at U+116D0 two rows stand side by side. */
function digitValue(digit: string): number {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return (code - zero) % 10;
}
