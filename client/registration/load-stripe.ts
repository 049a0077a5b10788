import type { Stripe } from '@stripe/stripe-js';
import { loadStripe as loadStripeScript } from '@stripe/stripe-js/pure';
import type { SiteState } from '#shared/page.ts';

let loading: Promise<Stripe | null> | undefined;

/**
 * Stripe.js with the site's publishable key and the browser's language (R4.3), loaded once; null when its script
 * cannot be had, so that nothing is left unhandled.
 */
export function loadStripe({ stripePublishableKey, stripeScriptUrl }: SiteState): Promise<Stripe | null> {
  loading ??= loadScript(stripeScriptUrl)
    .then(() => loadStripeScript(stripePublishableKey, { locale: 'auto' }))
    .catch(() => {
      loading = undefined;
      return null;
    });
  return loading;
}

/** Loads a stand-in for Stripe.js, which then is found in the page instead of Stripe's own. */
async function loadScript(url: string | null): Promise<void> {
  if (url === null) return;
  const script = document.createElement('script');
  script.src = url;
  await new Promise((resolve, reject) => {
    script.addEventListener('load', resolve);
    script.addEventListener('error', () => reject(new Error(`${url} could not be loaded`)));
    document.head.append(script);
  });
}
