/** What is wrong with a field's digits, if anything: surely, or because they are not all typed yet. */
export type Judgement = { problem?: { code: string; message: string }; isSure?: boolean };

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
  judge: (digits: string) => Judgement;
};

/** American Express prints its numbers in other groups, and its security codes with four digits. */
const isAmex = (digits: string): boolean => /^3[47]/.test(digits);

const numberLength = (digits: string): number => (isAmex(digits) ? 15 : 16);

function incomplete(code: string, what: string): Judgement {
  return { problem: { code, message: `Your card${what} is incomplete.` } };
}

/** The field for the card number: groups as they are printed on the card. */
export const numberRules: FieldRules = {
  label: 'Credit or debit card number',
  autocomplete: 'cc-number',
  placeholder: '1234 1234 1234 1234',
  maxLength: 23,
  clean: (typed) => {
    const digits = typed.replaceAll(/\D/g, '');
    return digits.slice(0, numberLength(digits));
  },
  format: (digits) => {
    const groups = isAmex(digits) ? /^(.{4})(.{0,6})(.*)$/ : /^(.{4})(.{0,4})(.{0,4})(.*)$/;
    return digits.replace(groups, (_all, ...parts) => parts.slice(0, -2).filter(Boolean).join(' '));
  },
  judge: (digits) => {
    if (digits.length < numberLength(digits)) return incomplete('incomplete_number', ' number');
    if (passesLuhn(digits)) return {};
    return { problem: { code: 'invalid_number', message: 'Your card number is invalid.' }, isSure: true };
  },
};

/** The check digit rule of card numbers (ISO/IEC 7812). */
function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = index % 2 === 0 ? Number(digit) : Number(digit) * 2;
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

function cleanExpiry(typed: string): string {
  const compact = typed.replaceAll(/[^\d/]/g, '');
  const month = compact.indexOf('/') === 1 ? `0${compact}` : compact;
  let digits = month.replaceAll('/', '');
  if (/^([2-9]|1[3-9])/.test(digits)) digits = `0${digits}`;
  if (digits.startsWith('00')) digits = digits.slice(1);
  const yearOfFour = /^\d{2}20\d{1,2}$/.test(digits.slice(0, 6));
  if (!yearOfFour) return digits.slice(0, 4);
  return digits.length < 6 ? digits : digits.slice(0, 2) + digits.slice(4, 6);
}

function judgeExpiry(digits: string): Judgement {
  if (digits.length !== 4) return incomplete('incomplete_expiry', "'s expiration date");
  const today = new Date();
  const [month, year] = [Number(digits.slice(0, 2)), 2000 + Number(digits.slice(2))];
  const refuse = (what: string, code: string) => {
    return { problem: { code, message: `Your card's expiration ${what}.` }, isSure: true };
  };
  if (year < today.getFullYear()) return refuse('year is in the past', 'invalid_expiry_year_past');
  if (year > today.getFullYear() + 50) return refuse('year is invalid', 'invalid_expiry_year');
  const isPast = year === today.getFullYear() && month < today.getMonth() + 1;
  return isPast ? refuse('date is in the past', 'invalid_expiry_month_past') : {};
}

/** The field for the expiration date: `MM / YY`, with the slash set by itself. */
export const expiryRules: FieldRules = {
  label: 'Credit or debit card expiration date',
  autocomplete: 'cc-exp',
  placeholder: 'MM / YY',
  maxLength: 9,
  clean: cleanExpiry,
  format: (digits) => (digits.length < 2 ? digits : `${digits.slice(0, 2)} / ${digits.slice(2)}`),
  judge: judgeExpiry,
};

/** The field for the security code, whose length the card's number decides. */
export function cvcRules(number: () => string): FieldRules {
  return {
    label: 'Credit or debit card CVC/CVV',
    autocomplete: 'cc-csc',
    placeholder: 'CVC',
    maxLength: 4,
    clean: (typed) => typed.replaceAll(/\D/g, '').slice(0, isAmex(number()) || number() === '' ? 4 : 3),
    format: (digits) => digits,
    judge: (digits) =>
      digits.length < (isAmex(number()) ? 4 : 3) ? incomplete('incomplete_cvc', "'s security code") : {},
  };
}

/**
 * A field's text and the caret in it after a change, e.g. `424242424|` -> `4242 4242 4|`. `erasedFrom` are the
 * digits before the Backspace key, if it was that: before a separator it erases the digit in front of it.
 */
export function reformat(
  rules: FieldRules,
  typed: { text: string; caret: number },
  erasedFrom: string | null,
): { text: string; caret: number; digits: string } {
  let digits = rules.clean(typed.text);
  let before = typed.text.slice(0, typed.caret).replaceAll(/\D/g, '').length;
  if (typed.caret === typed.text.length) before = digits.length;
  if (digits === erasedFrom && before > 0) {
    digits = digits.slice(0, before - 1) + digits.slice(before);
    before -= 1;
  }
  const text = rules.format(digits);
  if (before >= digits.length) return { text, caret: text.length, digits };
  const [ahead = ''] = new RegExp(`^(\\D*\\d){${before}}`).exec(text) ?? [];
  return { text, caret: ahead.length, digits };
}
