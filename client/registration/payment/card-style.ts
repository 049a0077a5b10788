import type { StripeElementStyle } from '@stripe/stripe-js';

/** The style of Stripe's fields, read from the page's own style. */
export function readCardStyle(): StripeElementStyle {
  const body = getComputedStyle(document.body);
  const { color, fontFamily, fontSize } = body;
  const placeholder = { color: body.getPropertyValue('--ink-soft') };
  return {
    base: { color, iconColor: color, fontFamily, fontSize, '::placeholder': placeholder },
    invalid: { color, iconColor: color },
  };
}
