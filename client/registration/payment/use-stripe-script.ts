import type { Stripe } from '@stripe/stripe-js';
import { useEffect, useState } from 'react';
import { useAppSelector } from '#client/store/hooks.ts';
import { selectSite } from '#client/store/site-slice.ts';
import { loadStripe, requestScriptAgain } from './load-stripe.ts';

/** After this long without Stripe's script, an error is shown. */
const STRIPE_TIMEOUT_MS = 10_000;

interface Attempt {
  number: number;
  loading: Promise<Stripe | null>;
}

/** The state of loading Stripe's script. */
interface StripeScript {
  /** For `Elements`, which must be remounted for each new attempt. */
  attempt: Attempt;
  /** Whether it failed to load, or has not loaded within ten seconds; it may still load. */
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
    const timer = setTimeout(() => setMissing(true), STRIPE_TIMEOUT_MS);
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
    requestScriptAgain(site);
    setMissing(false);
    setAttempt({ number: attempt.number + 1, loading: loadStripe(site) });
  };
  return { attempt, missing, retry };
}
