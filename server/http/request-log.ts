import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { AppError } from './app-error.ts';

/** In the answer, so that a visitor's report finds its line in the log. */
export const REQUEST_ID_HEADER = 'X-Request-Id';

const COMPLETED = 'request completed';

/** A request that was answered well, by somebody who knows its id. */
interface AnsweredRequest {
  id: string;
  method: string;
  path: string;
  status: number;
  durationMs: number;
}

/** What went wrong, and the status it is answered with. */
interface Failure {
  error: unknown;
  status: number;
}

/** Is told what a request fails of. */
export type TellFailure = (res: Response, failure: Failure) => void;

/** One line a request: its id, method, path, status, time, and what went wrong; nothing that a visitor typed. */
export interface RequestLog {
  /** Gives a request its id, and writes its line when it is answered or its visitor has left. */
  watch: RequestHandler;
  /** What fails when the line is written already has a line of its own, with the same id. */
  failed: TellFailure;
  /** The same line for what is answered from memory. */
  answered(request: AnsweredRequest): void;
}

/** The log of a listener's requests. A path that leads nowhere is told if it is one of those known, else left out. */
export function requestLog(
  logger: Logger,
  knownPaths: readonly string[],
  memoryLogger: Logger = logger,
): RequestLog {
  const known = new Set<string | undefined>(knownPaths);
  const failures = new WeakMap<ServerResponse, Failure>();
  return {
    watch(req, res, next) {
      const start = performance.now();
      const id = randomUUID();
      const path = pathOf(req.originalUrl);
      res.set(REQUEST_ID_HEADER, id);
      res.once('close', () => {
        const failure = failures.get(res);
        const status = res.headersSent ? res.statusCode : undefined;
        const ledSomewhere = known.has(path) || (status !== undefined && status < 400);
        const line = {
          req: { id, method: req.method, path: ledSomewhere ? path : undefined },
          res: { status },
          responseTime: Math.round(performance.now() - start),
          ...factsOf(failure),
        };
        logger[levelOf(res, failure)](line, wordsFor(res, failure));
      });
      next();
    },
    failed(res, failure) {
      if (!res.closed) failures.set(res, failure);
      else if (failure.status >= 500)
        logger.error({ req: { id: res.get(REQUEST_ID_HEADER) }, ...factsOf(failure) }, 'request failed');
    },
    answered({ durationMs, status, ...req }) {
      memoryLogger.info({ req, res: { status }, responseTime: Math.round(durationMs) }, COMPLETED);
    },
  };
}

/** Without the query. Other targets than paths are whole addresses, which may hold a name and a password. */
export function pathOf(target: string): string | undefined {
  if (!target.startsWith('/')) return undefined;
  const end = target.indexOf('?');
  return end < 0 ? target : target.slice(0, end);
}

function levelOf({ statusCode }: Response, failure: Failure | undefined) {
  const status = failure?.status ?? statusCode;
  if (status >= 500) return 'error';
  return status === 401 || causeOf(failure) !== undefined ? 'warn' : 'info';
}

function wordsFor({ statusCode, writableFinished }: Response, failure: Failure | undefined): string {
  if (!writableFinished) return 'request aborted';
  if (statusCode >= 500) return 'request failed';
  return failure ? 'request refused' : COMPLETED;
}

/** A refusal is told by its code, and its cause by its message: they come as often as somebody likes to send them. */
function factsOf(failure: Failure | undefined): object {
  if (!failure) return {};
  const { error, status } = failure;
  const code = error instanceof AppError ? error.code : undefined;
  if (status >= 500) return { code, err: error };
  const cause = causeOf(failure);
  return { code, reason: cause instanceof Error ? cause.message : undefined };
}

function causeOf(failure: Failure | undefined): unknown {
  return failure?.error instanceof AppError ? failure.error.cause : undefined;
}
