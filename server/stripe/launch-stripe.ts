import Stripe from 'stripe';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { hostOf } from './connect-stripe.ts';
import { EVENT_TYPES } from './stripe-events.ts';
import { WEBHOOK_PATH } from './webhook-route.ts';

const READ = [
  ...(['customers', 'paymentIntents', 'setupIntents', 'paymentMethods', 'charges', 'disputes'] as const),
  ...(['events', 'balanceTransactions', 'payouts'] as const),
];

async function isAllowed(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError) return false;
    // Any other refusal comes after the permission was found to be enough.
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
  }
  return true;
}

/** What is to be looked at in Stripe’s account, which is only read; each look tells what is wrong, if anything is. */
export function stripeLooks(secretKey: string, apiBase: string | undefined, siteUrl: string) {
  const url = new URL(WEBHOOK_PATH, siteUrl).href;
  const options = { timeout: 5_000, maxNetworkRetries: 0, telemetry: false, ...hostOf(apiBase) };
  const stripe = new Stripe(secretKey, options);
  return {
    async 'stripe-account'() {
      const { settings, ...account } = await stripe.accounts.retrieveCurrent();
      const prefix = settings?.card_payments?.statement_descriptor_prefix;
      const ofEdition = prefix && `${prefix}* ${facts.statementSuffix}`;
      const name = (facts.statementSuffix ? ofEdition : settings?.payments.statement_descriptor) || '';
      return [
        !account.charges_enabled && 'The account takes no cards: give Stripe what its dashboard names',
        !account.payouts_enabled && 'The account pays nothing out: give Stripe what its dashboard names',
        name === '' && 'Card statements name nobody: set the statement descriptor in Stripe’s dashboard',
        name.length > 22 && `“${name}” is too long for card statements: 22 characters at most`,
      ];
    },
    async 'stripe-webhook'() {
      const { data } = await stripe.webhookEndpoints.list({ limit: 100 });
      const enabled = data.filter((one) => one.url === url && one.status === 'enabled');
      if (enabled.length === 0) return `No enabled webhook of the Stripe account leads to ${url}`;
      const events = enabled.flatMap(({ enabled_events }) => enabled_events);
      const missing = EVENT_TYPES.filter((name) => !events.includes(name) && !events.includes('*'));
      if (missing.length > 0) return `The webhook to ${url} does not send ${missing.join(', ')}`;
      const isOld = enabled.some(({ api_version }) => api_version !== Stripe.API_VERSION);
      return isOld && `The webhook sends events of another version than ${Stripe.API_VERSION}: make it again`;
    },
    async 'stripe-key'() {
      const missing: string[] = [];
      for (const name of READ) if (!(await isAllowed(stripe[name].list({ limit: 1 })))) missing.push(name);
      const canAskForCards = await isAllowed(stripe.checkout.sessions.list({ limit: 1 }));
      return [
        missing.length > 0 && `The key may not read ${missing.join(', ')}`,
        !canAskForCards &&
          'The key has no access to Checkout Sessions, and needs write access: nobody can give another card',
      ];
    },
  };
}
