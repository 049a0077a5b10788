import { createHash, timingSafeEqual } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express';
import helmet from 'helmet';
import type { AppConfig } from '#server/config/config.ts';
import type { Logger } from '#server/config/logger.ts';
import { addHealthRoutes, type HealthProbes } from '#server/ops/health.ts';
import type { Metrics } from '#server/ops/metrics.ts';
import { AppError, clientErrorStatus, type TellFailure } from './app-error.ts';
import { keptByNobody } from './cache-policy.ts';
import { allow } from './request-guards.ts';
import { following, requestLog } from './request-log.ts';
import { permissionsPolicy } from './security-headers.ts';
import { readForwardedFor } from './visitor-address.ts';

/** Where Prometheus reads the metrics of a process. */
export const METRICS_PATH = '/metrics';

/** Pages without any script: their style, fonts and pictures are the site's own files. */
const CONTENT_SECURITY_POLICY = {
  objectSrc: ["'none'"],
  frameAncestors: ["'none'"],
  defaultSrc: ["'none'"],
  styleSrc: ["'self'"],
  fontSrc: ["'self'"],
  imgSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'self'"],
};

/** A year, for this host alone. */
const STRICT_TRANSPORT = 'max-age=31536000';

/**
 * No other site learns a URL. To this listener itself, forms must send their origin, by which forms of other sites are
 * recognized: `no-referrer` would hide it.
 */
const REFERRER_POLICY = 'same-origin';

const helmetHeaders = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: CONTENT_SECURITY_POLICY },
  strictTransportSecurity: false,
  referrerPolicy: { policy: REFERRER_POLICY },
  xFrameOptions: { action: 'deny' },
});

/** Headers of every answer. The listener speaks plain HTTP, behind whatever proxy its operators use. */
const opsHeaders: Router = Router().use(helmetHeaders, (req, res, next) => {
  res.set({ 'Permissions-Policy': permissionsPolicy(), ...keptByNobody });
  if (req.secure) res.set('Strict-Transport-Security', STRICT_TRANSPORT);
  next();
});

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
function opsErrors(tellFailure: TellFailure, renderFailure?: RenderFailure): ErrorRequestHandler {
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

/** The user name of `/metrics`. */
const USER = 'ops';

/**
 * HTTP Basic authentication, compared in constant time. A password of production is too long to be guessed. @see RFC 7617
 * @param password undefined outside production: metrics are then open, on loopback
 */
function requirePassword(password: string | undefined): RequestHandler {
  if (password === undefined) return (_req, _res, next) => next();
  const expected = digest(`Basic ${Buffer.from(`${USER}:${password}`).toString('base64')}`);
  return (req, res, next) => {
    if (timingSafeEqual(digest(req.get('Authorization') ?? ''), expected)) next();
    else res.status(401).set('WWW-Authenticate', 'Basic realm="ops", charset="UTF-8"').end();
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

interface OpsDependencies {
  probes: HealthProbes;
  /** For `/metrics`, and for all unknown paths. */
  password: string | undefined;
  metrics: Metrics;
  logger: Logger;
  /** See `addHealthRoutes`. */
  whyNotReady?: () => string | undefined;
  /** Which proxies may say where a request comes from; none if left out. */
  trustProxy?: AppConfig['trustProxy'];
}

/** Further pages of a listener, with their own access control. */
export interface MorePages {
  router: Router;
  /** Paths that are logged even if the request is refused. */
  knownPaths: readonly string[];
  /** Renders the error page for one of these pages. */
  renderFailure: RenderFailure;
}

/** A process's listener for operators: health for the container, metrics behind a password, and further pages. */
export function createOpsApp(dependencies: OpsDependencies, more?: MorePages): Express {
  const { probes, password, metrics, logger, trustProxy = 0 } = dependencies;
  const log = requestLog(logger, ['/', METRICS_PATH, ...(more?.knownPaths ?? [])]);
  metrics.readCounts(
    'dependency_up',
    'Whether Redis is connected, Stripe answered last and the register was written last, as this process sees it',
    ['name'],
    async () =>
      Object.entries(probes).flatMap(([name, probe]) => {
        const isThere = probe();
        return isThere === undefined ? [] : [{ name, count: Number(isThere) }];
      }),
  );
  const app = express();
  app.disable('x-powered-by');
  // Otherwise Express shows stack traces.
  app.set('env', 'production');
  app.set('trust proxy', trustProxy);
  app.use(opsHeaders);
  addHealthRoutes(app, { whyNotReady: dependencies.whyNotReady, probes });
  app.use(following(log.follow), readForwardedFor(logger));
  if (more) app.use(more.router);
  app.use(requirePassword(password));
  app.use(allow('GET', 'HEAD'));
  app.get(METRICS_PATH, async (_req, res) => {
    res.type(metrics.contentType).send(await metrics.metrics());
  });
  app.use(opsNotFound);
  app.use(opsErrors(log.failed, more?.renderFailure));
  return app;
}
