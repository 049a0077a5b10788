import Stripe from 'stripe';
import { refused } from '#server/registration/registration.ts';
import { AppError, noRoom } from '#server/web/app-error.ts';
import { messages } from '#shared/registration.ts';

/** Not counting those that Stripe only replays. */
const MOST_FAILURES = 3;
const MOST_KEYS = 12;

/**
 * Carries out a request once, under an idempotency key. Stripe forgets a key after a day, so a request that may have been made
 * before is looked up first. It saves a 500 under the key, whether it carried out the request or not: then, too, the result is
 * looked up, and if there is none, the next key is used. A replayed answer may be out of date, so it is looked up as well.
 * @param isFirstTry whether nobody has asked for it before
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
      const answer = await write(number === 1 ? key : `${key}-${number}`);
      return (wasReplayed(answer) && (await lookUp())) || answer;
    } catch (error) {
      if (!isServerFailure(error) && !isUsedOtherwise(error)) throw error;
      const done = await lookUp();
      if (done) return done;
      if (error.headers?.[REPLAYED] !== 'true') failures += 1;
      if (failures >= MOST_FAILURES || number >= MOST_KEYS) throw error;
    }
  }
}

export function idOf(named: string | { id: string }): string;
export function idOf(named: string | { id: string } | null | undefined): string | undefined;
export function idOf(named: string | { id: string } | null | undefined): string | undefined {
  return typeof named === 'string' ? named : named?.id;
}

export const inSeconds = (moment: Date): number => Math.floor(moment.getTime() / 1000);
export const momentOf = (seconds: number): Date => new Date(seconds * 1000);

/** A reason of Stripe's for cancelling, used for nothing else. */
export const TOO_MANY_FAILURES = 'abandoned';

export function toAppError(error: unknown): never {
  if (error instanceof AppError) throw error;
  throw new AppError({ ...answerTo(error), cause: withoutProviderWords(error) });
}

/** For the log. Stripe's own message is left out: it may repeat what the visitor typed. */
function withoutProviderWords(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const { type, code, param, requestId } = error;
  const facts = [type, code, param && `parameter ${param}`, requestId && `request ${requestId}`];
  return new Error(`Stripe: ${facts.filter(Boolean).join(', ')}`);
}

const PROVIDER_BUSY = 'payment_provider_busy';

/** Stripe answered 429, or is at the same request from elsewhere: the same may be asked later. */
export function isThrottled(error: unknown): boolean {
  return error instanceof AppError && error.code === PROVIDER_BUSY;
}

function answerTo(error: unknown) {
  const message = messages.unexpected;
  if (error instanceof Stripe.errors.StripeConnectionError)
    return { code: 'payment_provider_unreachable', status: 504, message };
  if (error instanceof Stripe.errors.StripeRateLimitError || isKeyInUse(error)) return noRoom(PROVIDER_BUSY);
  if (
    error instanceof Stripe.errors.StripeInvalidRequestError &&
    ['email', 'receipt_email'].includes(error.param ?? '')
  ) {
    const fields = { email: messages.emailInvalid };
    return { code: 'invalid_request', status: 400, message: messages.checkDetails, fields };
  }
  return { code: 'payment_provider_error', status: 502, message };
}

export function isKeyInUse(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeError && error.code === 'idempotency_key_in_use';
}

function isUsedOtherwise(error: unknown): error is Stripe.errors.StripeError {
  return error instanceof Stripe.errors.StripeIdempotencyError && !isKeyInUse(error);
}

export function isServerFailure(error: unknown): error is Stripe.errors.StripeError {
  return error instanceof Stripe.errors.StripeAPIError && (error.statusCode ?? 0) >= 500;
}

const REPLAYED = 'idempotent-replayed';

function wasReplayed(answer: object | Stripe.Response<object>): boolean {
  return 'lastResponse' in answer && answer.lastResponse.headers[REPLAYED] === 'true';
}

function unless(...codes: readonly string[]) {
  return <Answer>(answer: Promise<Answer>): Promise<Answer | undefined> =>
    answer.catch((error: unknown) => {
      if (isRefusal(error, codes)) return undefined;
      throw error;
    });
}

function isRefusal(
  error: unknown,
  codes: readonly string[],
): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof Stripe.errors.StripeInvalidRequestError && codes.includes(error.code ?? '');
}

/** Somebody has deleted it at Stripe. */
export function isCustomerMissing(error: unknown): boolean {
  return isRefusal(error, ['resource_missing']) && error.param === 'customer';
}

const UNEXPECTED_STATE = ['payment_intent_unexpected_state', 'setup_intent_unexpected_state'];

export function isUnexpectedState(error: unknown): boolean {
  return isRefusal(error, UNEXPECTED_STATE);
}

export const unlessRefused = <Answer>(answer: Promise<Answer>): Promise<Answer | undefined> =>
  answer.catch((error: unknown) => {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return undefined;
    throw error;
  });

/** Undefined where Stripe knows no such object. */
export const ifThere = unless('resource_missing');
export const ifStillOpen = unless(...UNEXPECTED_STATE);

export function depositClosed({ cancellation_reason }: Stripe.PaymentIntent): AppError {
  return refused(cancellation_reason === TOO_MANY_FAILURES ? 'payment_closed' : 'payment_canceled');
}
