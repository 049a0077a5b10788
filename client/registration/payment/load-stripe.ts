import type { Stripe } from '@stripe/stripe-js';
import { loadStripe as loadStripeScript } from '@stripe/stripe-js/pure';
import { useEffect, useState } from 'react';
import { useAppSelector } from '#client/store/hooks.ts';
import { selectSite } from '#client/store/site-slice.ts';
import type { SiteState } from '#shared/page.ts';

const STRIPE_ORIGIN = 'https://js.stripe.com/';

let loading: Promise<Stripe | null> | undefined;

/**
 * Stripe.js with the site's publishable key and the browser's language (R4.3), loaded once; null when its script
 * cannot be had, so that nothing is left unhandled. After that the next call tries again.
 */
function loadStripe({ stripePublishableKey, stripeScriptUrl }: SiteState): Promise<Stripe | null> {
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
function askAgain({ stripeScriptUrl }: SiteState): void {
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

/** How long a visitor waits for Stripe's script before she is told. */
const PATIENCE_MS = 10_000;

interface Attempt {
  number: number;
  loading: Promise<Stripe | null>;
}

/** Stripe's script on its way, or not. */
interface StripeScript {
  /** For `Elements`, which must be mounted again for another attempt. */
  attempt: Attempt;
  /** Whether it failed, or has not come for ten seconds; it may still come. */
  missing: boolean;
  retry: () => void;
}

/** Loads Stripe's script when a step is shown, and again when the visitor asks for it. */
export function useStripeScript(): StripeScript {
  const site = useAppSelector(selectSite);
  const [attempt, setAttempt] = useState<Attempt>(() => ({ number: 1, loading: loadStripe(site) }));
  const [missing, setMissing] = useState(false);

  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => setMissing(true), PATIENCE_MS);
    attempt.loading.then((stripe) => {
      clearTimeout(timer);
      if (current) setMissing(stripe === null);
    });
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [attempt]);

  const retry = () => {
    askAgain(site);
    setMissing(false);
    setAttempt({ number: attempt.number + 1, loading: loadStripe(site) });
  };
  return { attempt, missing, retry };
}
