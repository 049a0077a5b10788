import type {
  CreatePaymentMethodCardData,
  Stripe,
  StripeCardNumberElement,
  StripeElementStyle,
} from '@stripe/stripe-js';
import { readCardStyle } from '#client/registration/payment/stripe.ts';
import { ownPageScriptWords } from '#shared/content/own-page-script-words.ts';
import { typedNumber, typedText } from '#shared/typed-text.ts';

const words = ownPageScriptWords.fields;

/** The fields of a card in a form, three of them Stripe's. */
export type CardFields = ReturnType<typeof mountCardFields>;

/**
 * Mounts Stripe's fields in a form, styled like the other fields.
 * @param whenTyped called whenever something is typed into them
 */
export function mountCardFields(form: HTMLFormElement, stripe: Stripe, whenTyped: () => void) {
  const elements = stripe.elements();
  const style = readCardStyle();
  const card = elements.create('cardNumber', { style, disableLink: true });
  const fields = [
    mount(form, 'cardNumber', card),
    mount(form, 'cardExpiry', elements.create('cardExpiry', { style })),
    mount(form, 'cardCvc', elements.create('cardCvc', { style })),
  ];
  for (const { element } of fields) element.on('change', whenTyped);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    const changed = { style: readCardStyle() };
    for (const { element } of fields) element.update(changed);
  });
  return {
    card,
    billingDetails(): NonNullable<CreatePaymentMethodCardData['billing_details']> {
      const postalCode = typedNumber(textOf(form, 'postalCode'));
      const address = postalCode && { address: { postal_code: postalCode } };
      return { name: textOf(form, 'cardholder'), ...address };
    },
    /** Shows which fields are incomplete; returns a function that focuses the first one, if there is one. */
    findMissing(): (() => void) | undefined {
      const [missing] = fields.filter(({ isMissing }) => isMissing());
      return missing && (() => missing.element.focus());
    },
  };
}

/** Stripe's change event, as far as it is used here. */
interface Typed {
  complete: boolean;
  empty: boolean;
  error?: { message: string } | undefined;
}

/** One of Stripe's fields, as far as it is used here. */
interface CardElement extends Pick<StripeCardNumberElement, 'mount' | 'focus'> {
  on(event: 'change', handler: (typed: Typed) => void): unknown;
  update(options: { style: StripeElementStyle }): unknown;
}

/**
 * Shows Stripe's errors while she types; that a field is incomplete is shown only when `isMissing` is called.
 */
function mount(form: HTMLFormElement, name: 'cardNumber' | 'cardExpiry' | 'cardCvc', element: CardElement) {
  const place = form.querySelector<HTMLElement>(`[data-card="${name}"]`);
  if (!place) throw new Error(`The form has no place for ${name}`);
  let missing: string | undefined = words[name];
  element.on('change', ({ complete, empty, error }) => {
    missing = complete ? undefined : (error?.message ?? (empty ? words[name] : words.cardIncomplete));
    showFieldError(form, name, error?.message);
  });
  element.mount(place);
  return {
    element,
    isMissing() {
      showFieldError(form, name, missing);
      return missing !== undefined;
    },
  };
}

const fieldOf = (form: HTMLFormElement, name: string) => form.querySelector(`[data-field="${name}"]`);
const inputOf = (form: HTMLFormElement, name: string) => fieldOf(form, name)?.querySelector('input');

export function textOf(form: HTMLFormElement, name: string): string {
  return typedText(inputOf(form, name)?.value ?? '');
}

/** Shows an error at a field; undefined clears it. */
function showFieldError(form: HTMLFormElement, name: string, error: string | undefined): void {
  const field = fieldOf(form, name);
  const place = field?.querySelector('.field__error');
  if (place) place.textContent = error ?? '';
  field?.querySelector('input')?.setAttribute('aria-invalid', String(error !== undefined));
  field?.querySelector('[data-card]')?.classList.toggle('field__control--invalid', error !== undefined);
}

/** Shows an error at a text field, and focuses the field. */
export function refuseText(form: HTMLFormElement, name: string, error: string): void {
  showFieldError(form, name, error);
  inputOf(form, name)?.focus();
}

/** Shows an error if a text field is empty; then returns a function that focuses it. */
export function requireText(form: HTMLFormElement, name: string, error: string): (() => void) | undefined {
  const isEmpty = textOf(form, name) === '';
  showFieldError(form, name, isEmpty ? error : undefined);
  return isEmpty ? () => inputOf(form, name)?.focus() : undefined;
}
