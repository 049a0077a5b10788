/** A card's network, as far as its first digits show it. */
export type CardBrand =
  | 'visa'
  | 'mastercard'
  | 'amex'
  | 'discover'
  | 'diners'
  | 'jcb'
  | 'unionpay'
  | 'unknown';

const PREFIXES: readonly [CardBrand, RegExp][] = [
  ['visa', /^4/],
  ['mastercard', /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/],
  ['amex', /^3[47]/],
  ['discover', /^(6011|64[4-9]|65)/],
  ['diners', /^3(0[0-5]|[689])/],
  ['jcb', /^35/],
  ['unionpay', /^62/],
];

/** The brand that a number, or the beginning of one, belongs to. */
export function cardBrand(digits: string): CardBrand {
  return PREFIXES.find(([, prefix]) => prefix.test(digits))?.[0] ?? 'unknown';
}

/** How many digits the security code of a brand has at least and at most. */
export function cvcLength(brand: CardBrand): { min: number; max: number } {
  if (brand === 'amex') return { min: 4, max: 4 };
  return { min: 3, max: brand === 'unknown' ? 4 : 3 };
}

/** How many digits a number of a brand has. */
export function numberLength(brand: CardBrand): number {
  if (brand === 'amex') return 15;
  return brand === 'diners' ? 14 : 16;
}

/** The sizes of the groups in which the digits are printed on a card. */
export function groupSizes(brand: CardBrand): readonly number[] {
  return brand === 'amex' || brand === 'diners' ? [4, 6, 5] : [4, 4, 4, 4];
}

/** The check digit rule of card numbers (ISO/IEC 7812). */
export function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits.charAt(digits.length - 1 - index));
    const doubled = digit * 2;
    sum += index % 2 === 0 ? digit : doubled - (doubled > 9 ? 9 : 0);
  }
  return digits.length > 0 && sum % 10 === 0;
}
