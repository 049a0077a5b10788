import { notBegun, type Outcome, rateLimited, serverError } from './answer.ts';

/**
 * What goes wrong at Stripe with one request, as the README tells. If the request is carried out, its outcome is saved
 * under its idempotency key, so that a retry gets this outcome, without the fault; only `answer-500` it gets too.
 * https://docs.stripe.com/api/idempotent_requests, https://docs.stripe.com/rate-limits
 */
export type Fault =
  | { kind: 'answer-500'; carryOut: boolean }
  | { kind: 'reset'; carryOut: boolean }
  | { kind: 'late-answer'; until: Promise<unknown> }
  | { kind: 'rate-limit' }
  | { kind: 'hang' };

/**
 * Called before a request is carried out, unless the request is a replay of its idempotency key. It may delay
 * the request, whose key is in use meanwhile; return a fault; or throw: an ApiError is answered with its
 * status, any other error with 500, and then nothing was done, and the key stays free.
 */
export type Intercept = (request: {
  method: string;
  path: string;
  /** `publishable` for a request of a browser. */
  keyKind: 'secret' | 'publishable';
  /** As they were sent: the form of a POST, otherwise the query. */
  parameters: unknown;
}) => Promise<Fault | undefined> | Fault | undefined;

/** The outcome of a request under a fault. A request whose parameters are refused keeps its answer: nothing was done. */
export function outcomeUnder(fault: Fault | undefined, run: () => Outcome): Outcome {
  if (fault?.kind === 'rate-limit') return notBegun(rateLimited());
  const failure = notBegun(serverError());
  if (fault?.kind === 'hang' || (fault?.kind === 'reset' && !fault.carryOut)) return failure;
  if (fault?.kind !== 'answer-500') return run();
  const saved = { ...failure, keep: true };
  const hidden = fault.carryOut ? run() : saved;
  return hidden.keep ? saved : hidden;
}
