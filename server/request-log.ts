import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { pinoHttp } from 'pino-http';
import { AppError } from './errors.ts';
import type { Logger } from './logger.ts';

/** In the answer, so that a visitor's report finds its line in the log. */
export const REQUEST_ID_HEADER = 'X-Request-Id';

const COMPLETED = 'request completed';

/** A request that was answered well, by somebody who knows its id. */
interface AnsweredRequest {
  id: string;
  method: string;
  url: string;
  status: number;
  durationMs: number;
}

/** The same line as `requestLog` writes, for a page that is answered in the time that its wrapping takes. */
export function logAnswer(logger: Logger, { id, method, url, status, durationMs }: AnsweredRequest): void {
  const responseTime = Math.round(durationMs);
  logger.info({ req: { id, method, path: pathOf(url) }, res: { status }, responseTime }, COMPLETED);
}

/**
 * One line a request: its id, method, path without the query, status, time, and what went wrong; nothing that a
 * visitor typed. A refusal that has no deeper cause is told by its code alone.
 */
export function requestLog(logger: Logger) {
  return pinoHttp({
    logger,
    quietReqLogger: true,
    genReqId: (_req, res) => {
      const id = randomUUID();
      res.setHeader(REQUEST_ID_HEADER, id);
      return id;
    },
    customLogLevel: (_req, res, error) => levelOf(res, error ?? res.err),
    customErrorObject: (_req, res, error, line: object) => ({ ...line, ...failureOf(res, error) }),
    customSuccessMessage: () => COMPLETED,
    customErrorMessage: (_req, res) => (res.statusCode >= 500 ? 'request failed' : 'request refused'),
    serializers: {
      req: ({ id, method, url }: { id: string; method: string; url: string }) => ({
        id,
        method,
        path: pathOf(url),
      }),
      res: ({ statusCode }: ServerResponse) => ({ status: statusCode }),
    },
  });
}

/** Other targets than paths are whole addresses, which may hold a name and a password. */
function pathOf(target: string): string | undefined {
  return target.startsWith('/') ? target.split('?', 1)[0] : undefined;
}

function levelOf({ statusCode }: ServerResponse, error: Error | undefined) {
  if (statusCode >= 500) return 'error';
  return error?.cause === undefined ? 'info' : 'warn';
}

function failureOf({ statusCode }: ServerResponse, error: Error): object {
  const code = error instanceof AppError ? error.code : undefined;
  const plain = statusCode < 500 && error.cause === undefined;
  return { code, err: plain ? undefined : error };
}
