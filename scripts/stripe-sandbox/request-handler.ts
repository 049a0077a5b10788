import type { Request, RequestHandler, Response } from 'express';
import type { ApiCall, Endpoint } from './account.ts';
import { ApiError, type Outcome, ParameterError, send, successOutcome, toOutcome } from './answer.ts';
import { type Intercept, outcomeUnder } from './fault.ts';
import type { Execution, IdempotencyKeys, KeyedExecution } from './idempotency.ts';
import { rateLimited } from './throttle.ts';

/** The two keys of the sandbox's only account. */
export type ApiKeys = { secretKey: string; publishableKey: string };

/** What all requests to the API have in common. */
export type HandlerOptions = { keys: ApiKeys; apiVersion: string; intercept: Intercept };

/** How one route is served. */
export type Route = {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** Whether a browser may call it, with the publishable key. */
  browser: boolean;
  endpoint: Endpoint;
};

/**
 * Serves a route: authenticates the caller, carries the request out once for its idempotency key, and
 * answers.
 */
export function createHandler(
  route: Route,
  idempotency: IdempotencyKeys,
  options: HandlerOptions,
): RequestHandler {
  return async (request, response) => {
    const call = readCall(request, response, route, options);
    const { method, path } = request;
    const intercept = () =>
      options.intercept({ method, path, keyKind: call.keyKind, parameters: call.parameters });
    const execute = () => carryOut(route.endpoint, call, intercept);
    const execution = await runOnce(idempotency, path, call, execute);
    setIdempotencyHeaders(response, call, execution);
    const { outcome, fault } = execution;
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'reset') {
      request.socket.resetAndDestroy();
      return;
    }
    if (fault?.kind === 'late-answer') await fault.until;
    send(response, outcome);
  };
}

function readCall(request: Request, response: Response, route: Route, options: HandlerOptions): ApiCall {
  checkVersion(request, options.apiVersion);
  const keyKind = authenticate(request.get('authorization'), options.keys);
  if (keyKind === 'publishable' && !route.browser) throw secretKeyRequired();
  const { id = '', ownerId = '' } = request.params;
  const posted = request.method === 'POST';
  return {
    keyKind,
    id: String(id),
    ownerId: String(ownerId),
    parameters: posted ? (request.body ?? {}) : request.query,
    requestId: String(response.getHeader('Request-Id')),
    idempotencyKey: (posted ? request.get('idempotency-key') : undefined) ?? null,
  };
}

async function runOnce(
  idempotency: IdempotencyKeys,
  path: string,
  call: ApiCall,
  execute: () => Promise<Execution>,
): Promise<KeyedExecution> {
  const { keyKind, idempotencyKey, parameters, requestId } = call;
  if (idempotencyKey === null) return { ...(await execute()), replayOf: null };
  return idempotency.run({ key: `${keyKind} ${idempotencyKey}`, path, parameters, requestId }, execute);
}

function setIdempotencyHeaders(response: Response, call: ApiCall, execution: KeyedExecution): void {
  if (call.idempotencyKey === null) return;
  const { outcome, replayOf } = execution;
  response.set({ 'Idempotency-Key': call.idempotencyKey, 'Original-Request': replayOf ?? call.requestId });
  if (replayOf !== null) response.set('Idempotent-Replayed', 'true');
  if (outcome.status >= 500 && outcome.keep) response.set('Stripe-Should-Retry', 'false');
}

async function carryOut(
  endpoint: Endpoint,
  call: ApiCall,
  intercept: () => ReturnType<Intercept>,
): Promise<Execution> {
  try {
    const fault = await intercept();
    if (fault?.kind === 'rate-limit') throw rateLimited();
    return { outcome: outcomeUnder(fault, () => runEndpoint(endpoint, call)), fault };
  } catch (error) {
    return { outcome: { ...toOutcome(error), keep: false }, fault: undefined };
  }
}

function runEndpoint(endpoint: Endpoint, call: ApiCall): Outcome {
  try {
    return successOutcome(endpoint(call));
  } catch (error) {
    return toOutcome(error);
  }
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

/**
 * The kind of the key in an Authorization header, as bearer token or as basic user name. Throws 401 for a
 * missing or unknown key.
 */
function authenticate(header: string | undefined, keys: ApiKeys): 'secret' | 'publishable' {
  const key = readKey(header);
  if (key === '') {
    throw unauthorized(
      'You did not provide an API key: send it as the bearer token of the Authorization header.',
    );
  }
  if (key === keys.secretKey) return 'secret';
  if (key === keys.publishableKey) return 'publishable';
  throw unauthorized(`Invalid API Key provided: ${key.slice(0, 8)}****${key.slice(-4)}`);
}

function readKey(header: string | undefined): string {
  const [scheme = '', credentials = ''] = (header ?? '').split(' ');
  if (scheme.toLowerCase() === 'bearer') return credentials;
  if (scheme.toLowerCase() !== 'basic') return '';
  return Buffer.from(credentials, 'base64').toString('utf8').split(':')[0] ?? '';
}

function unauthorized(message: string): ApiError {
  return new ApiError(401, { type: 'invalid_request_error', message });
}
