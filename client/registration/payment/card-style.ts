import type { StripeElementStyle } from '@stripe/stripe-js';

/** The look of Stripe's fields, read from the page's own. */
export function readCardStyle(): StripeElementStyle {
  const { color, fontFamily, fontSize } = getComputedStyle(document.body);
  const placeholder = { color: readColor('var(--ink-soft)') };
  return {
    base: { color, iconColor: color, fontFamily, fontSize, '::placeholder': placeholder },
    invalid: { color, iconColor: color },
  };
}

/** A colour of the theme in force, as its number: the properties that hold the colours name one for each theme. */
function readColor(value: string): string {
  const probe = document.createElement('span');
  probe.style.color = value;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
