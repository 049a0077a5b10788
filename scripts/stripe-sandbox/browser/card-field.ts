import type { StripeElementStyle } from '@stripe/stripe-js';
import { createStyleSheet } from './element-appearance.ts';
import { type FieldRules, reformat } from './field-rules.ts';

/** What a field looks like at one moment. */
export type FieldAppearance = {
  placeholder: string | undefined;
  disabled: boolean;
  showIcon: boolean;
  style: StripeElementStyle | undefined;
};

type FieldEvents = {
  input: () => void;
  focus: () => void;
  blur: () => void;
  escape: () => void;
};

const SVG = 'http://www.w3.org/2000/svg';

/** One input in a shadow root of its own, instead of Stripe's iframe. */
export class CardField {
  readonly host = document.createElement('div');
  readonly #input = document.createElement('input');
  readonly #root: ShadowRoot;
  readonly #icon = createCardIcon();
  readonly #rules: FieldRules;
  #digits = '';

  constructor(rules: FieldRules, events: FieldEvents) {
    this.#rules = rules;
    this.host.className = '__PrivateStripeElement';
    this.#root = this.host.attachShadow({ mode: 'open' });
    const wrapper = document.createElement('div');
    wrapper.className = 'field';
    wrapper.append(this.#input, this.#icon);
    this.#root.append(wrapper);
    this.#setAttributes();
    this.#listen(events);
  }

  /** The digits in the field, without separators. */
  get digits(): string {
    return this.#digits;
  }

  /** Whether the field has the keyboard focus. */
  get focused(): boolean {
    return this.#root.activeElement === this.#input;
  }

  focus(): void {
    this.#input.focus();
  }

  blur(): void {
    this.#input.blur();
  }

  clear(): void {
    this.#input.value = '';
    this.#digits = '';
  }

  /** Cleans and formats the field's text again, because its rules may have changed. */
  refresh(): void {
    this.#digits = this.#rules.clean(this.#input.value);
    this.#input.value = this.#rules.format(this.#digits);
  }

  setAppearance(appearance: FieldAppearance): void {
    this.#input.placeholder = appearance.placeholder ?? this.#rules.placeholder;
    this.#input.disabled = appearance.disabled;
    this.#icon.style.setProperty('display', appearance.showIcon ? 'block' : 'none');
    this.#root.adoptedStyleSheets = [createStyleSheet(appearance.style)];
  }

  setState(state: { empty: boolean; complete: boolean; invalid: boolean }): void {
    for (const [name, on] of Object.entries(state)) this.#input.classList.toggle(name, on);
    this.#input.setAttribute('aria-invalid', String(state.invalid));
  }

  #setAttributes(): void {
    const { label, autocomplete, maxLength } = this.#rules;
    this.#input.type = 'text';
    this.#input.inputMode = 'numeric';
    this.#input.name = autocomplete;
    this.#input.setAttribute('autocomplete', autocomplete);
    this.#input.setAttribute('aria-label', label);
    this.#input.setAttribute('aria-invalid', 'false');
    this.#input.setAttribute('autocorrect', 'off');
    this.#input.spellcheck = false;
    this.#input.maxLength = maxLength;
  }

  #listen(events: FieldEvents): void {
    this.#input.addEventListener('input', (event) => {
      this.#rewrite(event instanceof InputEvent && event.inputType === 'deleteContentBackward');
      events.input();
    });
    this.#input.addEventListener('focus', events.focus);
    this.#input.addEventListener('blur', events.blur);
    this.#input.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') events.escape();
      if (event.key === 'Enter') submitForm(this.host);
    });
  }

  #rewrite(erasing: boolean): void {
    const typed = {
      text: this.#input.value,
      caret: this.#input.selectionStart ?? this.#input.value.length,
    };
    const next = reformat(this.#rules, typed, erasing ? { previousDigits: this.#digits } : null);
    this.#digits = next.digits;
    if (this.#input.value === next.text) return;
    this.#input.value = next.text;
    if (this.focused) this.#input.setSelectionRange(next.caret, next.caret);
  }
}

/** The Enter key submits the form around the field, as it does from a field of the page. */
function submitForm(host: HTMLElement): void {
  const form = host.closest('form');
  if (!form) return;
  const button = [...form.elements].find(isSubmitButton);
  if (!button?.matches(':disabled')) form.requestSubmit(button);
}

function isSubmitButton(control: Element): control is HTMLButtonElement | HTMLInputElement {
  const button = control instanceof HTMLButtonElement || control instanceof HTMLInputElement;
  return button && control.type === 'submit';
}

function createCardIcon(): SVGSVGElement {
  const icon = document.createElementNS(SVG, 'svg');
  icon.setAttribute('viewBox', '0 0 24 16');
  icon.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute(
    'd',
    'M2 0h20a2 2 0 0 1 2 2v1H0V2a2 2 0 0 1 2-2zM0 6h24v8a2 2 0 0 1-2 2H2a2 2 0 0 1-2-2z',
  );
  icon.append(path);
  return icon;
}
