import type { StripeElementClasses, StripeElementStyle } from '@stripe/stripe-js';

const DEFAULT_CLASSES = {
  base: 'StripeElement',
  complete: 'StripeElement--complete',
  empty: 'StripeElement--empty',
  focus: 'StripeElement--focus',
  invalid: 'StripeElement--invalid',
};

const STATES = ['base', 'complete', 'empty', 'focus', 'invalid'] as const;

/** The page's own node around an element: it gets the state classes, and its labels focus the element. */
export class ElementContainer {
  readonly #node: HTMLElement;
  readonly #released = new AbortController();
  #classes: StripeElementClasses;

  constructor(node: HTMLElement, classes: StripeElementClasses | undefined, focus: () => void) {
    this.#node = node;
    this.#classes = { ...DEFAULT_CLASSES, ...classes };
    for (const label of labelsOf(node)) {
      label.addEventListener('click', focus, { signal: this.#released.signal });
    }
  }

  /** Changes the names of the classes; `show` sets them on the node. */
  setClasses(classes: StripeElementClasses | undefined): void {
    this.#removeClasses();
    this.#classes = { ...DEFAULT_CLASSES, ...classes };
  }

  /** Sets the classes of the states that are true, and removes the others. */
  show(states: Readonly<Record<(typeof STATES)[number], boolean>>): void {
    for (const state of STATES) {
      for (const name of this.#names(state)) this.#node.classList.toggle(name, states[state]);
    }
  }

  /** Leaves the node as it was. */
  release(): void {
    this.#released.abort();
    this.#removeClasses();
  }

  #removeClasses(): void {
    for (const state of STATES) this.#node.classList.remove(...this.#names(state));
  }

  #names(state: (typeof STATES)[number]): string[] {
    return (this.#classes[state] ?? '').split(/\s+/).filter(Boolean);
  }
}

function labelsOf(node: HTMLElement): Element[] {
  const around = node.closest('label');
  const named = node.id ? [...document.querySelectorAll(`label[for="${CSS.escape(node.id)}"]`)] : [];
  return around ? [around, ...named] : named;
}

const BASE_RULES: readonly [string, Record<string, string>][] = [
  [':host', { display: 'block' }],
  ['.field', { display: 'flex', 'align-items': 'center', gap: '0.5em' }],
  [
    'input',
    {
      all: 'unset',
      flex: '1',
      'min-width': '0',
      'box-sizing': 'border-box',
      color: '#000',
      cursor: 'text',
      font: '16px/1.2 sans-serif',
    },
  ],
  ['input::placeholder', { color: '#757680', opacity: '1' }],
  ['input:disabled', { cursor: 'default' }],
  ['svg', { flex: 'none', width: '1.5em', height: '1em', fill: '#757680' }],
];

const VARIANTS = ['base', 'empty', 'complete', 'invalid'] as const;

const PSEUDO_SELECTORS = new Set([
  ':hover',
  ':focus',
  '::placeholder',
  '::selection',
  ':-webkit-autofill',
  ':disabled',
]);

/**
 * The stylesheet of one element, from the `style` option.
 * It is written property by property through the CSSOM: strict content security policies allow that, and no value
 * can break out of its place.
 */
export function createStyleSheet(style: StripeElementStyle | undefined): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  for (const [selector, properties] of BASE_RULES) addRule(sheet, selector, properties);
  for (const variant of VARIANTS) {
    const input = variant === 'base' ? 'input' : `input.${variant}`;
    const icon = variant === 'base' ? 'svg' : `input.${variant} + svg`;
    for (const [name, value] of Object.entries(style?.[variant] ?? {})) {
      if (name === 'iconColor') addRule(sheet, icon, { fill: String(value) });
      else if (typeof value === 'object') addPseudoRule(sheet, input, name, value);
      else addRule(sheet, input, { [propertyName(name)]: String(value) });
    }
  }
  return sheet;
}

function addPseudoRule(sheet: CSSStyleSheet, input: string, pseudo: string, values: object): void {
  if (!PSEUDO_SELECTORS.has(pseudo)) return;
  const properties = Object.entries(values).map(([name, value]) => [propertyName(name), String(value)]);
  addRule(sheet, `${input}${pseudo}`, Object.fromEntries(properties));
}

function addRule(sheet: CSSStyleSheet, selector: string, properties: Record<string, string>): void {
  const rule = sheet.cssRules[sheet.insertRule(`${selector} {}`, sheet.cssRules.length)];
  if (!(rule instanceof CSSStyleRule)) return;
  for (const [name, value] of Object.entries(properties)) rule.style.setProperty(name, value);
}

function propertyName(name: string): string {
  if (name === 'fontSmoothing') return '-webkit-font-smoothing';
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
