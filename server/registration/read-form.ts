import type { RequestHandler } from 'express';
import { AppError } from '#server/http/app-error.ts';
import { visitorAddress } from '#server/http/visitor-address.ts';
import { messages } from '#shared/registration.ts';
import type { RegistrationLimits } from './registration-limits.ts';

/** Counts the requests whose body the parser cannot read. */
export function countUnread(
  parse: RequestHandler,
  limits: Pick<RegistrationLimits, 'countRequest'>,
): RequestHandler {
  return async (req, res, next) => {
    const error = await new Promise<unknown>((resolve) => parse(req, res, resolve));
    if (error) await limits.countRequest({ address: visitorAddress(req) });
    next(error);
  };
}

/**
 * The refusal is not permanent: an extension of the visitor's browser may have filled in the hidden field.
 */
export function looksAutomated(): AppError {
  return new AppError({ code: 'looks_automated', status: 409, message: messages.looksAutomated });
}

export function invalidRequest(
  fields: Record<string, string>,
  message: string = messages.checkDetails,
): AppError {
  return new AppError({ code: 'invalid_request', status: 400, message, fields });
}
