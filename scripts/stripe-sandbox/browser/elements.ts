import type { StripeElementStyle } from '@stripe/stripe-js';
import { type ButtonOptions, Emitter, ExpressCheckout, type GroupOptions } from './express-checkout.ts';

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

/** The options of `elements.create` that have an effect here; all others are ignored. */
type ElementOptions = { style?: StripeElementStyle } & ButtonOptions;

/** A value that cannot be used, as change events and results report it. */
type ValidationError = { type: 'validation_error'; code: string; message: string };

/** What listeners get; `change` carries the value's state too, never the value. */
type ElementEvent = {
  elementType: CardElementType;
  empty?: boolean;
  complete?: boolean;
  error?: ValidationError | undefined;
};

type CardElementType = 'cardNumber' | 'cardExpiry' | 'cardCvc';

const groupOf = new WeakMap<CardElement, Elements>();

/** A group of elements that belong together, one of each type. https://docs.stripe.com/js/elements_object */
export class Elements {
  readonly #options: GroupOptions;
  #wallet: ExpressCheckout | undefined;
  #isSubmitted = false;
  readonly #elements = new Map<string, CardElement>();
  readonly #rules: Record<CardElementType, FieldRules> = {
    cardNumber: numberRules,
    cardExpiry: expiryRules,
    cardCvc: cvcRules(() => this.#elements.get('cardNumber')?.digits ?? ''),
  };

  constructor(options: GroupOptions = {}) {
    this.#options = { ...options };
  }

