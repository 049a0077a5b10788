import { type RequestHandler, Router } from 'express';
import { AppError } from './errors.ts';

/**
 * Lets only known methods through: POST at the given paths, GET and HEAD everywhere else. Others are told which.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-15.5.6
 */
export function knownMethods(postPaths: readonly string[]): Router {
  const router = Router();
  const post = allow('POST');
  router.all([...postPaths], post, (_req, _res, next) => next('router'));
  router.use(allow('GET', 'HEAD'));
  return router;
}

/** Lets these methods through and refuses all others. */
export function allow(...methods: readonly string[]): RequestHandler {
  return (req, res, next) => {
    if (methods.includes(req.method)) {
      next();
      return;
    }
    res.set('Allow', methods.join(', '));
    const message = 'This is not done at this address';
    next(new AppError({ code: 'method_not_allowed', status: 405, message }));
  };
}
