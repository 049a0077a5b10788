import * as v from 'valibot';

const intentSchema = v.looseObject({
  id: v.string(),
  client_secret: v.string(),
  amount: v.number(),
  currency: v.string(),
  status: v.string(),
  last_payment_error: v.nullable(v.looseObject({ type: v.string(), message: v.string() })),
});
const paymentMethodSchema = v.looseObject({ id: v.string() });
const errorSchema = v.object({
  error: v.looseObject({ type: v.string(), message: v.string() }),
});

/** A payment intent as a publishable key sees it. */
export type PaymentIntent = v.InferOutput<typeof intentSchema>;
/** A payment method as a publishable key sees it. */
export type PaymentMethod = v.InferOutput<typeof paymentMethodSchema>;
/** Why a call failed, with a message for the visitor. */
export type StripeError = v.InferOutput<typeof errorSchema>['error'];

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
    const query = new URLSearchParams({ client_secret: clientSecret });
    return this.#call(intentSchema, `${intentPath(clientSecret)}?${query}`);
  }

  confirmPaymentIntent(clientSecret: string, values: FormValues): Promise<Answer<PaymentIntent>> {
    return this.#call(intentSchema, `${intentPath(clientSecret)}/confirm`, {
      ...values,
      client_secret: clientSecret,
    });
  }

  answerChallenge(clientSecret: string, outcome: 'authenticated' | 'failed'): Promise<Answer<PaymentIntent>> {
    const path = intentPath(clientSecret).replace('/v1/', '/sandbox/');
    return this.#call(intentSchema, `${path}/challenge`, { client_secret: clientSecret, outcome });
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
  return `/v1/payment_intents/${encodeURIComponent(clientSecret.replace(/_secret_.*$/, ''))}`;
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
