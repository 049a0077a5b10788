import { cardBrand } from './card-brand.ts';
import {
  CardElement,
  type CardElementOptions,
  type CardElementType,
  IntegrationError,
  type ValidationError,
} from './card-element.ts';
import { cvcRules, expiryRules, type FieldRules, numberRules } from './field-rules.ts';

/** The card as the API expects it. */
export type CardInput = { number: string; exp_month: string; exp_year: string; cvc: string };

const groupOf = new WeakMap<CardElement, Elements>();

/** A group of card fields that belong together. https://docs.stripe.com/js/elements_object */
export class Elements {
  readonly #elements = new Map<CardElementType, CardElement>();

  /** Makes a field: `cardNumber`, `cardExpiry` or `cardCvc`, one of each in a group. */
  create(type: string, options: CardElementOptions = {}): CardElement {
    const rules = this.#rules(type);
    if (!rules) throw new IntegrationError(`The sandbox has no element of the type ${type}.`);
    if (this.#elements.has(rules.type)) {
      throw new IntegrationError(`Can only create one Element of type ${type} through elements().`);
    }
    const element = new CardElement(rules.type, rules.rules, options, () =>
      this.#elements.delete(rules.type),
    );
    this.#elements.set(rules.type, element);
    groupOf.set(element, this);
    if (rules.type === 'cardNumber') element.on('change', () => this.#elements.get('cardCvc')?.refresh());
    return element;
  }

  /** The field of a type, by the type's name or its React component. */
  getElement(type: string | { __elementType?: string } | null | undefined): CardElement | null {
    const name = typeof type === 'string' ? type : type?.__elementType;
    return [...this.#elements.values()].find((element) => element.type === name) ?? null;
  }

  /** Would change the group's appearance and language: the sandbox has only one of each. */
  update(_options: unknown): Promise<void> {
    return Promise.resolve();
  }

  /** The card in the three fields, or the error of the first field that is not complete. */
  readCard(): { card: CardInput; error?: undefined } | { error: ValidationError } {
    const number = this.#require('cardNumber');
    const expiry = this.#require('cardExpiry');
    const cvc = this.#require('cardCvc');
    const errors = [number, expiry, cvc].map((element) => element.validate());
    const error = errors.find((found) => found !== undefined);
    if (error) return { error };
    const card = {
      number: number.digits,
      exp_month: expiry.digits.slice(0, 2),
      exp_year: expiry.digits.slice(2),
      cvc: cvc.digits,
    };
    return { card };
  }

  #require(type: CardElementType): CardElement {
    const element = this.#elements.get(type);
    if (!element) throw new IntegrationError(`The card needs an element of the type ${type}.`);
    return element;
  }

  #rules(type: string): { type: CardElementType; rules: FieldRules } | undefined {
    if (type === 'cardNumber') return { type, rules: numberRules };
    if (type === 'cardExpiry') return { type, rules: expiryRules };
    if (type !== 'cardCvc') return undefined;
    return { type, rules: cvcRules(() => cardBrand(this.#elements.get('cardNumber')?.digits ?? '')) };
  }
}

/** The group that a field belongs to. Throws for anything that is not a field of this script. */
export function elementsOf(element: unknown): Elements {
  const group = element instanceof CardElement ? groupOf.get(element) : undefined;
  if (!group) throw new IntegrationError('`card` must be an element made by elements.create().');
  return group;
}
