import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Metrics } from '#server/ops/metrics.ts';
import { AppError, type Failure, type TellFailure } from './app-error.ts';

/** In the answer, so that a visitor's report finds its line in the log. */
const REQUEST_ID_HEADER = 'X-Request-Id';

/** Follows a request from its first moment to its end. */
export type Follow = (req: IncomingMessage, res: ServerResponse) => void;

/** A middleware that follows each request to an Express application. */
export function following(follow: Follow): RequestHandler {
  return (req, res, next) => {
    follow(req, res);
    next();
  };
}

/**
 * The log of a listener's requests has one line per request: its id, method, path, status, time, and what went wrong;
 * nothing that a visitor typed. A path that was not found is logged only if it is one of `knownPaths`.
 * @param nameOf what to log instead of a path that contains a secret
 */
export function requestLog(
  logger: Logger,
  knownPaths: readonly string[],
  nameOf: (path: string) => string = (path) => path,
): { follow: Follow; failed: TellFailure } {
  const known = new Set<string | undefined>(knownPaths);
  const failures = new WeakMap<ServerResponse, Failure>();
  return {
    /** Gives a request its id, and writes its line when it is answered or the visitor has left. */
    follow(req, res) {
      const start = performance.now();
      const id = randomUUID();
      const { method } = req;
      const target = pathOf(req.url ?? '');
      const path = target && nameOf(target);
      res.setHeader(REQUEST_ID_HEADER, id);
      res.once('close', () => {
        const failure = failures.get(res);
        const status = res.headersSent ? res.statusCode : undefined;
        const isLoggable = known.has(path) || isFound(method, status);
        const line = {
          req: { id, method, path: isLoggable ? path : undefined },
          res: { status },
          responseTime: Math.round(performance.now() - start),
          ...factsOf(failure),
        };
        logger[levelOf(res, failure)](line, wordsFor(res, failure));
      });
    },
    /**
     * Records a failure for the line of its request; after that line was written, the failure gets a line of its own
     * with the same id.
     */
    failed(res, failure) {
      if (!res.closed) failures.set(res, failure);
      else if (failure.status >= 500)
        logger.error(
          { req: { id: res.getHeader(REQUEST_ID_HEADER) }, ...factsOf(failure) },
          'request failed',
        );
    },
  };
}

/**
 * Whether the answer shows that the path exists. A redirect of a GET does not: strangers are redirected to the sign-in
 * from any path.
 */
function isFound(method: string | undefined, status = 404): boolean {
  return status < 300 || status === 304 || (status < 400 && method === 'POST');
}

/** Times the answers, by route: a label for each path that somebody tries would fill the memory. */
export function timeRequests(metrics: Pick<Metrics, 'time'>, routeOf: (path: string) => string): Follow {
  return (req, res) => {
    const start = performance.now();
    const route = routeOf(pathOf(req.url ?? '') ?? '');
    res.once('close', () => {
      const status = res.writableFinished ? String(res.statusCode) : 'aborted';
      metrics.time('http_request_duration_seconds', { route, status }, (performance.now() - start) / 1000);
    });
  };
}

/** The path without the query; undefined for targets that are whole URLs, which may contain a name and a password. */
export function pathOf(target: string): string | undefined {
  if (!target.startsWith('/')) return undefined;
  const end = target.indexOf('?');
  return end < 0 ? target : target.slice(0, end);
}

function levelOf({ statusCode }: ServerResponse, failure: Failure | undefined) {
  const status = failure?.status ?? statusCode;
  if (status >= 500 && !isRefusal(failure)) return 'error';
  return status === 401 || causeOf(failure) !== undefined ? 'warn' : 'info';
}

function wordsFor({ statusCode, writableFinished }: ServerResponse, failure: Failure | undefined): string {
  if (!writableFinished) return 'request aborted';
  if (statusCode >= 500 && !isRefusal(failure)) return 'request failed';
  return failure ? 'request refused' : 'request completed';
}

/**
 * A refusal is logged with its code, and the message of its cause without a stack: there can be thousands of refusals.
 */
function factsOf(failure: Failure | undefined): object {
  if (!failure) return {};
  const { error, status } = failure;
  const code = error instanceof AppError ? error.code : undefined;
  if (status >= 500 && !isRefusal(failure)) return { code, err: error };
  const cause = causeOf(failure);
  return { code, reason: cause instanceof Error ? cause.message : undefined };
}

/** Nothing failed: this program had no room, and said when it will. */
function isRefusal(failure: Failure | undefined): boolean {
  const error = failure?.error;
  return error instanceof AppError && error.retryAfterS !== undefined && error.cause === undefined;
}

function causeOf(failure: Failure | undefined): unknown {
  return failure?.error instanceof AppError ? failure.error.cause : undefined;
}
