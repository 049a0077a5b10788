import type { StripeElementStyle } from '@stripe/stripe-js';
import { cvcRules, expiryRules, type FieldRules, numberRules, reformat } from './field-rules.ts';

/** The options of `elements.create` that have an effect here; all others are ignored. */
type ElementOptions = { style?: StripeElementStyle };

/** A value that cannot be used, as change events and results report it. */
export type ValidationError = { type: 'validation_error'; code: string; message: string };

/** What listeners get; `change` carries the value's state too, never the value. */
type ElementEvent = {
  elementType: CardElementType;
  empty?: boolean;
  complete?: boolean;
  error?: ValidationError | undefined;
};

type Handler = (event: ElementEvent) => void;

type CardElementType = 'cardNumber' | 'cardExpiry' | 'cardCvc';

/** The card as the API expects it. */
type CardInput = { number: string; exp_month: string; exp_year: string; cvc: string };

const groupOf = new WeakMap<CardElement, Elements>();

/** A group of card fields that belong together, one of each type. https://docs.stripe.com/js/elements_object */
export class Elements {
  readonly #elements = new Map<string, CardElement>();
  readonly #rules: Record<CardElementType, FieldRules> = {
    cardNumber: numberRules,
    cardExpiry: expiryRules,
    cardCvc: cvcRules(() => this.#elements.get('cardNumber')?.digits ?? ''),
  };

