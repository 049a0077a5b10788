import type { Stripe, StripeElementStyle } from '@stripe/stripe-js';
import { loadStripe as loadStripeScript } from '@stripe/stripe-js/pure';
import type { SiteState } from '#shared/page.ts';

const STRIPE_ORIGIN = 'https://js.stripe.com/';

type StripeSource = Pick<SiteState, 'stripePublishableKey' | 'stripeScriptUrl'>;

let loading: Promise<Stripe | null> | undefined;

/**
 * Stripe.js with the site's publishable key and the browser's language (R4.3), loaded once. Resolves to null
 * if its script fails to load, so that no rejection is left unhandled; the next call then retries.
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
 * Requests the script a second time while the first request hangs; the first response to arrive is used. The
 * second request needs a different address, or the browser would keep waiting for the first one.
 */
export function requestScriptAgain({ stripeScriptUrl }: StripeSource): void {
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

/** Loads a stand-in for Stripe.js; `loadStripeScript` then finds it and does not load Stripe's own. */
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

export function readCardStyle(): StripeElementStyle {
  const body = getComputedStyle(document.body);
  const { color, fontFamily, fontSize } = body;
  const placeholder = { color: body.getPropertyValue('--ink-soft') };
  return {
    base: { color, iconColor: color, fontFamily, fontSize, '::placeholder': placeholder },
    invalid: { color, iconColor: color },
  };
}
