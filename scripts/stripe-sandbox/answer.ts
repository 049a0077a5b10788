import { isDeepStrictEqual } from 'node:util';
import type { Clock } from './clock.ts';

/** The `error` object of Stripe's answers; other fields describe the attempt. https://docs.stripe.com/api/errors */
export type ErrorBody = {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  message: string;
  code?: string | undefined;
  param?: string | undefined;
  [detail: string]: unknown;
};

export class ApiError extends Error {
  readonly status: number;
  readonly body: ErrorBody;
  readonly headers: Headers;

  constructor(status: number, body: ErrorBody, headers: Headers = {}) {
    super(body.message);
    this.name = 'ApiError';
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

type Headers = Readonly<Record<string, string>>;

/** A parameter that was refused before anything was done; such answers are not kept for idempotent replay. */
export class ParameterError extends ApiError {
  constructor(message: string, details: { param?: string; code?: string } = {}, status = 400) {
    super(status, { type: 'invalid_request_error', message, ...details });
    this.name = 'ParameterError';
  }
}

export function refusal(
  status: number,
  message: string,
  details: Partial<ErrorBody> = {},
  headers?: Headers,
): ApiError {
  return new ApiError(status, { ...details, type: 'invalid_request_error', message }, headers);
}

/** The error for an unknown object id: 404 when the id is in the path, 400 when it is a parameter. */
export function resourceMissing(kind: string, id: string, param?: string): ApiError {
  const details = { code: 'resource_missing', param: param ?? 'id' };
  return refusal(param === undefined ? 404 : 400, `No such ${kind}: '${id}'`, details);
}

export type Outcome = { status: number; body: string; keep: boolean; headers?: Headers };

/** An answer is kept for its idempotency key unless a parameter was refused. */
export function outcomeOf(operation: () => object): Outcome {
  try {
    return { status: 200, body: JSON.stringify(operation()), keep: true };
  } catch (error) {
    const { status, body, headers } = error instanceof ApiError ? error : serverError();
    return {
      status,
      body: JSON.stringify({ error: body }),
      keep: !(error instanceof ParameterError),
      headers,
    };
  }
}

export function notBegun(error: unknown): Outcome {
  const thrown = () => {
    throw error;
  };
  return { ...outcomeOf(thrown), keep: false };
}

function serverError(): ApiError {
  return new ApiError(500, { type: 'api_error', message: 'An error occurred in the payment sandbox.' });
}

/** Stripe advises to repeat the second only: recorded in codecombat issue 2588 and dj-stripe issue 1917. https://docs.stripe.com/rate-limits */
const TOO_MANY = {
  'rate-limit': ['Request rate limit exceeded', { 'Stripe-Rate-Limited-Reason': 'global-rate' }],
  'lock-timeout': [
    'This object cannot be accessed right now because another API request or Stripe process is currently accessing it.',
    { 'Stripe-Should-Retry': 'true' },
  ],
} as const;

/**
 * What goes wrong at Stripe with one request. If the request is carried out, its outcome is saved under its idempotency key,
 * so that a retry gets it without the fault; only `answer-500` it gets too. https://docs.stripe.com/api/idempotent_requests
 */
export type Fault =
  | { kind: 'answer-500'; carryOut: boolean }
  | { kind: 'reset'; carryOut: boolean }
  | { kind: 'late-answer'; until: Promise<unknown> }
  | { kind: keyof typeof TOO_MANY };

/**
 * Called before a request is carried out, unless it is a replay of its idempotency key. It may delay the request, return a
 * fault, or throw: an ApiError is answered with its status, any other error with 500, and then nothing was done.
 */
export type Intercept = (request: {
  method: string;
  path: string;
  keyKind: 'secret' | 'publishable';
  parameters: unknown;
}) => Promise<Fault | undefined> | Fault | undefined;

/** A request whose parameters are refused keeps its answer: nothing was done. */
export function outcomeUnder(fault: Fault | undefined, run: () => Outcome): Outcome {
  if (fault?.kind === 'rate-limit' || fault?.kind === 'lock-timeout') {
    const [message, headers] = TOO_MANY[fault.kind];
    return notBegun(refusal(429, message, { code: fault.kind.replace('-', '_') }, headers));
  }
  const failure = notBegun(serverError());
  if (fault?.kind === 'reset' && !fault.carryOut) return failure;
  if (fault?.kind !== 'answer-500') return run();
  const saved = { ...failure, keep: true };
  const hidden = fault.carryOut ? run() : saved;
  return hidden.keep ? saved : hidden;
}

const KEPT_MS = 24 * 60 * 60 * 1000;

type Execution = { outcome: Outcome; fault: Fault | undefined; isReplay: boolean };

type KeyedRequest = { key: string; path: string; parameters: unknown };

type Entry = { path: string; parameters: unknown; startedAtMs: number; outcome: Outcome | null };

/** Kept for 24 hours of the business time. https://docs.stripe.com/api/idempotent_requests */
export class IdempotencyKeys {
  readonly #entries = new Map<string, Entry>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async run(request: KeyedRequest, execute: () => Promise<Execution>): Promise<Execution> {
    const { key, path, parameters } = request;
    const now = this.#clock.now();
    const first = this.#entries.get(key);
    if (first && (first.outcome === null || now - first.startedAtMs < KEPT_MS)) {
      return { outcome: repeat(first, path, parameters), fault: undefined, isReplay: true };
    }
    const entry: Entry = { path, parameters, startedAtMs: now, outcome: null };
    this.#entries.set(key, entry);
    try {
      const execution = await execute();
      entry.outcome = execution.outcome;
      return execution;
    } finally {
      if (!entry.outcome?.keep) this.#entries.delete(key);
    }
  }
}

function repeat(first: Entry, path: string, parameters: unknown): Outcome {
  if (first.path !== path || !isDeepStrictEqual(first.parameters, parameters)) {
    const message = 'Keys for idempotent requests can only be used with the same path and parameters.';
    throw new ApiError(400, { type: 'idempotency_error', message });
  }
  if (first.outcome) return first.outcome;
  const message = 'There is currently another in-progress request using this Idempotent Key.';
  throw refusal(409, message, { code: 'idempotency_key_in_use' }, { 'Stripe-Should-Retry': 'true' });
}