  create(type: CardElementType, options: ElementOptions = {}): CardElement {
    if (this.#elements.has(type)) throw new Error(`There is an element of the type ${type} already.`);
    const element = new CardElement(type, this.#rules[type], options, () => this.#elements.delete(type));
    this.#elements.set(type, element);
    groupOf.set(element, this);
    if (type === 'cardNumber') element.on('change', () => this.#elements.get('cardCvc')?.refresh());
    return element;
  }

  /** The field of a type, by the type's name or its React component. */
  getElement(type: string | { __elementType?: string }): CardElement | null {
    return this.#elements.get(typeof type === 'string' ? type : (type.__elementType ?? '')) ?? null;
  }

  /** Would change the group's appearance and language: the sandbox has only one of each. */
  update(_options: unknown): void {}

  /** The card in the three fields, or the error of the first field that is not complete. */
  read(): { card: CardInput; error?: undefined } | { error: ValidationError } {
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

/** The card of the group that a field belongs to. */
export function readCard(element: unknown): ReturnType<Elements['read']> {
  const group = element instanceof CardElement ? groupOf.get(element) : undefined;
  if (!group) throw new Error('`card` must be an element made by elements.create().');
  return group.read();
}

/**
 * One card field with the interface of a Stripe element: an input in a shadow root instead of Stripe's iframe.
 * https://docs.stripe.com/js/element
 */
class CardElement {
  readonly type: CardElementType;
  readonly #rules: FieldRules;
  readonly #host = document.createElement('div');
  readonly #root = this.#host.attachShadow({ mode: 'open' });
  readonly #input = document.createElement('input');
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #onDestroy: () => void;
  #options: ElementOptions;
  #mounted: { place: HTMLElement; ended: AbortController } | null = null;
  #digits = '';
  #left = false;
  #reported = '';

  constructor(type: CardElementType, rules: FieldRules, options: ElementOptions, onDestroy: () => void) {
    this.type = type;
    this.#rules = rules;
    this.#options = options;
    this.#onDestroy = onDestroy;
    const { label, autocomplete, placeholder, maxLength } = rules;
    const fixed = { type: 'text', inputmode: 'numeric', autocorrect: 'off', spellcheck: 'false' };
    const own = { name: autocomplete, autocomplete, placeholder, maxlength: maxLength, 'aria-label': label };
    for (const [name, value] of Object.entries({ ...fixed, ...own })) {
      this.#input.setAttribute(name, String(value));
    }
    this.#root.append(this.#input);
    this.#listen();
    this.update(options);
    this.#reported = JSON.stringify(this.#state());
  }

  /** The digits typed so far, without separators. */
  get digits(): string {
    return this.#digits;
  }

  on(name: string, handler: Handler): this {
    const handlers = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, handlers.add(handler));
    return this;
  }

  off(name: string, handler: Handler): this {
    this.#handlers.get(name)?.delete(handler);
    return this;
  }

  mount(target: string | HTMLElement): void {
    const place = typeof target === 'string' ? document.querySelector<HTMLElement>(target) : target;
    if (!place) throw new Error(`The target of mount does not exist: ${String(target)}`);
    this.#unmount();
    const mounted = { place, ended: new AbortController() };
    this.#mounted = mounted;
    const labels = place.id ? document.querySelectorAll(`label[for="${CSS.escape(place.id)}"]`) : [];
    for (const label of labels) {
      label.addEventListener('click', () => this.focus(), { signal: mounted.ended.signal });
    }
    place.append(this.#host);
    this.#show();
    setTimeout(() => this.#mounted === mounted && this.#emit('ready'));
  }

  destroy(): void {
    this.#unmount();
    this.#handlers.clear();
    this.#onDestroy();
  }

  update(options: ElementOptions): void {
    this.#options = { ...this.#options, ...options };
    this.#root.adoptedStyleSheets = [createStyleSheet(this.#options.style)];
  }

  focus(): void {
    this.#input.focus();
  }

  clear(): void {
    this.#input.value = '';
    this.#left = false;
    this.refresh();
  }

  /** Cleans, formats and judges the value again. */
  refresh(): void {
    this.#digits = this.#rules.clean(this.#input.value);
    this.#input.value = this.#rules.format(this.#digits);
    this.#changed();
  }

  /** Shows what is wrong with the value, as if the field had been left, and returns it. */
  validate(): ValidationError | undefined {
    this.#left = true;
    this.#changed();
    const { problem } = this.#rules.judge(this.#digits);
    return problem && { type: 'validation_error', ...problem };
  }

  #unmount(): void {
    this.#mounted?.ended.abort();
    this.#host.remove();
    for (const name of Object.keys(this.#classes())) this.#mounted?.place.classList.remove(name);
    this.#mounted = null;
  }

  #listen(): void {
    this.#input.addEventListener('input', (event) => {
      this.#rewrite(event instanceof InputEvent && event.inputType === 'deleteContentBackward');
      this.#changed();
    });
    for (const name of ['focus', 'blur'] as const) {
      this.#input.addEventListener(name, () => {
        if (name === 'blur' && this.#digits !== '') this.#left = true;
        this.#emit(name);
        this.#changed();
      });
    }
    this.#input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') submitForm(this.#host);
    });
  }

  #rewrite(erasing: boolean): void {
    const { value: text, selectionStart } = this.#input;
    const typed = { text, caret: selectionStart ?? text.length };
    const next = reformat(this.#rules, typed, erasing ? this.#digits : null);
    this.#digits = next.digits;
    if (text === next.text) return;
    this.#input.value = next.text;
    if (this.#root.activeElement === this.#input) this.#input.setSelectionRange(next.caret, next.caret);
  }

  #changed(): void {
    this.#show();
    const state = this.#state();
    const report = JSON.stringify(state) + (state.complete ? this.#digits : '');
    if (report === this.#reported) return;
    this.#reported = report;
    this.#emit('change', state);
  }

  #state() {
    const { problem, isSure } = this.#rules.judge(this.#digits);
    const empty = this.#digits === '';
    const shown = problem && (isSure || (!empty && this.#left));
    const error = shown ? ({ type: 'validation_error', ...problem } as const) : undefined;
    return { elementType: this.type, empty, complete: !problem, error };
  }

  #emit(name: string, event: ElementEvent = { elementType: this.type }): void {
    for (const handler of [...(this.#handlers.get(name) ?? [])]) handler(event);
  }

  #classes(): Record<string, boolean> {
    const { empty, complete, error } = this.#state();
    return {
      StripeElement: true,
      'StripeElement--complete': complete,
      'StripeElement--empty': empty,
      'StripeElement--focus': this.#root.activeElement === this.#input,
      'StripeElement--invalid': error !== undefined,
    };
  }

  #show(): void {
    const classes = Object.entries(this.#classes());
    for (const [name, isOn] of classes) this.#mounted?.place.classList.toggle(name, isOn);
    const invalid = this.#state().error !== undefined;
    this.#input.classList.toggle('invalid', invalid);
    this.#input.setAttribute('aria-invalid', String(invalid));
  }
}

/** The Enter key submits the form around the field, as it does from a field of the page. */
function submitForm(host: HTMLElement): void {
  const form = host.closest('form');
  const button = form?.querySelector<HTMLElement>('button:not([type=button], [type=reset]), [type=submit]');
  if (!button?.matches(':disabled')) form?.requestSubmit(button);
}

const BASE_STYLE = {
  all: 'unset',
  display: 'block',
  width: '100%',
  color: '#000',
  cursor: 'text',
  font: '16px/1.2 sans-serif',
};

/**
 * The stylesheet of one element, from the `style` option, as far as this site sets it. It is written property by
 * property through the CSSOM: strict content security policies allow that, and no value can break out of its place.
 */
function createStyleSheet({ base = {}, invalid = {} }: StripeElementStyle = {}): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  const add = (selector: string, properties: object) => {
    const rule = sheet.cssRules[sheet.insertRule(`${selector} {}`, sheet.cssRules.length)];
    if (!(rule instanceof CSSStyleRule)) return;
    for (const [name, value] of Object.entries(properties)) {
      const property = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      rule.style.setProperty(property, String(value));
    }
  };
  add(':host', { display: 'block' });
  add('input', { ...BASE_STYLE, ...base });
  add('input::placeholder', { color: '#757680', opacity: '1', ...base['::placeholder'] });
  add('input.invalid', invalid);
  return sheet;
}
