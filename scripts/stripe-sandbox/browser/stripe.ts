import * as v from 'valibot';
import { ApiClient, type PaymentIntent, type PaymentMethod, type StripeError } from './api-client.ts';
import { IntegrationError } from './card-element.ts';
import { Elements, elementsOf } from './elements.ts';
import { askForAuthentication, showBanner } from './overlays.ts';

type PaymentIntentResult = { paymentIntent: PaymentIntent } | { error: StripeError };
type PaymentMethodResult = { paymentMethod: PaymentMethod } | { error: StripeError };

const optionalText = v.nullish(v.string());
const billingDetails = v.nullish(
  v.record(v.string(), v.nullish(v.union([v.string(), v.record(v.string(), optionalText)]))),
);
const paymentMethodData = v.looseObject({
  type: v.optional(v.literal('card')),
  card: v.unknown(),
  billing_details: billingDetails,
});
const confirmData = v.optional(
  v.looseObject({
    payment_method: v.optional(v.union([v.string(), paymentMethodData])),
    receipt_email: optionalText,
    return_url: optionalText,
    setup_future_usage: optionalText,
  }),
  {},
);
const confirmOptions = v.optional(v.looseObject({ handleActions: v.optional(v.boolean(), true) }), {});

/** The part of Stripe.js that card payments need. https://docs.stripe.com/js */
class StripeClient {
  readonly #api: ApiClient;

  constructor(origin: string, publishableKey: string) {
    this.#api = new ApiClient(origin, publishableKey);
  }

  /** A group of card fields. */
  elements(_options?: unknown): Elements {
    return new Elements();
  }

  /** Makes a payment method of the card in the fields. */
  async createPaymentMethod(data: unknown): Promise<PaymentMethodResult> {
    const { card: element, billing_details } = parse(paymentMethodData, data, 'createPaymentMethod');
    const read = elementsOf(element).readCard();
    if (read.error) return { error: read.error };
    const answer = await this.#api.createPaymentMethod({ type: 'card', card: read.card, billing_details });
    return answer.error ? { error: answer.error } : { paymentMethod: answer.value };
  }

  /** Pays an intent by card, with a 3-D Secure challenge where the card asks for one. */
  async confirmCardPayment(
    clientSecret: unknown,
    data?: unknown,
    options?: unknown,
  ): Promise<PaymentIntentResult> {
    const secret = parseClientSecret(clientSecret);
    const { payment_method, receipt_email, return_url, setup_future_usage } = parse(
      confirmData,
      data,
      'confirmCardPayment',
    );
    const { handleActions } = parse(confirmOptions, options, 'confirmCardPayment');
    let methodId: string | undefined;
    if (typeof payment_method === 'string') methodId = payment_method;
    else if (payment_method) {
      const made = await this.createPaymentMethod(payment_method);
      if ('error' in made) return made;
      methodId = made.paymentMethod.id;
    }
    const values = { payment_method: methodId, receipt_email, return_url, setup_future_usage };
    const answer = await this.#api.confirmPaymentIntent(secret, values);
    if (answer.error) return { error: answer.error };
    return handleActions ? this.#handleAction(answer.value) : { paymentIntent: answer.value };
  }

  /** The intent as it is now. */
  async retrievePaymentIntent(clientSecret: unknown): Promise<PaymentIntentResult> {
    const answer = await this.#api.retrievePaymentIntent(parseClientSecret(clientSecret));
    return answer.error ? { error: answer.error } : { paymentIntent: answer.value };
  }

  /** Takes an intent through the challenge that it waits for. */
  async handleCardAction(clientSecret: unknown): Promise<PaymentIntentResult> {
    const found = await this.retrievePaymentIntent(clientSecret);
    return 'error' in found ? found : this.#handleAction(found.paymentIntent);
  }

  /** As handleCardAction, by the newer name. */
  handleNextAction(options: unknown): Promise<PaymentIntentResult> {
    const { clientSecret } = parse(v.looseObject({ clientSecret: v.string() }), options, 'handleNextAction');
    return this.handleCardAction(clientSecret);
  }

  /** Tokens are the way before payment methods; the sandbox has none. */
  createToken(): Promise<{ error: StripeError }> {
    return Promise.resolve({
      error: { type: 'invalid_request_error', message: 'The payment sandbox makes no tokens.' },
    });
  }

  /** Called by @stripe/stripe-js and @stripe/react-stripe-js; the sandbox keeps no statistics. */
  _registerWrapper(_wrapper: unknown): void {}

  /** Called by @stripe/react-stripe-js. */
  registerAppInfo(_info: unknown): void {}

  async #handleAction(intent: PaymentIntent): Promise<PaymentIntentResult> {
    if (intent.status !== 'requires_action') return { paymentIntent: intent };
    const outcome = await askForAuthentication(intent);
    const answer = await this.#api.answerChallenge(intent.client_secret, outcome);
    if (answer.error) return { error: answer.error };
    const { last_payment_error: error } = answer.value;
    return error ? { error: { ...error, payment_intent: answer.value } } : { paymentIntent: answer.value };
  }
}

function parse<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  method: string,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value);
  if (result.success) return result.output;
  throw new IntegrationError(
    `Invalid value for ${method}(): ${v.getDotPath(result.issues[0]) ?? ''} ${result.issues[0].message}`,
  );
}

function parseClientSecret(value: unknown): string {
  if (typeof value === 'string' && /^pi_\w+_secret_\w+$/.test(value)) return value;
  throw new IntegrationError('A client secret must have the form pi_…_secret_….');
}

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
