import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import { type ErrorResponse, messages } from '#shared/registration.ts';
import { AppError, clientErrorStatus } from './app-error.ts';
import { keptByNobody } from './cache-policy.ts';
import type { TellFailure } from './request-log.ts';

/** Answers a request that no route has handled. */
export const notFound: RequestHandler = (_req, _res, next) => {
  next(new AppError({ code: 'not_found', status: 404, message: 'There is nothing at this address' }));
};

export type RenderErrorPage = (status: number) => string;

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
  if (status !== undefined) return refusedByParser(status);
  return new AppError({ code: 'unexpected', status: 500, message: messages.unexpected, cause: error });
}

function refusedByParser(status: number): AppError {
  if (status === 413)
    return new AppError({ code: 'too_large', status, message: 'This request is too large' });
  if (status === 415)
    return new AppError({ code: 'not_json', status, message: 'Only JSON is accepted here' });
  return new AppError({ code: 'bad_request', status: 400, message: 'This request cannot be read' });
}
