import { type Outcome, serverError, toOutcome } from './answer.ts';

/**
 * What goes wrong at Stripe with one request. Whatever is carried out has its outcome saved under the request's
 * idempotency key, so that a retry is answered with it, undisturbed.
 *
 * - `answer-500`: the answer is a server error, and it is what a retry with the same key gets, whether the request was
 *   carried out or not. https://docs.stripe.com/api/idempotent_requests
 * - `reset`: the connection breaks without an answer, after the request was carried out or before. Clients may by
 *   themselves try once more, as the SDK does.
 * - `late-answer`: the request is carried out at once and answered when the promise resolves.
 * - `rate-limit`: 429; nothing is done or saved. https://docs.stripe.com/rate-limits
 * - `hang`: nothing is done or saved, and no answer comes for as long as the connection is open.
 */
export type Fault =
  | { kind: 'answer-500'; carryOut: boolean }
  | { kind: 'reset'; carryOut: boolean }
  | { kind: 'late-answer'; until: Promise<unknown> }
  | { kind: 'rate-limit' }
  | { kind: 'hang' };

/**
 * Called before a request is carried out, unless an idempotency key answers it. It may hold the request up, its
 * key being in use meanwhile; return what goes wrong with it; or throw, an ApiError for its status and anything else
 * for a 500: then nothing was done, and the key stays free.
 */
export type Intercept = (request: {
  method: string;
  path: string;
  /** `publishable` for what a browser asks. */
  keyKind: 'secret' | 'publishable';
  /** As they were sent: of a POST its form, else the query. */
  parameters: unknown;
}) => Promise<Fault | undefined> | Fault | undefined;

/** What is answered under a fault. A request whose parameters are refused is not carried out: its answer stays. */
export function outcomeUnder(fault: Fault | undefined, run: () => Outcome): Outcome {
  const failure = toOutcome(serverError());
  const nothingDone = { ...failure, keep: false };
  if (fault?.kind === 'hang') return nothingDone;
  if (fault?.kind === 'reset' && !fault.carryOut) return nothingDone;
  if (fault?.kind !== 'answer-500') return run();
  const hidden = fault.carryOut ? run() : failure;
  return hidden.keep ? failure : hidden;
}
