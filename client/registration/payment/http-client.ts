export class HttpError extends Error {
  constructor(what: string, request: string, options?: ErrorOptions) {
    super(`${request}: ${what}`, options);
    this.name = new.target.name;
  }
}

/** No answer came, or only a part of it. Whether the server did what was asked is not known. */
export class NetworkError extends HttpError {}

/** No answer came in time. Whether the server did what was asked is not known. */
export class TimeoutError extends HttpError {}

export function gotNoAnswer(error: unknown): boolean {
  return error instanceof NetworkError || error instanceof TimeoutError;
}

export class CanceledError extends HttpError {}

export class UnsupportedProtocolError extends HttpError {}

export class RequestFailedError extends HttpError {
  readonly status: number;
  /** The response's JSON, not validated; undefined if it is not JSON. */
  readonly body: unknown;
  /** Seconds until the request may be retried, from `Retry-After`; undefined if the server did not say. */
  readonly retryAfterS: number | undefined;

  constructor(status: number, body: unknown, request: string, retryAfterS?: number) {
    super(`request failed with status code ${status}`, request);
    this.status = status;
    this.body = body;
    this.retryAfterS = retryAfterS;
  }
}

interface HttpRequest {
  headers?: Record<string, string>;
  json: unknown;
  /** None by default: the request takes as long as it takes. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/**
 * Posts JSON and returns the response's JSON, not validated; undefined if the response is not JSON.
 * @throws {HttpError} one of the classes above, naming method and address
 */
export async function post(url: string, request: HttpRequest): Promise<unknown> {
  const { headers, json, timeoutMs, signal } = request;
  const name = `POST ${url}`;
  requireHttp(url, name);
  const limit = new AbortController();
  const giveUp = () => limit.abort();
  const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs);
  if (signal?.aborted) giveUp();
  signal?.addEventListener('abort', giveUp);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(json),
      signal: limit.signal,
    });
    const body = parseJson(await response.text());
    if (!response.ok) throw new RequestFailedError(response.status, body, name, secondsIn(response));
    return body;
  } catch (error) {
    if (error instanceof HttpError) throw error;
    if (signal?.aborted) throw new CanceledError('canceled', name, { cause: error });
    if (limit.signal.aborted)
      throw new TimeoutError(`timed out after ${timeoutMs} ms`, name, { cause: error });
    throw new NetworkError('network error', name, { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}

function requireHttp(url: string, name: string): void {
  const { protocol } = new URL(url, globalThis.location?.href);
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new UnsupportedProtocolError(`unsupported protocol ${protocol}`, name);
  }
}

function secondsIn({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('Retry-After') ?? undefined);
  return seconds >= 0 ? seconds : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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