  async update(options: GroupOptions): Promise<void> {
    Object.assign(this.#options, options);
  }

  /** Checks what was given; needed before a payment method is made from the group. */
  async submit(): Promise<object> {
    this.#isSubmitted = true;
    return {};
  }

  create(
    type: CardElementType | 'expressCheckout',
    options: ElementOptions = {},
  ): CardElement | ExpressCheckout {
    if (type === 'expressCheckout') {
      this.#wallet = new ExpressCheckout(this.#options, options, () => {
        this.#wallet = undefined;
      });
      return this.#wallet;
    }
    if (this.#elements.has(type)) throw new Error(`There is an element of the type ${type} already.`);
    const element = new CardElement(type, this.#rules[type], () => this.#elements.delete(type));
    element.update(options);
    this.#elements.set(type, element);
    groupOf.set(element, this);
    if (type === 'cardNumber') element.on('change', () => this.#elements.get('cardCvc')?.refresh());
    return element;
  }

  /** The field of a type, by the type's React component. */
  getElement({ __elementType: type = '' }: { __elementType?: string }): CardElement | null {
    return this.#elements.get(type) ?? null;
  }

  /** The card of the wallet whose sheet was confirmed, as the API expects it. */
  readWallet() {
    const { paymentMethodCreation } = this.#options;
    if (!this.#wallet || !this.#isSubmitted || paymentMethodCreation !== 'manual')
      throw new Error('Needed: a wallet, elements.submit(), and paymentMethodCreation: "manual".');
    return { number: this.#wallet.takeCard(), exp_month: 12, exp_year: new Date().getFullYear() + 10 };
  }

  /** The card in the three fields, as the API expects it, or the error of the first field that is not complete. */
  read() {
    const [number, expiry, cvc] = (['cardNumber', 'cardExpiry', 'cardCvc'] as const).map((type) =>
      this.#elements.get(type),
    );
    if (!number || !expiry || !cvc) throw new Error('A card needs its three elements.');
    const [error] = [number, expiry, cvc].map((element) => element.validate()).filter((found) => !!found);
    if (error) return { error };
    const [exp_month, exp_year] = [expiry.digits.slice(0, 2), expiry.digits.slice(2)];
    return { card: { number: number.digits, exp_month, exp_year, cvc: cvc.digits } };
  }
}

export function readCard(element: unknown): ReturnType<Elements['read']> {
  const group = element instanceof CardElement ? groupOf.get(element) : undefined;
  if (!group) throw new Error('`card` must be an element made by elements.create().');
  return group.read();
}

/**
 * One card field with the interface of a Stripe element: an input in a shadow root instead of Stripe's iframe.
 * https://docs.stripe.com/js/element
 */
class CardElement extends Emitter<ElementEvent> {
  readonly type: CardElementType;
  readonly #rules: FieldRules;
  readonly #host = document.createElement('div');
  readonly #root = this.#host.attachShadow({ mode: 'open' });
  readonly #input = document.createElement('input');
  readonly #onDestroy: () => void;
  #place: HTMLElement | undefined;
  #digits = '';
  #left = false;
  #reported = '';

  constructor(type: CardElementType, rules: FieldRules, onDestroy: () => void) {
    super();
    this.type = type;
    this.#rules = rules;
    this.#onDestroy = onDestroy;
    const { label, autocomplete, placeholder } = rules;
    const attributes = { inputmode: 'numeric', name: autocomplete, autocomplete, placeholder };
    for (const [name, value] of Object.entries({ ...attributes, 'aria-label': label })) {
      this.#input.setAttribute(name, value);
    }
    this.#root.append(this.#input);
    this.#reported = JSON.stringify(this.#state());
    this.#input.addEventListener('input', () => this.refresh());
    for (const name of ['focus', 'blur'] as const) {
      this.#input.addEventListener(name, () => {
        if (name === 'blur' && this.#digits !== '') this.#left = true;
        this.emit(name, { elementType: type });
        this.#changed();
      });
    }
    this.#input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') submitForm(this.#host);
    });
  }

  get digits(): string {
    return this.#digits;
  }

  mount(place: HTMLElement): void {
    this.#place = place;
    for (const label of document.querySelectorAll(`label[for="${CSS.escape(place.id)}"]`)) {
      label.addEventListener('click', () => this.focus());
    }
    place.append(this.#host);
    this.#show();
    setTimeout(() => this.emit('ready', { elementType: this.type }));
  }

  destroy(): void {
    this.#host.remove();
    this.forgetHandlers();
    this.#onDestroy();
  }

  update({ style }: ElementOptions): void {
    if (style) this.#root.adoptedStyleSheets = [createStyleSheet(style)];
  }

  focus(): void {
    this.#input.focus();
  }

  clear(): void {
    this.#input.value = '';
    this.#left = false;
    this.refresh();
  }

  refresh(): void {
    this.#digits = this.#rules.clean(this.#input.value);
    const text = this.#rules.format(this.#digits);
    if (this.#input.value !== text) this.#input.value = text;
    this.#changed();
  }

  /** Shows what is wrong with the value, as if the field had been left, and returns it. */
  validate(): ValidationError | undefined {
    this.#left = true;
    this.#changed();
    const { problem } = this.#judge();
    return problem && { type: 'validation_error', ...problem };
  }

  #judge() {
    const { length, incomplete, judge } = this.#rules;
    const isFull = this.#digits.length === length(this.#digits);
    return { isFull, problem: isFull ? judge(this.#digits) : incomplete };
  }

  #changed(): void {
    this.#show();
    const state = this.#state();
    const report = JSON.stringify(state) + (state.complete ? this.#digits : '');
    if (report === this.#reported) return;
    this.#reported = report;
    this.emit('change', state);
  }

  #state() {
    const { isFull, problem } = this.#judge();
    const empty = this.#digits === '';
    const shown = problem && (isFull || (!empty && this.#left));
    const error = shown ? ({ type: 'validation_error', ...problem } as const) : undefined;
    return { elementType: this.type, empty, complete: !problem, error };
  }

  #show(): void {
    const invalid = this.#state().error !== undefined;
    this.#place?.classList.toggle('StripeElement--focus', this.#root.activeElement === this.#input);
    this.#place?.classList.toggle('StripeElement--invalid', invalid);
    this.#input.setAttribute('aria-invalid', String(invalid));
  }
}

/** The Enter key submits the form around the field, as it does from a field of the page. */
function submitForm(host: HTMLElement): void {
  const form = host.closest('form');
  const button = form?.querySelector<HTMLElement>('button:not([type=button], [type=reset]), [type=submit]');
  if (!button?.matches(':disabled')) form?.requestSubmit(button);
}

const BASE_STYLE = { all: 'unset', display: 'block', width: '100%', cursor: 'text' };

/**
 * The stylesheet of one element, as far as this site sets it. It is written property by property through the CSSOM:
 * strict content security policies allow that.
 */
function createStyleSheet({ base = {}, invalid = {} }: StripeElementStyle): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  const add = (selector: string, properties: object) => {
    const rule = sheet.cssRules[sheet.insertRule(`${selector} {}`, sheet.cssRules.length)];
    if (rule instanceof CSSStyleRule) Object.assign(rule.style, properties);
  };
  add('input', { ...BASE_STYLE, ...base });
  add('input::placeholder', { opacity: '1', ...base['::placeholder'] });
  add('input[aria-invalid="true"]', invalid);
  return sheet;
}
