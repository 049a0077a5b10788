import type { ErrorRequestHandler, RequestHandler, Response } from 'express';

/** The `error` object of Stripe's answers. https://docs.stripe.com/api/errors */
export type ErrorBody = {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  message: string;
  code?: string;
  advice_code?: string;
  decline_code?: string;
  network_advice_code?: string;
  network_decline_code?: string;
  param?: string;
  doc_url?: string;
  charge?: string;
  payment_intent?: object;
  payment_method?: object;
  setup_intent?: object;
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

/** The error for an unknown object id: 404 when the id is in the path, 400 when it is a parameter. */
export function resourceMissing(kind: string, id: string, param?: string): ApiError {
  return new ApiError(param === undefined ? 404 : 400, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${kind}: '${id}'`,
    param: param ?? 'id',
  });
}

/** The error for an operation that the present state of an intent does not allow. */
export function unexpectedState(
  message: string,
  intent: { object: 'payment_intent' | 'setup_intent' },
): ApiError {
  return new ApiError(400, {
    type: 'invalid_request_error',
    code: `${intent.object}_unexpected_state`,
    message,
    [intent.object]: intent,
  });
}

/** Where Stripe documents an error code. */
export function docUrl(code: string): string {
  return `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`;
}

/** An answer as it goes out; `keep` is false when nothing was carried out and the key stays free. */
export type Outcome = { status: number; body: string; keep: boolean };

/** Answers a request that matches no route, in Stripe's words. */
export const answerUnknownUrl: RequestHandler = (request) => {
  const message = `Unrecognized request URL (${request.method}: ${request.path}).`;
  throw new ApiError(404, { type: 'invalid_request_error', message });
};

/** Answers whatever was thrown with Stripe's error envelope. */
export const answerError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  send(response, toOutcome(error));
};

/** A success with this object. */
export function successOutcome(object: object): Outcome {
  return { status: 200, body: JSON.stringify(object, null, 2), keep: true };
}

/** Stripe's error envelope for whatever was thrown, kept unless a parameter was refused. */
export function toOutcome(error: unknown): Outcome {
  const answer = error instanceof ApiError ? error : unexpectedError(error);
  const keep = !(answer instanceof ParameterError);
  return { status: answer.status, body: JSON.stringify({ error: answer.body }, null, 2), keep };
}

/** Sends an outcome; has no effect when the client has gone away. */
export function send(response: Response, outcome: Outcome): void {
  if (outcome.status === 409) response.set('Stripe-Should-Retry', 'true');
  if (outcome.status === 429) response.set('Stripe-Rate-Limited-Reason', 'global-rate');
  response.status(outcome.status).type('application/json').send(outcome.body);
}

/** A server error that does not reveal its cause. */
export function serverError(): ApiError {
  return new ApiError(500, { type: 'api_error', message: 'An error occurred in the payment sandbox.' });
}

/** A body that cannot be parsed is the caller's fault; any other unexpected error is the sandbox's. */
function unexpectedError(error: unknown): ApiError {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  if (status < 400 || status >= 500) return serverError();
  return new ParameterError('The request could not be read.', {}, status);
}
