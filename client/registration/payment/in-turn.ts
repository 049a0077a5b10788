import * as v from 'valibot';
import { errorResponseSchema, PROVIDER_BUSY, REGISTER_AWAY } from '#shared/registration.ts';
import { endWait, waitVisibly } from './current-wait.ts';
import { NetworkError, RequestFailedError } from './http-client.ts';

/** How long the page retries by itself. */
const RETRY_LIMIT_MS = 20 * 60_000;

/** The wait if the answer has no `Retry-After`. */
const DEFAULT_WAIT_S = 10;

/**
 * Sends a request, and retries while the server answers that it cannot take it now (`PROVIDER_BUSY`,
 * `REGISTER_AWAY`): nothing is charged then, and what was made is found again under the same key. After the first wait a lost
 * connection is retried too, since a phone may go offline while waiting. All other errors are thrown at once.
 * @param signal ends the waiting
 */
export async function inTurn<Answer>(send: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
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
