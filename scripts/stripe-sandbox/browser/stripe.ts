import { IntegrationError } from './card-element.ts';
import { showBanner } from './overlays.ts';
import { StripeClient } from './stripe-client.ts';

/** The release train of Stripe.js that @stripe/stripe-js looks for. */
const VERSION = 'endive';

const script = document.currentScript;
const origin = new URL(script instanceof HTMLScriptElement ? script.src : location.href).origin;

function createStripe(publishableKey: unknown, _options?: unknown): StripeClient {
  if (typeof publishableKey !== 'string' || !publishableKey.startsWith('pk_test_')) {
    throw new IntegrationError('The payment sandbox needs a publishable key that starts with pk_test_.');
  }
  return new StripeClient(origin, publishableKey);
}

Object.assign(window, { Stripe: Object.assign(createStripe, { version: VERSION }) });

if (document.body) showBanner(`${origin}/`);
else document.addEventListener('DOMContentLoaded', () => showBanner(`${origin}/`), { once: true });
