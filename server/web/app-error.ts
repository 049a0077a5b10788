import { randomInt } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import { type ErrorResponse, messages } from '#shared/registration.ts';
import { keptByNobody } from './cache-policy.ts';

interface AppErrorOptions {
  /** Stable word for programs. */
  code: string;
  status: number;
  /** What the person at the other end reads. */
  message: string;
  /** By field name, for a form. */
  fields?: Record<string, string>;
  /** After how many seconds a retry makes sense. */
  retryAfterS?: number;
  /** For the log only. */
  cause?: unknown;
}

/** Those who are refused together come back over this time, so that not all are refused once more. */
const BACK_WITHIN_S = { least: 3, most: 12 };

/** What a visitor is answered for whom there is no room at this moment. */
export const noRoom = (code: string) => ({
  code,
  status: 503,
  message: messages.noRoom,
  retryAfterS: randomInt(BACK_WITHIN_S.least, BACK_WITHIN_S.most + 1),
});

/** A failure with an HTTP answer: a status, a code and a sentence for people; its cause goes to the log. */
export class AppError extends Error {
  readonly code: string;
  readonly status: number;
  readonly fields: Record<string, string> | undefined;
  readonly retryAfterS: number | undefined;

  constructor({ code, status, message, fields, retryAfterS, cause }: AppErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'AppError';
    this.code = code;
    this.status = status;
    this.fields = fields;
    this.retryAfterS = retryAfterS;
  }
}

/** The status of a refusal by this program or by one of Express's parsers (4xx). Undefined for errors of the server. */
export function clientErrorStatus(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  return error.status >= 400 && error.status < 500 ? error.status : undefined;
}

/** The underlying error of a failure; for the log and for support, never for visitors. */
export function causeOf(error: unknown): Error {
  if (error instanceof AppError && error.cause instanceof Error) return error.cause;
  return error instanceof Error ? error : new Error(String(error));
}

/** What went wrong, and the status it is answered with. */
export interface Failure {
  error: unknown;
  status: number;
}

export type TellFailure = (res: ServerResponse, failure: Failure) => void;

export const notFound: RequestHandler = (_req, _res, next) => {
  next(new AppError({ code: 'not_found', status: 404, message: 'There is nothing at this address' }));
};

/** The finished page, which all answers share: many may wait for clients that read none. */
export type RenderErrorPage = (status: number) => Buffer;

/**
 * Turns every failure into a status, and `{error: {code, message, fields}}` for programs or a page for people. The
 * cause goes to the request's line in the log only.
 */
export function errorHandler(
  renderErrorPage: RenderErrorPage,
  tellFailure: TellFailure,
): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  return (error: unknown, req, res, _next) => {
    const answer = answerTo(error);
    const { code, status, message, fields, retryAfterS } = answer;
    tellFailure(res, { error: answer, status });
    if (res.headersSent) {
      res.destroy();
      return;
    }
    // Of a file that turned out not to be sendable.
    for (const name of ['Content-Encoding', 'ETag']) res.removeHeader(name);
    if (retryAfterS !== undefined) res.set('Retry-After', String(retryAfterS));
    res.status(status).set(keptByNobody).vary('Accept');
    if (isForPeople(req)) {
      res.type('html').send(renderErrorPage(status));
      return;
    }
    const body: ErrorResponse = { error: { code, message, ...(fields && { fields }) } };
    res.json(body);
  };
}

/** People open URLs and send forms; all other requests come from programs. */
function isForPeople(req: Request): boolean {
  const isOpened = req.method === 'GET' || req.method === 'HEAD' || Boolean(req.is('urlencoded'));
  return isOpened && req.accepts('json', 'html') === 'html';
}

function answerTo(error: unknown): AppError {
  if (error instanceof AppError) return error;
  // The error messages of the parsers may repeat the body.
  const status = clientErrorStatus(error);
  // 404 is a file that the build lists and the disk does not have.
  if (status !== undefined && status !== 404) return refusedByParser(status);
  return new AppError({ code: 'unexpected', status: 500, message: messages.unexpected, cause: error });
}

function refusedByParser(status: number): AppError {
  if (status === 413)
    return new AppError({ code: 'too_large', status, message: 'This request is too large' });
  if (status === 416)
    return new AppError({
      code: 'no_such_range',
      status,
      message: 'This range is beyond the end of the file',
    });
  if (status === 415)
    return new AppError({ code: 'not_json', status, message: 'Only JSON is accepted here' });
  return new AppError({ code: 'bad_request', status: 400, message: 'This request cannot be read' });
}
