import type {
  CreatePaymentMethodCardData,
  Stripe,
  StripeCardCvcElement,
  StripeCardExpiryElement,
  StripeCardNumberElement,
} from '@stripe/stripe-js';
import { readCardStyle } from '#client/registration/payment/card-style.ts';
import { placeScriptWords } from '#shared/content/place-script-words.ts';
import { showFieldError, textOf } from './text-fields.ts';

const words = placeScriptWords.fields;

type CardElement = StripeCardNumberElement | StripeCardExpiryElement | StripeCardCvcElement;

/** The fields of a card in a form, three of them Stripe's. */
export interface CardFields {
  card: StripeCardNumberElement;
  billingDetails(): NonNullable<CreatePaymentMethodCardData['billing_details']>;
  /** Shows what is missing. Returns what focuses the first such field; undefined where nothing is. */
  findMissing(): (() => void) | undefined;
}

/** Puts Stripe's fields into their places in a form, in the look of the others. */
export function mountCardFields(form: HTMLFormElement, stripe: Stripe): CardFields {
  const elements = stripe.elements();
  const style = readCardStyle();
  const card = elements.create('cardNumber', { style });
  const expiry = elements.create('cardExpiry', { style });
  const cvc = elements.create('cardCvc', { style });
  const fields = [
    follow(form, 'cardNumber', card),
    follow(form, 'cardExpiry', expiry),
    follow(form, 'cardCvc', cvc),
  ];
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    const changed = { style: readCardStyle() };
    card.update(changed);
    expiry.update(changed);
    cvc.update(changed);
  });
  return {
    card,
    billingDetails: () => {
      const postalCode = textOf(form, 'postalCode');
      return {
        name: textOf(form, 'cardholder'),
        ...(postalCode && { address: { postal_code: postalCode } }),
      };
    },
    findMissing: () => fields.map((findMissing) => findMissing()).find(Boolean),
  };
}

type FieldName = 'cardNumber' | 'cardExpiry' | 'cardCvc';

/** Shows Stripe's words for what is typed; that something is missing only when it is asked. */
function follow(
  form: HTMLFormElement,
  name: FieldName,
  element: CardElement,
): () => (() => void) | undefined {
  const place = form.querySelector<HTMLElement>(`[data-card="${name}"]`);
  if (!place) throw new Error(`The form has no place for ${name}`);
  let missing: string | undefined = words[name];
  const onChange = ({
    complete,
    empty,
    error,
  }: {
    complete: boolean;
    empty: boolean;
    error?: { message: string } | undefined;
  }) => {
    missing = complete ? undefined : (error?.message ?? (empty ? words[name] : words.cardIncomplete));
    showFieldError(form, name, error?.message);
  };
  // Each element has its own type of `on`, which TypeScript cannot call through their union.
  if (element.on) (element as StripeCardNumberElement).on('change', onChange);
  element.mount(place);
  return () => {
    showFieldError(form, name, missing);
    return missing === undefined ? undefined : () => element.focus();
  };
}
