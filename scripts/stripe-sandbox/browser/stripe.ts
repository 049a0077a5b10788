import * as v from 'valibot';
import { Elements, readCard } from './elements.ts';
import type { GroupOptions } from './express-checkout.ts';
import { askForAuthentication, priceOf, showBanner } from './overlays.ts';

const anError = v.looseObject({ type: v.string(), message: v.string() });

const intentSchema = v.looseObject({
  status: v.string(),
  client_secret: v.string(),
  amount: v.optional(v.number(), 0),
  last_payment_error: v.nullish(anError),
});
const methodSchema = v.looseObject({ id: v.string() });
const failureSchema = v.object({ error: anError });

type Intent = v.InferOutput<typeof intentSchema>;
type PaymentMethod = v.InferOutput<typeof methodSchema>;
type StripeError = v.InferOutput<typeof anError>;
type Answer<Value> = { value: Value; error?: undefined } | { error: StripeError };

type CardData = { card: unknown; billing_details?: object };
type WalletData = { elements: Elements; params?: { billing_details?: object } };
/** With what an intent is confirmed: a payment method, by its id or from the card in the fields. */
type Confirmation = { payment_method: string | CardData; [field: string]: unknown };

const OFFLINE: StripeError = {
  type: 'api_connection_error',
  message:
    'We are experiencing issues connecting to our payments provider. Please check your internet connection and try again.',
};

/** The version of Stripe.js that @stripe/stripe-js looks for. */
const VERSION = 'endive';

/** The part of Stripe.js that this site uses. https://docs.stripe.com/js */
class StripeClient {
  readonly #origin: string;
  readonly #key: string;

  constructor(origin: string, publishableKey: string) {
    this.#origin = origin;
    this.#key = publishableKey;
  }

  elements(options?: GroupOptions): Elements {
    return new Elements(options);
  }

  async createPaymentMethod(data: CardData | WalletData) {
    const isWallet = 'elements' in data;
    const { card, error } = isWallet ? { card: data.elements.readWallet() } : readCard(data.card);
    if (error) return { error };
    const { billing_details } = isWallet ? { ...data.params } : data;
    const values = { type: 'card', card, billing_details };
    const answer: Answer<PaymentMethod> = await this.#call(methodSchema, '/v1/payment_methods', values);
    return answer.error ? { error: answer.error } : { paymentMethod: answer.value };
  }

  async confirmCardPayment(clientSecret: string, data: Confirmation) {
    const answer = await this.#confirm(clientSecret, data);
    return answer.error ? { error: answer.error } : { paymentIntent: answer.value };
  }

  async retrievePaymentIntent(client_secret: string) {
    const path = `/v1${pathOf(client_secret)}?${new URLSearchParams({ client_secret })}`;
    const answer = await this.#call(intentSchema, path);
    return answer.error ? { error: answer.error } : { paymentIntent: answer.value };
  }

  /** @stripe/react-stripe-js looks for it. */
  createToken(): never {
    throw new Error('The payment sandbox makes no tokens.');
  }

  async #confirm(client_secret: string, { payment_method: given, ...data }: Confirmation) {
    let payment_method = given;
    if (typeof given === 'object') {
      const { paymentMethod, error } = await this.createPaymentMethod(given);
      if (!paymentMethod) return { error };
      payment_method = paymentMethod.id;
    }
    const values = { client_secret, payment_method, ...data };
    const answer = await this.#call(intentSchema, `/v1${pathOf(client_secret)}/confirm`, values);
    if (answer.error || answer.value.status !== 'requires_action') return answer;
    return this.#authenticate(answer.value);
  }

  async #authenticate({ client_secret, amount }: Intent): Promise<Answer<Intent>> {
    const outcome = await askForAuthentication(`the payment of ${priceOf(amount)}`);
    const values = { client_secret, outcome };
    const answer = await this.#call(intentSchema, `/sandbox${pathOf(client_secret)}/challenge`, values);
    if (answer.error) return answer;
    const error = answer.value.last_payment_error;
    return error ? { error: { ...error, payment_intent: answer.value } } : answer;
  }

  async #call<Value>(
    schema: v.GenericSchema<unknown, Value>,
    path: string,
    values?: object,
  ): Promise<Answer<Value>> {
    try {
      const response = await fetch(`${this.#origin}${path}`, {
        method: values ? 'POST' : 'GET',
        headers: { Authorization: `Bearer ${this.#key}` },
        body: values ? new URLSearchParams(formOf(values)) : null,
        cache: 'no-store',
        credentials: 'omit',
      });
      const body: unknown = await response.json();
      return response.ok ? { value: v.parse(schema, body) } : v.parse(failureSchema, body);
    } catch {
      return { error: OFFLINE };
    }
  }
}

function pathOf(clientSecret: string): string {
  return `/payment_intents/${encodeURIComponent(clientSecret.replace(/_secret_.*$/, ''))}`;
}

function formOf(values: object, prefix = ''): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) => {
    const key = prefix ? `${prefix}[${name}]` : name;
    if (value === null || value === undefined) return [];
    return typeof value === 'object' ? formOf(value, key) : [[key, String(value)] satisfies [string, string]];
  });
}

const script = document.currentScript;
const origin = new URL(script instanceof HTMLScriptElement ? script.src : location.href).origin;
const createStripe = (key: string, _options?: unknown) => new StripeClient(origin, key);
Object.assign(window, { Stripe: Object.assign(createStripe, { version: VERSION }) });

if (document.body) showBanner();
else document.addEventListener('DOMContentLoaded', showBanner, { once: true });
