import type { RequestHandler } from 'express';
import { AppError } from './app-error.ts';

/**
 * Lets these methods through and refuses all others with 405 and an `Allow` header that lists these.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-15.5.6
 */
export function allow(...methods: readonly string[]): RequestHandler {
  return (req, res, next) => {
    if (methods.includes(req.method)) {
      next();
      return;
    }
    res.set('Allow', methods.join(', '));
    const message = 'This address does not accept this method';
    next(new AppError({ code: 'method_not_allowed', status: 405, message }));
  };
}
