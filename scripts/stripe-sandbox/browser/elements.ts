import type { StripeElementStyle } from '@stripe/stripe-js';
import { type ButtonOptions, Emitter, ExpressCheckout, type GroupOptions } from './express-checkout.ts';

/** One of the card's fields: what is typed becomes digits, and is complete once they match. */
type FieldRules = {
  label: string;
  autocomplete: string;
  placeholder: string;
  complete: RegExp;
  incomplete: { code: string; message: string };
};

const RULES = {
  cardNumber: {
    label: 'Credit or debit card number',
    autocomplete: 'cc-number',
    placeholder: '1234 1234 1234 1234',
    complete: /^(3\d{14}|[^3]\d{15})$/,
    incomplete: { code: 'incomplete_number', message: 'Your card number is incomplete.' },
  },
  cardExpiry: {
    label: 'Credit or debit card expiration date',
    autocomplete: 'cc-exp',
    placeholder: 'MM / YY',
    complete: /^\d{4}$/,
    incomplete: { code: 'incomplete_expiry', message: "Your card's expiration date is incomplete." },
  },
  cardCvc: {
    label: 'Credit or debit card CVC/CVV',
    autocomplete: 'cc-csc',
    placeholder: 'CVC',
    complete: /^\d{3,4}$/,
    incomplete: { code: 'incomplete_cvc', message: "Your card's security code is incomplete." },
  },
} satisfies Record<string, FieldRules>;

type CardElementType = keyof typeof RULES;

type ElementOptions = { style?: StripeElementStyle } & ButtonOptions;

type ValidationError = { type: 'validation_error'; code: string; message: string };

/** What listeners get; `change` carries the value's state too, never the value. */
type ElementEvent = {
  elementType: CardElementType;
  empty?: boolean;
  complete?: boolean;
  error?: ValidationError | undefined;
};

const groupOf = new WeakMap<CardElement, Elements>();

export class Elements {
  readonly #options: GroupOptions;
  #wallet: ExpressCheckout | undefined;
  #isSubmitted = false;
  readonly #elements = new Map<string, CardElement>();

  constructor(options: GroupOptions = {}) {
    this.#options = { ...options };
  }

  async update(options: GroupOptions): Promise<void> {
    Object.assign(this.#options, options);
  }

  /** Needed before a payment method is made from the group. */
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
    const element = new CardElement(type, () => this.#elements.delete(type));
    element.update(options);
    this.#elements.set(type, element);
    groupOf.set(element, this);
    return element;
  }

  getElement({ __elementType: type = '' }: { __elementType?: string }): CardElement | null {
    return this.#elements.get(type) ?? null;
  }

  readWallet() {
    const { paymentMethodCreation } = this.#options;
    if (!this.#wallet || !this.#isSubmitted || paymentMethodCreation !== 'manual')
      throw new Error('Needed: a wallet, elements.submit(), and paymentMethodCreation: "manual".');
    return { number: this.#wallet.takeCard(), exp_month: 12, exp_year: new Date().getFullYear() + 10 };
  }

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

/** An input in a shadow root instead of Stripe's iframe. https://docs.stripe.com/js/element */
class CardElement extends Emitter<ElementEvent> {
  readonly #type: CardElementType;
  readonly #host = document.createElement('div');
  readonly #root = this.#host.attachShadow({ mode: 'open' });
  readonly #input = document.createElement('input');
  readonly #onDestroy: () => void;
  #place: HTMLElement | undefined;
  #isLeft = false;
  #reported: string;

  constructor(type: CardElementType, onDestroy: () => void) {
    super();
    this.#type = type;
    this.#onDestroy = onDestroy;
    const { label, autocomplete, placeholder } = RULES[type];
    const attributes = { inputmode: 'numeric', name: autocomplete, autocomplete, placeholder };
    for (const [name, value] of Object.entries({ ...attributes, 'aria-label': label }))
      this.#input.setAttribute(name, value);
    this.#root.append(this.#input);
    this.#reported = JSON.stringify(this.#state());
    this.#input.addEventListener('input', () => this.#changed());
    for (const name of ['focus', 'blur'] as const)
      this.#input.addEventListener(name, () => {
        if (name === 'blur' && this.digits !== '') this.#isLeft = true;
        this.emit(name, { elementType: type });
        this.#changed();
      });
    this.#input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') submitForm(this.#host);
    });
  }

  get digits(): string {
    return this.#input.value.replaceAll(/\D/g, '');
  }

  mount(place: HTMLElement): void {
    this.#place = place;
    for (const label of document.querySelectorAll(`label[for="${CSS.escape(place.id)}"]`))
      label.addEventListener('click', () => this.focus());
    place.append(this.#host);
    this.#show();
    setTimeout(() => this.emit('ready', { elementType: this.#type }));
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
    this.#isLeft = false;
    this.#changed();
  }

  /** Shows what is wrong with the value, as if the field had been left, and returns it. */
  validate(): ValidationError | undefined {
    this.#isLeft = true;
    this.#changed();
    return this.#error();
  }

  #error(): ValidationError | undefined {
    const type = 'validation_error';
    const { complete, incomplete } = RULES[this.#type];
    if (!complete.test(this.digits)) return { type, ...incomplete };
    const isPast = 2000 + Number(this.digits.slice(2)) < new Date().getFullYear();
    const message = "Your card's expiration year is in the past.";
    if (this.#type === 'cardExpiry' && isPast) return { type, code: 'invalid_expiry_year_past', message };
    return undefined;
  }

  #changed(): void {
    this.#show();
    const state = this.#state();
    const report = JSON.stringify(state) + (state.complete ? this.digits : '');
    if (report === this.#reported) return;
    this.#reported = report;
    this.emit('change', state);
  }

  #state() {
    const error = this.#error();
    const empty = this.digits === '';
    const isShown = RULES[this.#type].complete.test(this.digits) || (!empty && this.#isLeft);
    return { elementType: this.#type, empty, complete: !error, error: isShown ? error : undefined };
  }

  #show(): void {
    const isInvalid = this.#state().error !== undefined;
    this.#place?.classList.toggle('StripeElement--focus', this.#root.activeElement === this.#input);
    this.#place?.classList.toggle('StripeElement--invalid', isInvalid);
    this.#input.setAttribute('aria-invalid', String(isInvalid));
  }
}

/** The Enter key submits the form around the field, as it does from a field of the page. */
function submitForm(host: HTMLElement): void {
  const form = host.closest('form');
  const button = form?.querySelector<HTMLElement>('button:not([type=button], [type=reset]), [type=submit]');
  if (!button?.matches(':disabled')) form?.requestSubmit(button);
}

/** It is written property by property through the CSSOM, which strict content security policies allow. */
function createStyleSheet({ base = {}, invalid = {} }: StripeElementStyle): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  const add = (selector: string, properties: object) => {
    const rule = sheet.cssRules[sheet.insertRule(`${selector} {}`, sheet.cssRules.length)];
    if (rule instanceof CSSStyleRule) Object.assign(rule.style, properties);
  };
  add('input', { all: 'unset', display: 'block', width: '100%', cursor: 'text', ...base });
  add('input::placeholder', { opacity: '1', ...base['::placeholder'] });
  add('input[aria-invalid="true"]', invalid);
  return sheet;
}
