import * as v from 'valibot';

const attemptError = v.nullable(v.looseObject({ type: v.string(), message: v.string() }));

const confirmable = { id: v.string(), client_secret: v.string(), status: v.string() };

const paymentIntentSchema = v.looseObject({
  ...confirmable,
  amount: v.number(),
  currency: v.string(),
  last_payment_error: attemptError,
});
const setupIntentSchema = v.looseObject({ ...confirmable, last_setup_error: attemptError });
const paymentMethodSchema = v.looseObject({ id: v.string() });
const errorSchema = v.object({
  error: v.looseObject({ type: v.string(), message: v.string() }),
});

/** A payment intent as a publishable key sees it. */
export type PaymentIntent = v.InferOutput<typeof paymentIntentSchema>;
/** A setup intent as a publishable key sees it. */
export type SetupIntent = v.InferOutput<typeof setupIntentSchema>;
/** A payment method as a publishable key sees it. */
export type PaymentMethod = v.InferOutput<typeof paymentMethodSchema>;
/** Why a call failed, with a message for the visitor. */
export type StripeError = v.InferOutput<typeof errorSchema>['error'];

/** How the visitor, in the bank's place, answers a 3-D Secure challenge. */
export type ChallengeOutcome = 'authenticated' | 'failed';

type Answer<Value> = { value: Value; error?: undefined } | { value?: undefined; error: StripeError };

type FormValue = string | { readonly [key: string]: FormValue | null | undefined };
/** Values of a form-encoded request; null and undefined are left out. */
export type FormValues = { readonly [key: string]: FormValue | null | undefined };

const CONNECTION_ERROR: StripeError = {
  type: 'api_connection_error',
  message:
    'We are experiencing issues connecting to our payments provider. Please check your internet connection and try again.',
};

/** Talks to the sandbox's API with the publishable key. */
export class ApiClient {
  readonly #origin: string;
  readonly #publishableKey: string;

  constructor(origin: string, publishableKey: string) {
    this.#origin = origin;
    this.#publishableKey = publishableKey;
  }

  createPaymentMethod(values: FormValues): Promise<Answer<PaymentMethod>> {
    return this.#call(paymentMethodSchema, '/v1/payment_methods', values);
  }

  retrievePaymentIntent(clientSecret: string): Promise<Answer<PaymentIntent>> {
    return this.#call(paymentIntentSchema, withSecret(clientSecret));
  }

  retrieveSetupIntent(clientSecret: string): Promise<Answer<SetupIntent>> {
    return this.#call(setupIntentSchema, withSecret(clientSecret));
  }

  confirmPaymentIntent(clientSecret: string, values: FormValues): Promise<Answer<PaymentIntent>> {
    const form = { ...values, client_secret: clientSecret };
    return this.#call(paymentIntentSchema, `/v1${intentPath(clientSecret)}/confirm`, form);
  }

  confirmSetupIntent(clientSecret: string, values: FormValues): Promise<Answer<SetupIntent>> {
    const form = { ...values, client_secret: clientSecret };
    return this.#call(setupIntentSchema, `/v1${intentPath(clientSecret)}/confirm`, form);
  }

  answerPaymentChallenge(clientSecret: string, outcome: ChallengeOutcome): Promise<Answer<PaymentIntent>> {
    const form = { client_secret: clientSecret, outcome };
    return this.#call(paymentIntentSchema, `/sandbox${intentPath(clientSecret)}/challenge`, form);
  }

  answerSetupChallenge(clientSecret: string, outcome: ChallengeOutcome): Promise<Answer<SetupIntent>> {
    const form = { client_secret: clientSecret, outcome };
    return this.#call(setupIntentSchema, `/sandbox${intentPath(clientSecret)}/challenge`, form);
  }

  async #call<Value>(
    schema: v.GenericSchema<unknown, Value>,
    path: string,
    values?: FormValues,
  ): Promise<Answer<Value>> {
    try {
      const response = await fetch(`${this.#origin}${path}`, {
        method: values ? 'POST' : 'GET',
        headers: { Authorization: `Bearer ${this.#publishableKey}` },
        body: values ? encodeForm(values) : null,
        cache: 'no-store',
        credentials: 'omit',
      });
      const body: unknown = await response.json();
      if (!response.ok) return { error: v.parse(errorSchema, body).error };
      return { value: v.parse(schema, body) };
    } catch {
      return { error: CONNECTION_ERROR };
    }
  }
}

function intentPath(clientSecret: string): string {
  const kind = clientSecret.startsWith('seti_') ? 'setup_intents' : 'payment_intents';
  return `/${kind}/${encodeURIComponent(clientSecret.replace(/_secret_.*$/, ''))}`;
}

function withSecret(clientSecret: string): string {
  return `/v1${intentPath(clientSecret)}?${new URLSearchParams({ client_secret: clientSecret })}`;
}

function encodeForm(values: FormValues): URLSearchParams {
  const form = new URLSearchParams();
  const append = (key: string, value: FormValues[string]) => {
    if (value === null || value === undefined) return;
    if (typeof value === 'string') form.append(key, value);
    else for (const [name, inner] of Object.entries(value)) append(`${key}[${name}]`, inner);
  };
  for (const [key, value] of Object.entries(values)) append(key, value);
  return form;
}
