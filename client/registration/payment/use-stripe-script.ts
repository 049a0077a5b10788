import type { Stripe } from '@stripe/stripe-js';
import { useEffect, useState } from 'react';
import { useAppSelector } from '#client/store/hooks.ts';
import { selectSite } from '#client/store/site-slice.ts';
import { askAgain, loadStripe } from './load-stripe.ts';

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
