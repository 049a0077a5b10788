import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import type { Account, ApiCall, Endpoint } from './account.ts';
import { ApiError, ParameterError } from './api-error.ts';
import { type ApiKeys, authenticate } from './authentication.ts';
import { allowLoopbackOrigins } from './cross-origin.ts';
import { customerEndpoints } from './customers.ts';
import { IdempotencyKeys, type Outcome } from './idempotency.ts';
import { paymentConfirmationEndpoints } from './payment-confirmation.ts';
import { paymentIntentEndpoints } from './payment-intents.ts';
import { paymentMethodEndpoints } from './payment-methods.ts';

/**
 * Called before a request is carried out: to hold it up, or to make it fail by throwing, an ApiError for its status and
 * anything else for a 500. Nothing was done then, so the idempotency key stays free.
 */
export type Intercept = (request: { method: string; path: string }) => Promise<void> | void;

type ApiOptions = {
  account: Account;
  keys: ApiKeys;
  apiVersion: string;
  intercept: Intercept;
  now: () => number;
};

type Route = {
  method: 'GET' | 'POST';
  path: string;
  /** Whether a browser may call it, with the publishable key. */
  browser: boolean;
  endpoint: Endpoint;
};

function routes(account: Account): Route[] {
  const customers = customerEndpoints(account);
  const methods = paymentMethodEndpoints(account);
  const intents = paymentIntentEndpoints(account);
  const confirmation = paymentConfirmationEndpoints(account);
  const get = (path: string, endpoint: Endpoint): Route => ({
    method: 'GET',
    path,
    browser: false,
    endpoint,
  });
  const post = (path: string, endpoint: Endpoint): Route => ({
    method: 'POST',
    path,
    browser: false,
    endpoint,
  });
  const fromBrowser = (route: Route): Route => ({ ...route, browser: true });
  return [
    post('/v1/customers', customers.create),
    get('/v1/customers', customers.list),
    get('/v1/customers/:id', customers.retrieve),
    post('/v1/customers/:id', customers.update),
    fromBrowser(post('/v1/payment_methods', methods.create)),
    get('/v1/payment_methods/:id', methods.retrieve),
    post('/v1/payment_intents', intents.create),
    get('/v1/payment_intents', intents.list),
    fromBrowser(get('/v1/payment_intents/:id', intents.retrieve)),
    post('/v1/payment_intents/:id', intents.update),
    post('/v1/payment_intents/:id/cancel', intents.cancel),
    fromBrowser(post('/v1/payment_intents/:id/confirm', confirmation.confirm)),
    fromBrowser(post('/sandbox/payment_intents/:id/challenge', confirmation.answerChallenge)),
  ];
}

/** The part of Stripe's API that the sandbox speaks, as an Express router. */
export function createApi(options: ApiOptions): express.Router {
  const api = express.Router();
  const idempotency = new IdempotencyKeys(options.now);
  api.use(allowLoopbackOrigins, express.urlencoded({ extended: true }));
  for (const route of routes(options.account)) {
    const handler = createHandler(route, idempotency, options);
    if (route.method === 'GET') api.get(route.path, handler);
    else api.post(route.path, handler);
  }
  return api;
}

/** Answers in Stripe's words what no route takes. */
export const answerUnknownUrl: RequestHandler = (request) => {
  const message = `Unrecognized request URL (${request.method}: ${request.path}).`;
  throw new ApiError(404, { type: 'invalid_request_error', message });
};

/** Answers whatever was thrown with Stripe's error envelope. */
export const answerError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  send(response, toOutcome(error));
};

function createHandler(route: Route, idempotency: IdempotencyKeys, options: ApiOptions): RequestHandler {
  return async (request, response) => {
    checkVersion(request, options.apiVersion);
    const keyKind = authenticate(request.get('authorization'), options.keys);
    if (keyKind === 'publishable' && !route.browser) throw secretKeyRequired();
    const key = request.method === 'POST' ? request.get('idempotency-key') : undefined;
    const { id = '' } = request.params;
    const call: ApiCall = {
      keyKind,
      id: String(id),
      parameters: request.method === 'POST' ? (request.body ?? {}) : request.query,
      requestId: String(response.getHeader('Request-Id')),
      idempotencyKey: key ?? null,
    };
    const execute = () => carryOut(route.endpoint, call, () => options.intercept(request));
    if (key === undefined) return send(response, await execute());
    const { outcome, replayOf } = await idempotency.run(
      {
        key: `${keyKind} ${key}`,
        path: request.path,
        parameters: call.parameters,
        requestId: call.requestId,
      },
      execute,
    );
    response.set({ 'Idempotency-Key': key, 'Original-Request': replayOf ?? call.requestId });
    if (replayOf !== null) response.set('Idempotent-Replayed', 'true');
    send(response, outcome);
  };
}

async function carryOut(
  endpoint: Endpoint,
  call: ApiCall,
  before: () => Promise<void> | void,
): Promise<Outcome> {
  try {
    await before();
  } catch (error) {
    return { ...toOutcome(error), keep: false };
  }
  try {
    return { status: 200, body: JSON.stringify(endpoint(call), null, 2), keep: true };
  } catch (error) {
    return toOutcome(error);
  }
}

function toOutcome(error: unknown): Outcome {
  const answer = error instanceof ApiError ? error : unexpectedError(error);
  const keep = !(answer instanceof ParameterError);
  return { status: answer.status, body: JSON.stringify({ error: answer.body }, null, 2), keep };
}

/** A body that cannot be parsed is the caller's fault; all else is the sandbox's. */
function unexpectedError(error: unknown): ApiError {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  if (status >= 400 && status < 500) {
    return new ParameterError('The request could not be read.', {}, status);
  }
  return new ApiError(500, { type: 'api_error', message: 'An error occurred in the payment sandbox.' });
}

function send(response: Response, outcome: Outcome): void {
  if (outcome.status === 409) response.set('Stripe-Should-Retry', 'true');
  response.status(outcome.status).type('application/json').send(outcome.body);
}

function checkVersion(request: Request, apiVersion: string): void {
  const asked = request.get('stripe-version');
  if (asked === undefined || asked === apiVersion) return;
  throw new ParameterError(`Invalid Stripe API version: the sandbox speaks ${apiVersion} only.`, {});
}

function secretKeyRequired(): ApiError {
  return new ApiError(403, {
    type: 'invalid_request_error',
    code: 'secret_key_required',
    message: 'This API call cannot be made with a publishable API key. Please use a secret API key.',
  });
}
