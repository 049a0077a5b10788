import { type HttpRequest, NetworkError, post, RequestFailedError } from './http-client.ts';

/** Time for a process to restart, or for a proxy to find another one; a visitor who is offline waits too. */
const PAUSES_MS = [1_000, 3_000];

/** What proxies answer when no server behind them responds. */
const GATEWAY_STATUSES = [502, 503, 504];

/**
 * Posts an idempotent request, such as one with an idempotency key. If the site itself did not answer, for
 * example because the process with the request died, the request is retried automatically, at most twice.
 * @throws {HttpError} as `post` does
 */
export async function postUntilAnswered(
  url: string,
  request: HttpRequest,
  pausesMs: readonly number[] = PAUSES_MS,
): Promise<unknown> {
  for (const pauseMs of pausesMs) {
    try {
      return await post(url, request);
    } catch (error) {
      if (!isUnanswered(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
  return post(url, request);
}

/**
 * The site's own errors are JSON, so they are not retried; nor are timeouts, which are shown to the visitor.
 */
function isUnanswered(error: unknown): boolean {
  if (error instanceof NetworkError) return true;
  return (
    error instanceof RequestFailedError && error.body === undefined && GATEWAY_STATUSES.includes(error.status)
  );
}
