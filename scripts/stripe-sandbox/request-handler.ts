import type { Request, RequestHandler, Response } from 'express';
import type { ApiCall, Endpoint } from './account.ts';
import { send, serverError, successOutcome, toOutcome } from './answer.ts';
import { ApiError, ParameterError } from './api-error.ts';
import { type ApiKeys, authenticate } from './authentication.ts';
import { type Fault, type Intercept, rateLimited } from './fault.ts';
import type { Execution, IdempotencyKeys, KeyedExecution, Outcome } from './idempotency.ts';

/** What all requests to the API have in common. */
export type HandlerOptions = { keys: ApiKeys; apiVersion: string; intercept: Intercept };

/** How one route is served. */
export type Route = {
  method: 'GET' | 'POST';
  path: string;
  /** Whether a browser may call it, with the publishable key. */
  browser: boolean;
  endpoint: Endpoint;
};

/** Serves a route: checks who calls, carries the request out once for its idempotency key, and answers. */
export function createHandler(
  route: Route,
  idempotency: IdempotencyKeys,
  options: HandlerOptions,
): RequestHandler {
  return async (request, response) => {
    const call = readCall(request, response, route, options);
    const execute = () => carryOut(route.endpoint, call, () => options.intercept(request));
    const execution = await runOnce(idempotency, request.path, call, execute);
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
  const { id = '' } = request.params;
  const posted = request.method === 'POST';
  return {
    keyKind,
    id: String(id),
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

/** A request with refused parameters is none that was carried out: its answer stays what it is. */
function outcomeUnder(fault: Fault | undefined, run: () => Outcome): Outcome {
  const failure = toOutcome(serverError());
  const nothingDone = { ...failure, keep: false };
  if (fault?.kind === 'hang') return nothingDone;
  if (fault?.kind === 'reset' && !fault.carryOut) return nothingDone;
  if (fault?.kind !== 'answer-500') return run();
  const hidden = fault.carryOut ? run() : failure;
  return hidden.keep ? failure : hidden;
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
