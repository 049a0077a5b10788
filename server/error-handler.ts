import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { ErrorResponse } from '#shared/registration.ts';
import { messages } from '#shared/registration.ts';
import { AppError } from './errors.ts';
import type { Logger } from './logger.ts';
import { MailQueueUnavailable } from './mail/queue.ts';

/** Answers what no route took. */
export const notFound: RequestHandler = (_req, _res, next) => {
  next(new AppError({ code: 'not_found', status: 404, message: 'There is nothing at this address' }));
};

/** Turns every failure into a status and `{error: {code, message, fields}}`; the cause goes to the log only. */
export function errorHandler(logger: Logger): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    const answer = answerTo(error);
    const details = { err: error, method: req.method, path: req.path, status: answer.status };
    if (answer.status >= 500) logger.error(details, 'Request failed');
    else if (answer.cause) logger.warn(details, 'Request refused');
    else logger.info({ ...details, err: undefined, code: answer.code }, 'Request refused');

    if (res.headersSent) {
      next(error);
      return;
    }
    const { code, message, fields, retryAfterS } = answer;
    if (retryAfterS !== undefined) res.set('Retry-After', String(retryAfterS));
    const body: ErrorResponse = { error: { code, message, ...(fields && { fields }) } };
    res.status(answer.status).set('Cache-Control', 'no-store').json(body);
  };
}

function answerTo(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof MailQueueUnavailable) {
    return new AppError({ code: 'mail_queue_unavailable', status: 503, message: messages.unexpected });
  }
  const status = statusOf(error);
  if (status !== undefined) return refusedByParser(status);
  return new AppError({ code: 'unexpected', status: 500, message: messages.unexpected });
}

/** Express's own parsers throw errors that carry a 4xx status. */
function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error) || typeof error.status !== 'number') return undefined;
  return error.status >= 400 && error.status < 500 ? error.status : undefined;
}

function refusedByParser(status: number): AppError {
  if (status === 413)
    return new AppError({ code: 'too_large', status, message: 'This request is too large' });
  return new AppError({ code: 'bad_request', status, message: 'This request cannot be read' });
}
