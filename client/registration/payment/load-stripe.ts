import type { Stripe } from '@stripe/stripe-js';
import { loadStripe as loadStripeScript } from '@stripe/stripe-js/pure';
import type { SiteState } from '#shared/page.ts';

const STRIPE_ORIGIN = 'https://js.stripe.com/';

/** What a page needs to know to load it. */
type StripeSource = Pick<SiteState, 'stripePublishableKey' | 'stripeScriptUrl'>;

let loading: Promise<Stripe | null> | undefined;

/**
 * Stripe.js with the site's publishable key and the browser's language (R4.3), loaded once; null when its script
 * cannot be had, so that nothing is left unhandled. After that the next call tries again.
 */
export function loadStripe({ stripePublishableKey, stripeScriptUrl }: StripeSource): Promise<Stripe | null> {
  loading ??= loadStandIn(stripeScriptUrl)
    .then(() => loadStripeScript(stripePublishableKey, { locale: 'auto' }))
    .catch(() => {
      loading = undefined;
      return null;
    });
  return loading;
}

/**
 * Asks once more for a script that does not come; whichever comes first is taken. Under the same address a browser
 * would go on waiting for its first request.
 */
export function askAgain({ stripeScriptUrl }: StripeSource): void {
  if (!loading) return;
  const pending = document.querySelector<HTMLScriptElement>(
    `script[src^="${stripeScriptUrl ?? STRIPE_ORIGIN}"]`,
  );
  if (!pending) return;
  const url = new URL(pending.src);
  url.searchParams.set('again', String(Date.now()));
  const again = document.createElement('script');
  again.src = url.href;
  for (const outcome of ['load', 'error']) {
    again.addEventListener(outcome, () => pending.dispatchEvent(new Event(outcome)));
  }
  document.head.append(again);
}

/** Loads a stand-in for Stripe.js, which then is found in the page instead of Stripe's own. */
async function loadStandIn(url: string | null): Promise<void> {
  if (url === null) return;
  const script = document.createElement('script');
  script.src = url;
  await new Promise((resolve, reject) => {
    script.addEventListener('load', resolve);
    script.addEventListener('error', () => {
      script.remove();
      reject(new Error(`${url} could not be loaded`));
    });
    document.head.append(script);
  });
}
