import { STATUS_CODES } from 'node:http';
import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import helmet from 'helmet';
import { AppError, clientErrorStatus } from '#server/http/app-error.ts';
import { keptByNobody } from '#server/http/cache-policy.ts';
import { permissionsPolicy } from '#server/http/permissions-policy.ts';
import type { TellFailure } from '#server/http/request-log.ts';

const NOTHING_FOREIGN = { objectSrc: ["'none'"], frameAncestors: ["'none'"] };

/** Pages without any script: their style, fonts and pictures are the site's own files. */
const PAGES = {
  ...NOTHING_FOREIGN,
  defaultSrc: ["'none'"],
  styleSrc: ["'self'"],
  fontSrc: ["'self'"],
  imgSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'self'"],
};

/**
 * bull-board's page: its own scripts, but inline styles. The fonts that it would load from another site are blocked.
 */
const BOARD = {
  ...NOTHING_FOREIGN,
  defaultSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  baseUri: ["'self'"],
  formAction: ["'self'"],
};

/** A year, for this host alone. */
const STRICT_TRANSPORT = 'max-age=31536000';

/**
 * No other site learns a URL. To this listener itself, forms must send their origin, by which forms of other sites are
 * recognized: `no-referrer` would hide it.
 */
const REFERRER_POLICY = 'same-origin';

function headers(directives: Record<string, readonly string[]>): RequestHandler {
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    strictTransportSecurity: false,
    referrerPolicy: { policy: REFERRER_POLICY },
    xFrameOptions: { action: 'deny' },
  });
}

/** Headers of every answer. The listener speaks plain HTTP, behind whatever proxy its operators use. */
export const opsHeaders: Router = Router().use(headers(PAGES), (req, res, next) => {
  res.set({ 'Permissions-Policy': permissionsPolicy(), ...keptByNobody });
  if (req.secure) res.set('Strict-Transport-Security', STRICT_TRANSPORT);
  next();
});

/** The headers of the board, instead of these. */
export const boardHeaders: RequestHandler = headers(BOARD);

/** Answers a request that no route has handled. */
export const opsNotFound: RequestHandler = (_req, _res, next) => {
  next(new AppError({ code: 'not_found', status: 404, message: 'This page does not exist.' }));
};

/** Renders the error page for a person. */
export type RenderFailure = (
  failure: { status: number; message: string | undefined },
  req: Request,
  res: Response,
) => string | undefined;

/** Answers failures: with a page for people where there is one, else with their status alone. */
export function opsErrors(tellFailure: TellFailure, renderFailure?: RenderFailure): ErrorRequestHandler {
  // Express recognizes an error handler by its four parameters.
  return (error: unknown, req, res, _next) => {
    const status = clientErrorStatus(error) ?? 500;
    tellFailure(res, { error, status });
    if (res.headersSent) {
      res.destroy();
      return;
    }
    res.status(status).set(keptByNobody);
    const message = error instanceof AppError ? error.message : undefined;
    const page =
      req.accepts('html', 'text') === 'html' ? renderFailure?.({ status, message }, req, res) : undefined;
    if (page) res.type('html').send(page);
    else res.type('text').send(`${STATUS_CODES[status]}\n`);
  };
}
