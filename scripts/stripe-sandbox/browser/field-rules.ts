type Problem = { code: string; message: string };

/** How one of the card's fields cleans, formats and validates what is typed. */
export type FieldRules = {
  label: string;
  autocomplete: 'cc-number' | 'cc-exp' | 'cc-csc';
  placeholder: string;
  /** The digits that matter in what was typed, pasted or filled in. */
  clean: (typed: string) => string;
  format: (digits: string) => string;
  length: (digits: string) => number;
  incomplete: Problem;
  /** What is wrong with all digits, if anything. */
  judge: (digits: string) => Problem | undefined;
};

/** American Express has shorter numbers and longer security codes. */
const isAmex = (digits: string): boolean => /^3[47]/.test(digits);
const numberLength = (digits: string): number => (isAmex(digits) ? 15 : 16);
const digitsIn = (typed: string): string => typed.replaceAll(/\D/g, '');

const incomplete = (code: string, what: string): Problem => {
  return { code, message: `Your card${what} is incomplete.` };
};

/** The check digit rule of card numbers (ISO/IEC 7812). */
function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = index % 2 === 0 ? Number(digit) : Number(digit) * 2;
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** The field for the card number, in groups of four digits. */
export const numberRules: FieldRules = {
  label: 'Credit or debit card number',
  autocomplete: 'cc-number',
  placeholder: '1234 1234 1234 1234',
  clean: (typed) => digitsIn(typed).slice(0, numberLength(digitsIn(typed))),
  format: (digits) => digits.replaceAll(/(.{4})(?=.)/g, '$1 '),
  length: numberLength,
  incomplete: incomplete('incomplete_number', ' number'),
  judge: (digits) =>
    passesLuhn(digits) ? undefined : { code: 'invalid_number', message: 'Your card number is invalid.' },
};

/** The field for the expiration date: `MM / YY`, with the slash set by itself. */
export const expiryRules: FieldRules = {
  label: 'Credit or debit card expiration date',
  autocomplete: 'cc-exp',
  placeholder: 'MM / YY',
  // A month may have one digit, and a year four.
  clean: (typed) =>
    digitsIn(typed.replace(/^([2-9]|1(?=\D))/, '0$1'))
      .replace(/^(..)20(..)/, '$1$2')
      .slice(0, 4),
  format: (digits) => digits.replace(/^(..)(?=.)/, '$1 / '),
  length: () => 4,
  incomplete: incomplete('incomplete_expiry', "'s expiration date"),
  judge: (digits) => {
    const isPast = 2000 + Number(digits.slice(2)) < new Date().getFullYear();
    const message = "Your card's expiration year is in the past.";
    return isPast ? { code: 'invalid_expiry_year_past', message } : undefined;
  },
};

/** The field for the security code, whose length the card's number decides. */
export function cvcRules(number: () => string): FieldRules {
  const length = () => (isAmex(number()) ? 4 : 3);
  return {
    label: 'Credit or debit card CVC/CVV',
    autocomplete: 'cc-csc',
    placeholder: 'CVC',
    // It may be typed before the number.
    clean: (typed) => digitsIn(typed).slice(0, number() === '' ? 4 : length()),
    format: (digits) => digits,
    length,
    incomplete: incomplete('incomplete_cvc', "'s security code"),
    judge: () => undefined,
  };
}
