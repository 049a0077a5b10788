import * as v from 'valibot';
import { endWait, waitVisibly } from '#client/registration/steps/turn-notice.tsx';
import {
  type ErrorResponse,
  errorResponseSchema,
  IDEMPOTENCY_KEY_HEADER,
  PROVIDER_BUSY,
  REGISTER_AWAY,
} from '#shared/registration.ts';
import { NetworkError, postUntilAnswered, RequestFailedError } from './http-client.ts';

/**
 * Longer than the server waits for Stripe in all but the worst case; a retry after it finds the same payment.
 */
const TIMEOUT_MS = 60_000;

interface Question {
  json: object;
  /** Names the registration (R4.5): the same key and details make one only once. */
  idempotencyKey?: string;
  /** Ends the waiting for a turn. */
  signal?: AbortSignal;
}

/**
 * Posts an idempotent request to the site, waits for its turn, and returns the valid answer.
 * @throws {RegistrationRefused} when the server refuses, having made nothing
 * @throws {HttpError} when no answer came, or none that says whether it was done
 */
export async function ask<Schema extends v.GenericSchema>(
  path: string,
  answerSchema: Schema,
  { json, idempotencyKey, signal }: Question,
): Promise<v.InferOutput<Schema>> {
  const headers = idempotencyKey === undefined ? {} : { [IDEMPOTENCY_KEY_HEADER]: idempotencyKey };
  const send = () => postUntilAnswered(path, { headers, json, timeoutMs: TIMEOUT_MS });
  try {
    return v.parse(answerSchema, await inTurn(send, signal));
  } catch (error) {
    throw refusalIn(error) ?? error;
  }
}

/** The server's refusal in an error; undefined if no answer came, or one not in the server's error format. */
function refusalIn(error: unknown): RegistrationRefused | undefined {
  if (!(error instanceof RequestFailedError) || error.status >= 500) return undefined;
  const { success, output } = v.safeParse(errorResponseSchema, error.body);
  return success ? new RegistrationRefused(output.error) : undefined;
}

/**
 * The endpoint refused, and made nothing. Holds the reason in words for the visitor, and the errors by field.
 */
export class RegistrationRefused extends Error {
  /** Stable and machine-readable. */
  readonly code: string;
  readonly fields: Record<string, string>;

  constructor({ code, message, fields = {} }: ErrorResponse['error']) {
    super(message);
    this.name = 'RegistrationRefused';
    this.code = code;
    this.fields = fields;
  }
}

/** How long the page retries by itself. */
const RETRY_LIMIT_MS = 20 * 60_000;

/** The wait if the answer has no `Retry-After`. */
const DEFAULT_WAIT_S = 10;

/**
 * Sends a request, and retries while the server answers that it cannot take it now (`PROVIDER_BUSY`,
 * `REGISTER_AWAY`): nothing is charged then, and what was made is found again under the same key. After the first wait a lost
 * connection is retried too, since a phone may go offline while waiting. All other errors are thrown at once.
 */
async function inTurn<Answer>(send: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
  signal?.addEventListener('abort', endWait, { once: true });
  let hasWaited = false;
  const endMs = Date.now() + RETRY_LIMIT_MS;
  try {
    for (;;) {
      try {
        return await send();
      } catch (error) {
        const goesOn = isBusy(error) || (hasWaited && error instanceof NetworkError);
        if (!goesOn || signal?.aborted || Date.now() > endMs) throw error;
        await waitVisibly((isBusy(error) && error.retryAfterS) || DEFAULT_WAIT_S, signal);
        if (signal?.aborted) throw error;
        hasWaited = true;
      }
    }
  } finally {
    // After an abort, the wait that is shown may be another request's.
    if (!signal?.aborted) endWait();
  }
}

function isBusy(error: unknown): error is RequestFailedError {
  if (!(error instanceof RequestFailedError) || error.status !== 503) return false;
  const { success, output } = v.safeParse(errorResponseSchema, error.body);
  return success && [PROVIDER_BUSY, REGISTER_AWAY].includes(output.error.code);
}
