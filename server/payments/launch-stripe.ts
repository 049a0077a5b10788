import Stripe from 'stripe';
import { done, type LaunchItem, left, notSeen, type Said } from '#server/config/launch-item.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { hostOf, type StripeSettings } from './payments.ts';
import { stripeSetup } from './stripe-events.ts';
import { WEBHOOK_PATH } from './webhook-route.ts';

/** Somebody waits for the list. */
const TIMEOUT_MS = 5_000;

/** Of the name of a charge on card statements. */
const STATEMENT_LENGTH = 22;

type Settings = Pick<StripeSettings, 'secretKey' | 'apiBase'> & { siteUrl: string };
type Read = (stripe: Stripe, settings: Settings) => Promise<Said>;

/** @param page the page of the rule in Stripe's documentation */
const look = (id: string, decides: LaunchItem['decides'], page: string, read: Read) => ({
  id,
  decides,
  read,
  source: `https://docs.stripe.com/${page}`,
});

const LOOKS = [
  look('stripe-account', 'owner', 'get-started/account/checklist', async (stripe) => {
    const { charges_enabled, payouts_enabled, requirements } = await stripe.accounts.retrieveCurrent();
    if (charges_enabled && payouts_enabled) return done('The Stripe account takes cards, and pays out.');
    const due = requirements?.currently_due?.join(', ') || 'what its dashboard names';
    return left(
      `The account ${charges_enabled ? 'pays nothing out' : 'takes no cards'}: give Stripe ${due}.`,
    );
  }),
  look('stripe-statement', 'bookkeeper', 'get-started/account/statement-descriptors', async (stripe) => {
    const { settings } = await stripe.accounts.retrieveCurrent();
    const { statementSuffix } = facts;
    const prefix = settings?.card_payments?.statement_descriptor_prefix ?? '';
    const account = settings?.payments.statement_descriptor ?? '';
    const name = statementSuffix ? prefix && `${prefix}* ${statementSuffix}` : account;
    if (!name)
      return left('Card statements name nobody: set the statement descriptor in Stripe’s dashboard.');
    if (name.length > STATEMENT_LENGTH)
      return left(`“${name}” is too long for card statements: ${STATEMENT_LENGTH} characters at most.`);
    return { says: `Card statements say “${name}”: will registrants recognise it?` };
  }),
  look('stripe-webhook', 'engineer', 'webhooks', async (stripe, settings) => {
    const { url, endpoints } = await webhooksOf(stripe, settings);
    if (endpoints.length === 0) return left(`No webhook of the Stripe account leads to ${url}.`);
    const enabled = endpoints.filter(({ status }) => status === 'enabled');
    if (enabled.length === 0) return left(`The webhook to ${url} is disabled.`);
    const events = enabled.flatMap(({ enabled_events }) => enabled_events);
    const missing = stripeSetup.events.filter((name) => !events.includes(name) && !events.includes('*'));
    if (missing.length > 0) return left(`The webhook to ${url} does not send ${missing.join(', ')}.`);
    return done(`The webhook sends all events to ${url}.`);
  }),
  look('stripe-webhook-version', 'engineer', 'webhooks/versioning', async (stripe, settings) => {
    const { endpoints } = await webhooksOf(stripe, settings);
    const other = endpoints.find(({ api_version }) => api_version !== Stripe.API_VERSION);
    if (!other) return done(`No webhook sends events of another version than ${Stripe.API_VERSION}.`);
    const version = other.api_version ?? 'the account’s own version';
    return { says: `The webhook sends events of ${version}, not ${Stripe.API_VERSION}: make it again.` };
  }),
  look('stripe-domain', 'engineer', 'payments/payment-methods/pmd-registration', async (stripe, site) => {
    const { hostname } = new URL(site.siteUrl);
    const { data } = await stripe.paymentMethodDomains.list({ domain_name: hostname, enabled: true });
    if (data.length > 0) return done(`Stripe knows ${hostname} as a domain of wallets.`);
    return { says: `Stripe does not know the domain ${hostname}: no wallet can be offered there.` };
  }),
  look('stripe-key', 'engineer', 'keys/restricted-api-keys', async (stripe, { secretKey }) => {
    if (!secretKey.startsWith('rk_')) return done('The key is not restricted: it lacks no permission.');
    const found = await Promise.all(
      PERMISSIONS.map(async ([name, list]) => ((await isAllowed(list(stripe))) ? [] : [name])),
    );
    const missing = found.flat().join(', ');
    if (missing) return left(`The restricted key may not read ${missing}.`);
    return done('The restricted key may read what it needs; whether it may write, a registration shows.');
  }),
];

type Permission = (typeof stripeSetup)['keyWrites' | 'keyReads'][number];

const ONE = { limit: 1 };
/** A request for each permission, which reads and changes nothing. */
const PERMISSIONS = Object.entries({
  Customers: (stripe) => stripe.customers.list(ONE),
  PaymentIntents: (stripe) => stripe.paymentIntents.list(ONE),
  SetupIntents: (stripe) => stripe.setupIntents.list(ONE),
  PaymentMethods: (stripe) => stripe.paymentMethods.list(ONE),
  'Charges and Refunds': (stripe) => stripe.charges.list(ONE),
  Disputes: (stripe) => stripe.disputes.list(ONE),
  Events: (stripe) => stripe.events.list(ONE),
  'Balance transaction sources': (stripe) => stripe.balanceTransactions.list(ONE),
  Payouts: (stripe) => stripe.payouts.list(ONE),
} satisfies Record<Permission, (stripe: Stripe) => Promise<unknown>>);

/**
 * What Stripe’s account, which is only read, leaves to do before launch. What cannot be read is an item, too.
 */
export function stripeItems(settings: Settings): Promise<LaunchItem[]> {
  const stripe = new Stripe(settings.secretKey, {
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 0,
    telemetry: false,
    ...hostOf(settings.apiBase),
  });
  return Promise.all(
    LOOKS.map(async ({ read, ...item }) => {
      const unseen = (error: unknown): Said => notSeen(`This cannot be read: ${reasonOf(error)}.`);
      return { ...item, ...(await read(stripe, settings).catch(unseen)) };
    }),
  );
}

async function webhooksOf(stripe: Stripe, { siteUrl }: Settings) {
  const url = new URL(WEBHOOK_PATH, siteUrl).href;
  const { data } = await stripe.webhookEndpoints.list({ limit: 100 });
  return { url, endpoints: data.filter((one) => one.url === url) };
}

/** Any other refusal than that of the key comes after its permissions were found to be enough. */
async function isAllowed(answer: Promise<unknown>): Promise<boolean> {
  try {
    await answer;
    return true;
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError) return false;
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return true;
    throw error;
  }
}

/** Stripe's own words may repeat the key: only the name of a permission is taken from them. */
function reasonOf(error: unknown): string {
  if (error instanceof Stripe.errors.StripeConnectionError) return 'Stripe does not answer';
  if (error instanceof Stripe.errors.StripeAuthenticationError) return 'Stripe does not accept the key';
  if (error instanceof Stripe.errors.StripePermissionError) {
    const [name] = /\brak_\w+/.exec(error.message) ?? [];
    return name ? `the key lacks the permission ${name}` : 'the key may not read it';
  }
  return error instanceof Stripe.errors.StripeError
    ? `Stripe answers ${error.statusCode}`
    : 'the answer is not understood';
}
