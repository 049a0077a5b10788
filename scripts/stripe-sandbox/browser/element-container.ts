import type { StripeElementClasses } from '@stripe/stripe-js';

const DEFAULT_CLASSES = {
  base: 'StripeElement',
  complete: 'StripeElement--complete',
  empty: 'StripeElement--empty',
  focus: 'StripeElement--focus',
  invalid: 'StripeElement--invalid',
};

const STATES = ['base', 'complete', 'empty', 'focus', 'invalid'] as const;

/** The page's own node around an element: carries the classes, and lends the element its labels. */
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

  /** Changes the names of the classes; `show` puts them on. */
  setClasses(classes: StripeElementClasses | undefined): void {
    this.#removeClasses();
    this.#classes = { ...DEFAULT_CLASSES, ...classes };
  }

  /** Puts on the classes of the states that hold, and takes off the others. */
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
