import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import { allow } from '#server/http/allow-methods.ts';
import { clientErrorStatus } from '#server/http/app-error.ts';
import { permissionsPolicy } from '#server/http/permissions-policy.ts';
import type { TellFailure } from '#server/http/request-log.ts';
import { requireSameOrigin } from '#server/http/require-same-origin.ts';
import { STATUS_STYLE } from './status-page.tsx';

const READ = ['GET', 'HEAD'];
const CHANGE = ['POST', 'PUT', 'PATCH', 'DELETE'];

const NOTHING_FOREIGN = { objectSrc: ["'none'"], frameAncestors: ["'none'"] };
const NOTHING = {
  ...NOTHING_FOREIGN,
  defaultSrc: ["'none'"],
  styleSrc: [`'sha256-${createHash('sha256').update(STATUS_STYLE).digest('base64')}'`],
  baseUri: ["'none'"],
  formAction: ["'none'"],
};

/** bull-board's page: its own scripts, but styles in line. The fonts that it would load from a stranger are not. */
const BOARD = {
  ...NOTHING_FOREIGN,
  defaultSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  baseUri: ["'self'"],
  formAction: ["'self'"],
};

/** The listener speaks plain HTTP, behind whatever its operators put in front. */
function headers(directives: Record<string, readonly string[]>): RequestHandler {
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
  });
}

/** Headers of every answer: its pages carry one style and nothing else. */
export const opsHeaders: Router = Router().use(headers(NOTHING), (_req, res, next) => {
  res.set('Permissions-Policy', permissionsPolicy());
  next();
});

/** Headers of the board in place of those. */
export const boardHeaders: RequestHandler = headers(BOARD);

/**
 * Reading everywhere; changes on the board only, and from its own page: a browser that has the password sends it along
 * with whatever another site makes it send.
 */
export function opsMethods(boardPath: string): Router {
  const sameOrigin = requireSameOrigin();
  const router = Router();
  router.use(boardPath, allow(...READ, ...CHANGE), (req, res, next) => {
    const proceed = (error?: unknown): void => next(error ?? 'router');
    if (READ.includes(req.method)) proceed();
    else sameOrigin(req, res, proceed);
  });
  router.use(allow(...READ));
  return router;
}

/** Answers what no route took. */
export const opsNotFound: RequestHandler = (_req, res) => {
  res.status(404).type('text').send('Not Found\n');
};

/** Answers failures with their status alone. */
export function opsErrors(tellFailure: TellFailure): ErrorRequestHandler {
  // Express knows a handler of errors by its four parameters.
  return (error: unknown, _req, res, _next) => {
    const status = clientErrorStatus(error) ?? 500;
    tellFailure(res, { error, status });
    if (res.headersSent) res.destroy();
    else res.status(status).type('text').send(`${STATUS_CODES[status]}\n`);
  };
}
