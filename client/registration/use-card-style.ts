import type { StripeElementStyle } from '@stripe/stripe-js';
import { useEffect, useState } from 'react';

const DARK = '(prefers-color-scheme: dark)';

/** The look of Stripe's fields, read from the page's own and read again when the colour scheme changes. */
export function useCardStyle(): StripeElementStyle {
  const [style, setStyle] = useState(readStyle);
  useEffect(() => {
    const scheme = matchMedia(DARK);
    const update = () => setStyle(readStyle());
    scheme.addEventListener('change', update);
    return () => scheme.removeEventListener('change', update);
  }, []);
  return style;
}

function readStyle(): StripeElementStyle {
  const { color, fontFamily, fontSize } = getComputedStyle(document.body);
  return { base: { color, iconColor: color, fontFamily, fontSize }, invalid: { color, iconColor: color } };
}
