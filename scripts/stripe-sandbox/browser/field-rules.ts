import { type CardBrand, cardBrand, cvcLength, groupSizes, numberLength, passesLuhn } from './card-brand.ts';

/**
 * Whether a field's digits are complete and valid. An incomplete value is an error only once the field has
 * lost focus.
 */
export type FieldState =
  | { kind: 'complete' }
  | { kind: 'incomplete' | 'invalid'; code: string; message: string };

/** How one of the card's fields cleans, formats and validates what is typed. */
export type FieldRules = {
  label: string;
  autocomplete: 'cc-number' | 'cc-exp' | 'cc-csc';
  placeholder: string;
  maxLength: number;
  /** The digits that matter in what was typed, pasted or filled in. */
  clean: (typed: string) => string;
  /** The digits as the field shows them. */
  format: (digits: string) => string;
  judge: (digits: string) => FieldState;
};

function judgeNumber(digits: string): FieldState {
  if (digits.length < numberLength(cardBrand(digits))) {
    return { kind: 'incomplete', code: 'incomplete_number', message: 'Your card number is incomplete.' };
  }
  if (!passesLuhn(digits)) {
    return { kind: 'invalid', code: 'invalid_number', message: 'Your card number is invalid.' };
  }
  return { kind: 'complete' };
}

/** The field for the card number: groups as they are printed on the card. */
export const numberRules: FieldRules = {
  label: 'Credit or debit card number',
  autocomplete: 'cc-number',
  placeholder: '1234 1234 1234 1234',
  maxLength: 23,
  clean: (typed) => {
    const digits = typed.replaceAll(/\D/g, '');
    return digits.slice(0, numberLength(cardBrand(digits)));
  },
  format: (digits) => {
    const groups: string[] = [];
    let start = 0;
    for (const size of groupSizes(cardBrand(digits))) {
      if (start < digits.length) groups.push(digits.slice(start, start + size));
      start += size;
    }
    return groups.join(' ');
  },
  judge: judgeNumber,
};

function cleanExpiry(typed: string): string {
  const compact = typed.replaceAll(/[^\d/]/g, '');
  const slash = compact.indexOf('/');
  const month = slash === 1 ? `0${compact}` : compact;
  let digits = month.replaceAll('/', '');
  if (/^([2-9]|1[3-9])/.test(digits)) digits = `0${digits}`;
  if (digits.startsWith('00')) digits = digits.slice(1);
  const yearOfFour = /^\d{2}20\d{1,2}$/.test(digits.slice(0, 6));
  if (!yearOfFour) return digits.slice(0, 4);
  return digits.length < 6 ? digits : digits.slice(0, 2) + digits.slice(4, 6);
}

function judgeExpiry(digits: string, today: Date): FieldState {
  if (digits.length !== 4) {
    const message = "Your card's expiration date is incomplete.";
    return { kind: 'incomplete', code: 'incomplete_expiry', message };
  }
  const month = Number(digits.slice(0, 2));
  const year = 2000 + Number(digits.slice(2));
  if (year < today.getFullYear()) {
    const message = "Your card's expiration year is in the past.";
    return { kind: 'invalid', code: 'invalid_expiry_year_past', message };
  }
  if (year === today.getFullYear() && month < today.getMonth() + 1) {
    const message = "Your card's expiration date is in the past.";
    return { kind: 'invalid', code: 'invalid_expiry_month_past', message };
  }
  if (year > today.getFullYear() + 50) {
    const message = "Your card's expiration year is invalid.";
    return { kind: 'invalid', code: 'invalid_expiry_year', message };
  }
  return { kind: 'complete' };
}

/** The field for the expiration date: `MM / YY`, with the slash set by itself. */
export const expiryRules: FieldRules = {
  label: 'Credit or debit card expiration date',
  autocomplete: 'cc-exp',
  placeholder: 'MM / YY',
  maxLength: 9,
  clean: cleanExpiry,
  format: (digits) => (digits.length < 2 ? digits : `${digits.slice(0, 2)} / ${digits.slice(2)}`),
  judge: (digits) => judgeExpiry(digits, new Date()),
};

/** The field for the security code, whose length the card's brand decides. */
export function cvcRules(brand: () => CardBrand): FieldRules {
  return {
    label: 'Credit or debit card CVC/CVV',
    autocomplete: 'cc-csc',
    placeholder: 'CVC',
    maxLength: 4,
    clean: (typed) => typed.replaceAll(/\D/g, '').slice(0, cvcLength(brand()).max),
    format: (digits) => digits,
    judge: (digits) =>
      digits.length >= cvcLength(brand()).min
        ? { kind: 'complete' }
        : {
            kind: 'incomplete',
            code: 'incomplete_cvc',
            message: "Your card's security code is incomplete.",
          },
  };
}

/** A field's text and the caret in it after a change, e.g. `424242424|` -> `4242 4242 4|`. */
export function reformat(
  rules: FieldRules,
  typed: { text: string; caret: number },
  erased: { previousDigits: string } | null,
): { text: string; caret: number; digits: string } {
  let digits = rules.clean(typed.text);
  let digitsBeforeCaret = typed.text.slice(0, typed.caret).replaceAll(/\D/g, '').length;
  if (typed.caret === typed.text.length) digitsBeforeCaret = digits.length;
  if (erased && digits === erased.previousDigits && digitsBeforeCaret > 0) {
    digits = digits.slice(0, digitsBeforeCaret - 1) + digits.slice(digitsBeforeCaret);
    digitsBeforeCaret -= 1;
  }
  const text = rules.format(digits);
  return { text, caret: caretAfter(text, digitsBeforeCaret, digits.length), digits };
}

function caretAfter(text: string, digitCount: number, total: number): number {
  if (digitCount >= total) return text.length;
  let seen = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (seen === digitCount) return index;
    if (/\d/.test(text.charAt(index))) seen += 1;
  }
  return text.length;
}
