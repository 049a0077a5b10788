import type { CreatePaymentMethodCardData, Stripe, StripeCardNumberElement } from '@stripe/stripe-js';
import { readCardStyle } from '#client/registration/payment/card-style.ts';
import { ownPageScriptWords } from '#shared/content/own-page-script-words.ts';
import { showFieldError, textOf } from './text-fields.ts';

const words = ownPageScriptWords.fields;

/** The fields of a card in a form, three of them Stripe's. */
export interface CardFields {
  card: StripeCardNumberElement;
  billingDetails(): NonNullable<CreatePaymentMethodCardData['billing_details']>;
  /** Shows which fields are incomplete; returns a function that focuses the first one, if there is one. */
  findMissing(): (() => void) | undefined;
}

/**
 * Mounts Stripe's fields in a form, styled like the other fields.
 * @param whenTyped called whenever something is typed into them
 */
export function mountCardFields(form: HTMLFormElement, stripe: Stripe, whenTyped: () => void): CardFields {
  const elements = stripe.elements();
  const style = readCardStyle();
  const card = elements.create('cardNumber', { style });
  const expiry = elements.create('cardExpiry', { style });
  const cvc = elements.create('cardCvc', { style });
  const watched = {
    card: watch(form, 'cardNumber'),
    expiry: watch(form, 'cardExpiry'),
    cvc: watch(form, 'cardCvc'),
  };
  card.on('change', watched.card.follow).on('change', whenTyped);
  expiry.on('change', watched.expiry.follow).on('change', whenTyped);
  cvc.on('change', watched.cvc.follow).on('change', whenTyped);
  card.mount(watched.card.place);
  expiry.mount(watched.expiry.place);
  cvc.mount(watched.cvc.place);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    const changed = { style: readCardStyle() };
    for (const element of [card, expiry, cvc]) element.update(changed);
  });
  return {
    card,
    billingDetails: () => {
      const postalCode = textOf(form, 'postalCode');
      const address = postalCode && { address: { postal_code: postalCode } };
      return { name: textOf(form, 'cardholder'), ...address };
    },
    findMissing: () => {
      const missing = [
        watched.card.isMissing() && card,
        watched.expiry.isMissing() && expiry,
        watched.cvc.isMissing() && cvc,
      ].find((element) => element !== false);
      return missing && (() => missing.focus());
    },
  };
}

/** Stripe's change event, as far as it is used here. */
interface Typed {
  complete: boolean;
  empty: boolean;
  error?: { message: string } | undefined;
}

/**
 * Shows Stripe's errors while she types; that a field is incomplete is shown only when `isMissing` is called.
 */
function watch(form: HTMLFormElement, name: 'cardNumber' | 'cardExpiry' | 'cardCvc') {
  const place = form.querySelector<HTMLElement>(`[data-card="${name}"]`);
  if (!place) throw new Error(`The form has no place for ${name}`);
  let missing: string | undefined = words[name];
  return {
    place,
    follow({ complete, empty, error }: Typed) {
      missing = complete ? undefined : (error?.message ?? (empty ? words[name] : words.cardIncomplete));
      showFieldError(form, name, error?.message);
    },
    isMissing() {
      showFieldError(form, name, missing);
      return missing !== undefined;
    },
  };
}
