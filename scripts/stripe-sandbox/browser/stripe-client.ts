import * as v from 'valibot';
import {
  ApiClient,
  type PaymentIntent,
  type PaymentMethod,
  type SetupIntent,
  type StripeError,
} from './api-client.ts';
import { IntegrationError } from './card-element.ts';
import { Elements, elementsOf } from './elements.ts';
import { askForAuthentication } from './overlays.ts';

type PaymentIntentResult = { paymentIntent: PaymentIntent } | { error: StripeError };
type SetupIntentResult = { setupIntent: SetupIntent } | { error: StripeError };
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
export class StripeClient {
  readonly #api: ApiClient;

  constructor(origin: string, publishableKey: string) {
    this.#api = new ApiClient(origin, publishableKey);
  }

  /** A group of card fields. */
  elements(_options?: unknown): Elements {
    return new Elements();
  }

  /** Creates a payment method from the card in the fields. */
  async createPaymentMethod(data: unknown): Promise<PaymentMethodResult> {
    const { card: element, billing_details } = parse(paymentMethodData, data, 'createPaymentMethod');
    const read = elementsOf(element).readCard();
    if (read.error) return { error: read.error };
    const answer = await this.#api.createPaymentMethod({ type: 'card', card: read.card, billing_details });
    return answer.error ? { error: answer.error } : { paymentMethod: answer.value };
  }

  /** Pays an intent by card, with a 3-D Secure challenge if the card requires one. */
  async confirmCardPayment(
    clientSecret: unknown,
    data?: unknown,
    options?: unknown,
  ): Promise<PaymentIntentResult> {
    const secret = parseClientSecret(clientSecret, 'pi');
    const { payment_method, receipt_email, return_url, setup_future_usage } = parse(
      confirmData,
      data,
      'confirmCardPayment',
    );
    const { handleActions } = parse(confirmOptions, options, 'confirmCardPayment');
    const method = await this.#methodId(payment_method);
    if (method.error) return { error: method.error };
    const values = { payment_method: method.id, receipt_email, return_url, setup_future_usage };
    const answer = await this.#api.confirmPaymentIntent(secret, values);
    if (answer.error) return { error: answer.error };
    return handleActions ? this.#handlePaymentAction(answer.value) : { paymentIntent: answer.value };
  }

  /** Stores a card without a payment, with a 3-D Secure challenge if the card requires one. */
  async confirmCardSetup(
    clientSecret: unknown,
    data?: unknown,
    options?: unknown,
  ): Promise<SetupIntentResult> {
    const secret = parseClientSecret(clientSecret, 'seti');
    const { payment_method, return_url } = parse(confirmData, data, 'confirmCardSetup');
    const { handleActions } = parse(confirmOptions, options, 'confirmCardSetup');
    const method = await this.#methodId(payment_method);
    if (method.error) return { error: method.error };
    const answer = await this.#api.confirmSetupIntent(secret, { payment_method: method.id, return_url });
    if (answer.error) return { error: answer.error };
    return handleActions ? this.#handleSetupAction(answer.value) : { setupIntent: answer.value };
  }

  /** The current state of a payment intent. */
  async retrievePaymentIntent(clientSecret: unknown): Promise<PaymentIntentResult> {
    const answer = await this.#api.retrievePaymentIntent(parseClientSecret(clientSecret, 'pi'));
    return answer.error ? { error: answer.error } : { paymentIntent: answer.value };
  }

  /** The current state of a setup intent. */
  async retrieveSetupIntent(clientSecret: unknown): Promise<SetupIntentResult> {
    const answer = await this.#api.retrieveSetupIntent(parseClientSecret(clientSecret, 'seti'));
    return answer.error ? { error: answer.error } : { setupIntent: answer.value };
  }

  /** Shows the challenge that a payment intent waits for. */
  async handleCardAction(clientSecret: unknown): Promise<PaymentIntentResult> {
    const found = await this.retrievePaymentIntent(clientSecret);
    return 'error' in found ? found : this.#handlePaymentAction(found.paymentIntent);
  }

  /** Shows the challenge that a payment intent or a setup intent waits for. */
  async handleNextAction(options: unknown): Promise<PaymentIntentResult | SetupIntentResult> {
    const { clientSecret } = parse(v.looseObject({ clientSecret: v.string() }), options, 'handleNextAction');
    if (!clientSecret.startsWith('seti_')) return this.handleCardAction(clientSecret);
    const found = await this.retrieveSetupIntent(clientSecret);
    return 'error' in found ? found : this.#handleSetupAction(found.setupIntent);
  }

  /** Tokens are the predecessor of payment methods; the sandbox has none. */
  createToken(): Promise<{ error: StripeError }> {
    return Promise.resolve({
      error: { type: 'invalid_request_error', message: 'The payment sandbox makes no tokens.' },
    });
  }

  /** Called by @stripe/stripe-js and @stripe/react-stripe-js; the sandbox keeps no statistics. */
  _registerWrapper(_wrapper: unknown): void {}

  /** Called by @stripe/react-stripe-js. */
  registerAppInfo(_info: unknown): void {}

  /**
   * The id of a payment method; if data is given instead of an id, it is created from the card in the fields.
   */
  async #methodId(
    wanted: v.InferOutput<typeof confirmData>['payment_method'],
  ): Promise<{ id: string | undefined; error?: undefined } | { error: StripeError }> {
    if (wanted === undefined || typeof wanted === 'string') return { id: wanted };
    const made = await this.createPaymentMethod(wanted);
    return 'error' in made ? made : { id: made.paymentMethod.id };
  }

  async #handlePaymentAction(intent: PaymentIntent): Promise<PaymentIntentResult> {
    if (intent.status !== 'requires_action') return { paymentIntent: intent };
    const amount = new Intl.NumberFormat('en-US', { style: 'currency', currency: intent.currency });
    const outcome = await askForAuthentication(`the payment of ${amount.format(intent.amount / 100)}`);
    const answer = await this.#api.answerPaymentChallenge(intent.client_secret, outcome);
    if (answer.error) return { error: answer.error };
    const { last_payment_error: error } = answer.value;
    return error ? { error: { ...error, payment_intent: answer.value } } : { paymentIntent: answer.value };
  }

  async #handleSetupAction(intent: SetupIntent): Promise<SetupIntentResult> {
    if (intent.status !== 'requires_action') return { setupIntent: intent };
    const outcome = await askForAuthentication('that the card is stored');
    const answer = await this.#api.answerSetupChallenge(intent.client_secret, outcome);
    if (answer.error) return { error: answer.error };
    const { last_setup_error: error } = answer.value;
    return error ? { error: { ...error, setup_intent: answer.value } } : { setupIntent: answer.value };
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

function parseClientSecret(value: unknown, prefix: 'pi' | 'seti'): string {
  if (typeof value === 'string' && new RegExp(`^${prefix}_\\w+_secret_\\w+$`).test(value)) return value;
  throw new IntegrationError(`A client secret must have the form ${prefix}_…_secret_….`);
}
