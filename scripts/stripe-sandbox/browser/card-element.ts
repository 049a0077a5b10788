import type { StripeElementClasses, StripeElementStyle } from '@stripe/stripe-js';
import { type CardBrand, cardBrand } from './card-brand.ts';
import { CardField } from './card-field.ts';
import { ElementContainer } from './element-appearance.ts';
import type { FieldRules } from './field-rules.ts';

/** A mistake in how the page uses the script; Stripe.js throws errors of this name too. */
export class IntegrationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'IntegrationError';
  }
}

/** The elements that the sandbox has. */
export type CardElementType = 'cardNumber' | 'cardExpiry' | 'cardCvc';

/** The options of `elements.create` that have an effect here; all others are ignored. */
export type CardElementOptions = {
  classes?: StripeElementClasses;
  style?: StripeElementStyle;
  placeholder?: string;
  disabled?: boolean;
  showIcon?: boolean;
};

/** A value that cannot be used, as change events and results report it. */
export type ValidationError = { type: 'validation_error'; code: string; message: string };

/** What listeners get; `change` carries the value's state too, never the value. */
export type CardElementEvent = {
  elementType: CardElementType;
  empty?: boolean;
  complete?: boolean;
  error?: ValidationError | undefined;
  value?: undefined;
  brand?: CardBrand;
};

type Handler = (event: CardElementEvent) => void;

/** One card field with the interface of a Stripe element. https://docs.stripe.com/js/element */
export class CardElement {
  readonly type: CardElementType;
  readonly #rules: FieldRules;
  readonly #field: CardField;
  readonly #handlers = new Map<string, Set<Handler>>();
  readonly #onDestroy: () => void;
  #options: CardElementOptions;
  #container: ElementContainer | null = null;
  #left = false;
  #ready = false;
  #destroyed = false;
  #reported = '';

  constructor(type: CardElementType, rules: FieldRules, options: CardElementOptions, onDestroy: () => void) {
    this.type = type;
    this.#rules = rules;
    this.#options = options;
    this.#onDestroy = onDestroy;
    this.#field = new CardField(rules, {
      input: () => this.#valueChanged(),
      focus: () => this.#focusChanged(true),
      blur: () => this.#focusChanged(false),
      escape: () => this.#emit('escape'),
    });
    this.#applyAppearance();
    this.#reported = JSON.stringify(this.#changeEvent());
  }

  /** The digits typed so far, for the request that creates a payment method. */
  get digits(): string {
    return this.#field.digits;
  }

  on(name: string, handler: Handler): this {
    const handlers = this.#handlers.get(name) ?? new Set();
    this.#handlers.set(name, handlers.add(handler));
    if (name === 'ready' && this.#ready) queueMicrotask(() => handler({ elementType: this.type }));
    return this;
  }

  once(name: string, handler: Handler): this {
    const onceHandler: Handler = (event) => {
      this.off(name, onceHandler);
      handler(event);
    };
    return this.on(name, onceHandler);
  }

  off(name: string, handler?: Handler): this {
    if (handler) this.#handlers.get(name)?.delete(handler);
    else this.#handlers.delete(name);
    return this;
  }

  mount(target: string | HTMLElement): void {
    if (this.#destroyed)
      throw new IntegrationError('This Element has been destroyed. Please create a new one.');
    const container = typeof target === 'string' ? document.querySelector(target) : target;
    if (!(container instanceof HTMLElement)) {
      throw new IntegrationError(`The target of mount does not exist: ${String(target)}`);
    }
    this.unmount();
    this.#container = new ElementContainer(container, this.#options.classes, () => this.focus());
    container.append(this.#field.host);
    this.#applyState();
    setTimeout(() => this.#becomeReady(), 0);
  }

  unmount(): void {
    this.#field.host.remove();
    this.#container?.release();
    this.#container = null;
    this.#ready = false;
  }

  destroy(): void {
    this.unmount();
    this.#field.clear();
    this.#handlers.clear();
    this.#destroyed = true;
    this.#onDestroy();
  }

  update(options: CardElementOptions): void {
    this.#options = { ...this.#options, ...options };
    this.#container?.setClasses(this.#options.classes);
    this.#applyAppearance();
    this.#applyState();
  }

  focus(): void {
    this.#field.focus();
  }

  blur(): void {
    this.#field.blur();
  }

  clear(): void {
    this.#field.clear();
    this.#left = false;
    this.#valueChanged();
  }

  /** Judges the value again after the card's brand has changed. */
  refresh(): void {
    this.#field.refresh();
    this.#valueChanged();
  }

  /** Shows what is wrong with the value, as if the field had been left, and returns it. */
  validate(): ValidationError | undefined {
    this.#left = true;
    this.#valueChanged();
    const state = this.#rules.judge(this.#field.digits);
    return state.kind === 'complete' ? undefined : validationError(state);
  }

  #becomeReady(): void {
    if (!this.#container || this.#ready) return;
    this.#ready = true;
    this.#emit('ready');
  }

  #focusChanged(focused: boolean): void {
    if (!focused && this.#field.digits !== '') this.#left = true;
    this.#applyState();
    this.#emit(focused ? 'focus' : 'blur');
    this.#valueChanged();
  }

  #valueChanged(): void {
    this.#applyState();
    const event = this.#changeEvent();
    const report = JSON.stringify(event) + (event.complete ? this.#field.digits : '');
    if (report === this.#reported) return;
    this.#reported = report;
    this.#emit('change', event);
  }

  #changeEvent(): CardElementEvent {
    const { digits } = this.#field;
    const state = this.#rules.judge(digits);
    const empty = digits === '';
    const shown = state.kind === 'invalid' || (state.kind === 'incomplete' && !empty && this.#left);
    return {
      elementType: this.type,
      empty,
      complete: state.kind === 'complete',
      error: shown ? validationError(state) : undefined,
      value: undefined,
      ...(this.type === 'cardNumber' ? { brand: cardBrand(digits) } : {}),
    };
  }

  #emit(name: string, event: CardElementEvent = { elementType: this.type }): void {
    for (const handler of [...(this.#handlers.get(name) ?? [])]) handler(event);
  }

  #applyAppearance(): void {
    const { placeholder, disabled = false, showIcon = false, style } = this.#options;
    this.#field.setAppearance({ placeholder, disabled, showIcon, style });
  }

  #applyState(): void {
    const { empty = true, complete = false, error } = this.#changeEvent();
    const invalid = error !== undefined;
    this.#field.setState({ empty, complete, invalid });
    this.#container?.show({ base: true, complete, empty, focus: this.#field.focused, invalid });
  }
}

function validationError(state: { kind: string; code?: string; message?: string }): ValidationError {
  return { type: 'validation_error', code: state.code ?? '', message: state.message ?? '' };
}
