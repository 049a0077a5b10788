import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { ApiError, ParameterError } from './api-error.ts';
import type { Outcome } from './idempotency.ts';

/** Answers in Stripe's words what no route takes. */
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

/** Sends an outcome, to nobody when the client has gone away. */
export function send(response: Response, outcome: Outcome): void {
  if (outcome.status === 409) response.set('Stripe-Should-Retry', 'true');
  if (outcome.status === 429) response.set('Stripe-Rate-Limited-Reason', 'global-rate');
  response.status(outcome.status).type('application/json').send(outcome.body);
}

/** The server error that hides its cause. */
export function serverError(): ApiError {
  return new ApiError(500, { type: 'api_error', message: 'An error occurred in the payment sandbox.' });
}

/** A body that cannot be parsed is the caller's fault; all else is the sandbox's. */
function unexpectedError(error: unknown): ApiError {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  if (status < 400 || status >= 500) return serverError();
  return new ParameterError('The request could not be read.', {}, status);
}
