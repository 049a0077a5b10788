import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import { AppError, noRoom } from '#server/http/app-error.ts';
import { unreadablePayment } from '#server/registration/acts.ts';
import { refused } from '#server/registration/refusals.ts';
import { messages } from '#shared/registration.ts';

/** Not counting those that Stripe only replays. */
const MOST_FAILURES = 3;
const MOST_KEYS = 12;

/** While the same request is in flight elsewhere. */
const TURN_TIMEOUT_MS = 8_000;
const TURN_POLL_MS = 250;

/**
 * Carries out a request once, under an idempotency key. Stripe forgets a key after a day: so where it may have been asked
 * for before, the result is looked up first. Stripe saves a 500 under the key, whether it carried out the request or not,
 * and replays it until then: so after a 500 the result is looked up, and if there is none, the next key is used. Concurrent
 * callers use the same keys in the same order. A replayed answer may be out of date, so then the result is looked up too.
 * @param lookUp reads the result of the request as it is now; undefined if it was not carried out
 * @param isFirstTry whether nobody has asked for it before
 * @throws {Stripe.errors.StripeError} for every other error of Stripe: the same call later resumes where this
 *   one stopped
 * @see https://docs.stripe.com/api/idempotent_requests
 */
export async function writeOnce<Result extends object>(
  key: string,
  write: (idempotencyKey: string) => Promise<Result>,
  lookUp: () => Promise<Result | undefined>,
  isFirstTry: boolean,
): Promise<Result> {
  const before = isFirstTry ? undefined : await lookUp();
  if (before) return before;
  let failures = 0;
  for (let number = 1; ; number += 1) {
    try {
      const answer = await inTurn(() => write(number === 1 ? key : `${key}-${number}`));
      return (wasReplayed(answer) && (await lookUp())) || answer;
    } catch (error) {
      if (!isServerFailure(error) && !isUsedOtherwise(error)) throw error;
      const done = await lookUp();
      if (done) return done;
      if (!isReplayed(error)) failures += 1;
      if (failures >= MOST_FAILURES || number >= MOST_KEYS) throw error;
    }
  }
}

/** While the same request is in flight from elsewhere, such as another tab, waits for its answer. */
export async function inTurn<Made>(make: () => Promise<Made>): Promise<Made> {
  const deadline = Date.now() + TURN_TIMEOUT_MS;
  for (;;) {
    try {
      return await untraced(make);
    } catch (error) {
      if (!isKeyInUse(error) || Date.now() > deadline) throw error;
      await pause(TURN_POLL_MS);
    }
  }
}

/** A payment as Stripe has it now; undefined when there is none of this id. */
export function retrieveIntent(
  stripe: Stripe,
  id: string,
  expand: readonly string[] = [],
): Promise<Stripe.PaymentIntent | undefined> {
  return ifThere(untraced(() => stripe.paymentIntents.retrieve(id, { expand: [...expand] })));
}

/** The id of what Stripe names, expanded or not. */
export function idOf(named: string | { id: string } | null | undefined): string | undefined {
  return typeof named === 'string' ? named : named?.id;
}

/** A moment as Stripe counts it. */
export const inSeconds = (moment: Date): number => Math.floor(moment.getTime() / 1000);

/**
 * Makes a Stripe call without the stack trace that the SDK captures with each call in case of an error; no
 * log shows it (see `toAppError`). For calls that every registration makes: with source maps the traces take
 * a tenth of a registration's CPU time. Budget: a registration's own time, 10 ms at p99.
 */
