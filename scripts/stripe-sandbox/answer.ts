/** The `error` object of Stripe's answers; other fields describe the attempt. https://docs.stripe.com/api/errors */
export type ErrorBody = {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  message: string;
  code?: string | undefined;
  param?: string | undefined;
  [detail: string]: unknown;
};

/** An answer other than success: an HTTP status and Stripe's error envelope. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
  }
}

/** A parameter that was refused before anything was done; such answers are not kept for idempotent replay. */
export class ParameterError extends ApiError {
  constructor(message: string, details: { param?: string; code?: string } = {}, status = 400) {
    super(status, { type: 'invalid_request_error', message, ...details });
    this.name = 'ParameterError';
  }
}

/** A request that is understood, but not carried out. */
export function refusal(status: number, message: string, details: Partial<ErrorBody> = {}): ApiError {
  return new ApiError(status, { ...details, type: 'invalid_request_error', message });
}

/** The error for an unknown object id: 404 when the id is in the path, 400 when it is a parameter. */
export function resourceMissing(kind: string, id: string, param?: string): ApiError {
  const details = { code: 'resource_missing', param: param ?? 'id' };
  return refusal(param === undefined ? 404 : 400, `No such ${kind}: '${id}'`, details);
}

/** An answer as it goes out; `keep` is false when nothing was carried out and the key stays free. */
export type Outcome = { status: number; body: string; keep: boolean };

/** What a browser must not see of an object. */
const PRIVATE = new Set(['amount_received', 'customer', 'latest_charge', 'metadata']);

function write(object: object, keyKind: 'secret' | 'publishable'): string {
  const hide = (field: string, value: unknown) => (PRIVATE.has(field) ? undefined : value);
  return JSON.stringify(object, keyKind === 'publishable' ? hide : undefined, 2);
}

/** Runs an operation; whatever it throws becomes Stripe's error envelope, kept unless a parameter was refused. */
export function outcomeOf(operation: () => object, keyKind: 'secret' | 'publishable'): Outcome {
  try {
    return { status: 200, body: write(operation(), keyKind), keep: true };
  } catch (error) {
    const { status, body } = error instanceof ApiError ? error : serverError();
    return { status, body: write({ error: body }, keyKind), keep: !(error instanceof ParameterError) };
  }
}

/** The outcome of a request whose operation was not begun. */
export function notBegun(error: unknown): Outcome {
  const thrown = () => {
    throw error;
  };
  return { ...outcomeOf(thrown, 'secret'), keep: false };
}

/** A server error that does not reveal its cause. */
export function serverError(): ApiError {
  return new ApiError(500, { type: 'api_error', message: 'An error occurred in the payment sandbox.' });
}

/** Stripe's refusal of too many requests. https://docs.stripe.com/rate-limits */
export function rateLimited(): ApiError {
  return refusal(429, 'Request rate limit exceeded.', { code: 'rate_limit' });
}
