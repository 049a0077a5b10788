/** The `error` object of Stripe's answers. https://docs.stripe.com/api/errors */
export type ErrorBody = {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  message: string;
  code?: string;
  decline_code?: string;
  param?: string;
  doc_url?: string;
  charge?: string;
  payment_intent?: object;
  payment_method?: object;
};

/** An answer other than success: an HTTP status and Stripe's error envelope. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.name = 'ApiError';
    this.status = status;
    this.body = body.code === undefined ? body : { ...body, doc_url: docUrl(body.code) };
  }
}

/** A parameter that was refused before anything was done; such answers are not kept for idempotent replay. */
export class ParameterError extends ApiError {
  constructor(message: string, details: { param?: string; code?: string }, status = 400) {
    super(status, { type: 'invalid_request_error', message, ...details });
    this.name = 'ParameterError';
  }
}

/** A card that was refused, with the message for the cardholder. */
export function cardError(message: string, details: Omit<ErrorBody, 'type' | 'message'>): ApiError {
  return new ApiError(402, { type: 'card_error', message, ...details });
}

/** An object id that the sandbox does not hold: 404 when the id is in the path, 400 when it is a parameter. */
export function resourceMissing(kind: string, id: string, param?: string): ApiError {
  return new ApiError(param === undefined ? 404 : 400, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${kind}: '${id}'`,
    param: param ?? 'id',
  });
}

/** An operation which the object's present state does not allow. */
export function unexpectedState(message: string, paymentIntent: object): ApiError {
  return new ApiError(400, {
    type: 'invalid_request_error',
    code: 'payment_intent_unexpected_state',
    message,
    payment_intent: paymentIntent,
  });
}

/** Where Stripe documents an error code. */
export function docUrl(code: string): string {
  return `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`;
}
