import { cardBrand, groupSizes, numberLength } from './card-brand.ts';
import type { FieldRules, FieldState } from './field-rules.ts';

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
