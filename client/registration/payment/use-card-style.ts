import type { StripeElementStyle } from '@stripe/stripe-js';
import { useEffect, useState } from 'react';
import { subscribeToTheme } from '#client/ui/theme.ts';

const DARK = '(prefers-color-scheme: dark)';

/** The look of Stripe's fields, read from the page's own, again whenever device or visitor change the colour scheme. */
export function useCardStyle(): StripeElementStyle {
  const [style, setStyle] = useState(readStyle);
  useEffect(() => {
    const scheme = matchMedia(DARK);
    const update = () => setStyle(readStyle());
    scheme.addEventListener('change', update);
    const unsubscribe = subscribeToTheme(update);
    return () => {
      scheme.removeEventListener('change', update);
      unsubscribe();
    };
  }, []);
  return style;
}

function readStyle(): StripeElementStyle {
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
