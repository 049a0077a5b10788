import type { StripeElementStyle } from '@stripe/stripe-js';
import { useEffect, useState } from 'react';
import { subscribeToTheme } from '#client/ui/theme.ts';
import { readCardStyle } from './card-style.ts';

const DARK = '(prefers-color-scheme: dark)';

/**
 * The style of Stripe's fields, read from the page's own style, and re-read when the colour scheme changes.
 */
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
