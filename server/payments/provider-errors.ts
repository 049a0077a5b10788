import Stripe from 'stripe';
import { AppError } from '#server/http/app-error.ts';
import { unreadablePayment } from '#server/record/acts.ts';
import { messages, PROVIDER_BUSY } from '#shared/registration.ts';

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
  throw new AppError({ ...answerTo(error), cause: withoutProviderWords(error) });
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

const REGISTRATION_CHANGED = {
  code: 'registration_changed',
  status: 409,
  message: 'This registration was already started with other details',
};

/** Error for a key that was used with other details. */
export function registrationChanged(): AppError {
  return new AppError(REGISTRATION_CHANGED);
}

function answerTo(error: unknown) {
  const message = messages.unexpected;
  if (error instanceof Stripe.errors.StripeConnectionError) {
    return { code: 'payment_provider_unreachable', status: 504, message };
  }
  if (error instanceof Stripe.errors.StripeRateLimitError) return BUSY;
  if (isUsedOtherwise(error)) return REGISTRATION_CHANGED;
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

/** Whether Stripe knows no such object. */
export function isMissing(error: unknown): boolean {
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
  if (metadata[CLOSED_MARK]) {
    return new AppError({ code: 'registration_closed', status: 409, message: messages.registrationClosed });
  }
  if (cancellation_reason === TOO_MANY_FAILURES) {
    return new AppError({ code: 'payment_closed', status: 409, message: messages.paymentClosed });
  }
  return new AppError({ code: 'payment_canceled', status: 409, message: messages.paymentCanceled });
}

/** Error for a browser that has the page of a person open who has paid: is this somebody else? Nothing was made. */
export function registeredBefore(): AppError {
  return new AppError({ code: 'registered_before', status: 409, message: messages.registeredBefore });
}

/** The same for a payment of this site whose kind, edition or package this release does not know. */
export function unknownPayment({ id, metadata }: Stripe.PaymentIntent): AppError {
  const { kind, edition, package: packageId } = metadata;
  return unreadablePayment(
    `${id} is a payment of this site for ${kind} ${edition} ${packageId}, unknown here`,
  );
}

/** Error for changing the registrant of a paid registration. */
export function alreadyPaid(): AppError {
  return new AppError({ code: 'already_paid', status: 409, message: messages.alreadyPaid });
}

/** Error for a client secret that does not belong to the intent it names. */
export function notYours(): AppError {
  return new AppError({
    code: 'registration_not_found',
    status: 409,
    message: 'This registration cannot be continued. Please start again',
  });
}

/** Error for agreeing to terms that the payment's edition never had, or that this release does not know yet. */
export function unknownTerms(): AppError {
  return new AppError({ code: 'unknown_terms', status: 409, message: messages.unexpected });
}

/** Error for a webhook whose signature does not match its body. */
export function invalidSignature(cause: unknown): AppError {
  return new AppError({
    code: 'invalid_signature',
    status: 400,
    message: 'The signature does not match',
    cause,
  });
}
