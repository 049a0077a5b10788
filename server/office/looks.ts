import type { RequestHandler, Response } from 'express';
import type { Logger } from '#server/service/logger.ts';
import { findSignedIn, logged } from '#server/users/user.ts';

/**
 * Answers that show what was asked for: also a form that was not accepted, and an act that is not possible now. So does a
 * search that leads to the one person whom it found.
 */
const SHOWING: readonly number[] = [200, 409, 422];

/** What a page shows beside one person: how many rows, and whether they were searched for. */
interface Shown {
  rows?: number;
  search?: true | undefined;
}
const shown = new WeakMap<Response, Shown>();

/** Notes what an answer shows, for its line in the log. */
export function noteShown(res: Response, what: Shown): void {
  shown.set(res, what);
}

/** Writes into the log who of the office looked at whom: a path has ids only, and the words of a search are not in it. */
export function logLooks(logger: Logger): RequestHandler {
  return (req, res, next) => {
    const look = `${req.baseUrl}${req.path}`.replace(/\/$/, '');
    res.once('close', () => {
      const user = findSignedIn(res)?.user;
      const isShowing = SHOWING.includes(res.statusCode) || (res.statusCode === 303 && shown.has(res));
      if (user && req.method !== 'HEAD' && res.headersSent && isShowing)
        logger.info({ look, ...logged(user), ...shown.get(res) }, 'Look of a user');
    });
    next();
  };
}
