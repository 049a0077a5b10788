import { type RequestHandler, Router } from 'express';
import { allow, requireSameOrigin } from '#server/http/request-guards.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { Audit } from '#server/users/user.ts';
import { boardHeaders } from './create-ops-app.ts';
import type { Dismiss } from './mail-board.ts';

const READ = ['GET', 'HEAD'];
const CHANGE = ['POST', 'PUT', 'PATCH', 'DELETE'];

interface BoardDependencies {
  mailQueue: MailQueue;
  dismiss: Dismiss;
  audit: Audit;
}

/**
 * The board on the mail queue, at a path behind the sign-in. Changes are accepted from its own page only: a browser
 * sends its cookie also with requests that another site makes it send.
 */
export function boardRoutes(path: string, dependencies: BoardDependencies): Router {
  const sameOrigin = requireSameOrigin(undefined, { requireHeader: true });
  const router = Router();
  router.use(path, boardHeaders, allow(...READ, ...CHANGE));
  router.use(path, (req, res, next) => {
    if (READ.includes(req.method)) next();
    else sameOrigin(req, res, next);
  });
  router.use(path, whileAnswering(dependencies.mailQueue), mailBoard(path, dependencies));
  return router;
}

/** The board itself would wait for Redis forever: support gets a 503 instead. */
function whileAnswering(mailQueue: MailQueue): RequestHandler {
  return async (_req, res, next) => {
    if (await mailQueue.isAnswering()) next();
    else
      res
        .status(503)
        .type('text')
        .send('Redis is not available. Its mails are shown here when it is back.\n');
  };
}

/** The board is loaded when somebody first opens it: it takes a tenth of the app's memory. */
function mailBoard(path: string, dependencies: BoardDependencies): RequestHandler {
  let board: Promise<RequestHandler> | undefined;
  // A module of ours: in a bundle, a package that is imported like this has no names.
  const load = async (): Promise<RequestHandler> => {
    const { createMailBoard } = await import('./mail-board.ts');
    return createMailBoard({ ...dependencies, path });
  };
  return async (req, res, next) => {
    board ??= load();
    (await board)(req, res, next);
  };
}
