import type { StripeElementStyle } from '@stripe/stripe-js';
import { useEffect, useState } from 'react';
import { subscribeToTheme } from '#client/ui/theme.ts';
import { readCardStyle } from './card-style.ts';

const DARK = '(prefers-color-scheme: dark)';

/** The look of Stripe's fields, read from the page's own, again whenever device or visitor change the colour scheme. */
export function useCardStyle(): StripeElementStyle {
  const [style, setStyle] = useState(readCardStyle);
  useEffect(() => {
    const scheme = matchMedia(DARK);
    const update = () => setStyle(readCardStyle());
    scheme.addEventListener('change', update);
    const unsubscribe = subscribeToTheme(update);
    return () => {
      scheme.removeEventListener('change', update);
      unsubscribe();
    };
  }, []);
  return style;
}
