import { type HttpRequest, NetworkError, post, RequestFailedError } from './http-client.ts';

/** So long to start a process again, or for a proxy to find another one; a visitor who is offline waits as long. */
const PAUSES_MS = [1_000, 3_000];

/** What proxies say when nobody behind them answers. */
const GATEWAY_STATUSES = [502, 503, 504];

/**
 * Posts what has its effect once however often it comes, such as under an idempotency key. Where the site itself has not
 * answered, as the process that had the request has died, it is sent again by itself, twice at most.
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

/** The site's own errors are JSON; of what took longer than it may, the visitor is told rather. */
function isUnanswered(error: unknown): boolean {
  if (error instanceof NetworkError) return true;
  return (
    error instanceof RequestFailedError && error.body === undefined && GATEWAY_STATUSES.includes(error.status)
  );
}