export function untraced<Answer>(call: () => Answer): Answer {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return call();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Stripe's cancellation reason for a payment on which too many attempts failed; used for nothing else. */
export const TOO_MANY_FAILURES = 'abandoned';

/** In the metadata of a payment that was cancelled because the registration window is over. */
export const CLOSED_MARK = 'closed';

/**
 * Turns what the Stripe SDK throws into the answer this site gives.
 * @see https://docs.stripe.com/error-handling
 * @throws {AppError} always
 */
export function toAppError(error: unknown): never {
  if (error instanceof AppError) throw error;
  const cause = withoutProviderWords(error);
  if (isUsedOtherwise(error)) throw refused('registration_changed', cause);
  throw new AppError({ ...answerTo(error), cause });
}

/**
 * For the log: which request failed and how. Stripe's own message is left out: it may repeat what the visitor
 * typed.
 */
function withoutProviderWords(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { type, code, param, requestId } = error;
  const facts = [type, code, param && `parameter ${param}`, requestId && `request ${requestId}`];
  return new Error(`Stripe: ${facts.filter(Boolean).join(', ')}`);
}

const PROVIDER_BUSY = 'payment_provider_busy';

/** Whether Stripe answered 429: it did nothing, and saved nothing under the key. The same may be asked later. */
export function isThrottled(error: unknown): boolean {
  return error instanceof AppError && error.code === PROVIDER_BUSY;
}

/** Stripe's names for the registrant's e-mail address. */
const EMAIL_PARAMETERS = new Set(['email', 'receipt_email']);

function answerTo(error: unknown) {
  const message = messages.unexpected;
  if (error instanceof Stripe.errors.StripeConnectionError) {
    return { code: 'payment_provider_unreachable', status: 504, message };
  }
  if (error instanceof Stripe.errors.StripeRateLimitError) return noRoom(PROVIDER_BUSY);
  if (error instanceof Stripe.errors.StripeInvalidRequestError && EMAIL_PARAMETERS.has(error.param ?? '')) {
    const fields = { email: messages.emailInvalid };
    return { code: 'invalid_request', status: 400, message: messages.checkDetails, fields };
  }
  return { code: 'payment_provider_error', status: 502, message };
}

/** Whether the same request is in flight from elsewhere. */
export function isKeyInUse(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'idempotency_key_in_use';
}

export function isUsedOtherwise(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeIdempotencyError && !isKeyInUse(error);
}

/** Whether Stripe itself failed: the request may have been carried out or not. */
function isServerFailure(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeAPIError && (error.statusCode ?? 0) >= 500;
}

/** Whether an answer is a replay of an earlier one under the same idempotency key. */
function wasReplayed(answer: object | Stripe.Response<object>): boolean {
  return 'lastResponse' in answer && answer.lastResponse.headers['idempotent-replayed'] === 'true';
}

export function isReplayed(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.headers?.['idempotent-replayed'] === 'true';
}

/** What Stripe answers; undefined where it knows no such object. */
export function ifThere<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  return answer.catch((error: unknown) => {
    const isMissing =
      error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing';
    if (isMissing) return undefined;
    throw error;
  });
}

/** What Stripe answers; undefined where the intent succeeded or was cancelled meanwhile. */
export function ifStillOpen<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  return answer.catch((error: unknown) => {
    if (isUnexpectedState(error)) return undefined;
    throw error;
  });
}

/** Whether Stripe refused it because of the intent's state: it succeeded or was cancelled meanwhile. */
export function isUnexpectedState(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError &&
    (error.code === 'payment_intent_unexpected_state' || error.code === 'setup_intent_unexpected_state')
  );
}

export function depositClosed({ metadata, cancellation_reason }: Stripe.PaymentIntent): AppError {
  if (metadata[CLOSED_MARK]) return refused('registration_closed');
  return refused(cancellation_reason === TOO_MANY_FAILURES ? 'payment_closed' : 'payment_canceled');
}

/** A 500 for a payment of this site whose kind, edition or package this release does not know. */
export function unknownPayment({ id, metadata }: Stripe.PaymentIntent): AppError {
  const { kind, edition, package: packageId } = metadata;
  return unreadablePayment(
    `${id} is a payment of this site for ${kind} ${edition} ${packageId}, unknown here`,
  );
}

/** Error for a webhook whose signature does not match its body. */
export function invalidSignature(cause: unknown): AppError {
  const message = 'The signature does not match';
  return new AppError({ code: 'invalid_signature', status: 400, message, cause });
}
