import Stripe from 'stripe';
import { AppError } from '#server/http/app-error.ts';
import { unreadablePayment } from '#server/record/acts.ts';
import { messages, PROVIDER_BUSY } from '#shared/registration.ts';
import { refused } from './refusals.ts';

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

/**
 * The same request may be made a little later: Stripe did nothing, and saved nothing under the idempotency
 * key.
 */
const BUSY = { code: PROVIDER_BUSY, status: 503, message: messages.providerBusy, retryAfterS: 10 };

/** Error for a visitor who has to wait while Stripe throttles. */
export function providerBusy(retryAfterS: number): AppError {
  return new AppError({ ...BUSY, retryAfterS });
}

/** Stripe's names for the registrant's e-mail address. */
const EMAIL_PARAMETERS = new Set(['email', 'receipt_email']);

function answerTo(error: unknown) {
  const message = messages.unexpected;
  if (error instanceof Stripe.errors.StripeConnectionError) {
    return { code: 'payment_provider_unreachable', status: 504, message };
  }
  if (error instanceof Stripe.errors.StripeRateLimitError) return BUSY;
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

/** Whether the idempotency key was used with other details. */
export function isUsedOtherwise(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeIdempotencyError && !isKeyInUse(error);
}

/** Whether Stripe itself failed: the request may have been carried out or not. */
export function isServerFailure(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeAPIError && (error.statusCode ?? 0) >= 500;
}

/** Whether an answer is a replay of an earlier one under the same idempotency key. */
export function wasReplayed(answer: object | Stripe.Response<object>): boolean {
  return 'lastResponse' in answer && answer.lastResponse.headers['idempotent-replayed'] === 'true';
}

/** Whether an error is such a replay. */
export function isReplayed(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.headers?.['idempotent-replayed'] === 'true';
}

/** What Stripe answers; undefined where it knows no such object. */
export function ifThere<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  return answer.catch((error: unknown) => {
    if (isMissing(error)) return undefined;
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

/** Whether Stripe knows no such object. */
function isMissing(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing';
}

/** Whether Stripe refused it because of the intent's state: it succeeded or was cancelled meanwhile. */
export function isUnexpectedState(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError &&
    (error.code === 'payment_intent_unexpected_state' || error.code === 'setup_intent_unexpected_state')
  );
}

/** Error for a cancelled payment, with the reason as far as this site cancelled it. */
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
