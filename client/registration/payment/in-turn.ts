import * as v from 'valibot';
import { errorResponseSchema, PROVIDER_BUSY } from '#shared/registration.ts';
import { endWait, waitVisibly } from './current-wait.ts';
import { NetworkError, RequestFailedError } from './http-client.ts';

/** So long the page goes on by itself. */
const PATIENCE_MS = 20 * 60_000;

/** Where the answer does not say when to come again. */
const USUAL_WAIT_S = 10;

/**
 * Sends a request, and again while the server says that the payment provider has no room for it: nothing is charged then,
 * and what was made is found again under the same key. While it waits, a phone may lose its connection. All else that goes
 * wrong is thrown at once.
 * @param signal ends the waiting
 */
export async function inTurn<Answer>(send: () => Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
  signal?.addEventListener('abort', endWait, { once: true });
  let hasWaited = false;
  const endMs = Date.now() + PATIENCE_MS;
  try {
    for (;;) {
      try {
        return await send();
      } catch (error) {
        const goesOn = isBusy(error) || (hasWaited && error instanceof NetworkError);
        if (!goesOn || signal?.aborted || Date.now() > endMs) throw error;
        await waitVisibly((isBusy(error) && error.retryAfterS) || USUAL_WAIT_S, signal);
        if (signal?.aborted) throw error;
        hasWaited = true;
      }
    }
  } finally {
    // What waits then is another request.
    if (!signal?.aborted) endWait();
  }
}

function isBusy(error: unknown): error is RequestFailedError {
  if (!(error instanceof RequestFailedError) || error.status !== 503) return false;
  const { success, output } = v.safeParse(errorResponseSchema, error.body);
  return success && output.error.code === PROVIDER_BUSY;
}
