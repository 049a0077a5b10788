import type { StripeElementStyle } from '@stripe/stripe-js';

/** The style of Stripe's fields, read from the page's own style. */
export function readCardStyle(): StripeElementStyle {
  const { color, fontFamily, fontSize } = getComputedStyle(document.body);
  const placeholder = { color: readColor('var(--ink-soft)') };
  return {
    base: { color, iconColor: color, fontFamily, fontSize, '::placeholder': placeholder },
    invalid: { color, iconColor: color },
  };
}

/** Resolves a colour for the current theme: the custom properties hold `light-dark()`. */
function readColor(value: string): string {
  const probe = document.createElement('span');
  probe.style.color = value;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
