import express, { type Express, type Router } from 'express';
import type { Registry } from 'prom-client';
import type { AppConfig } from '#server/config/config.ts';
import { allow } from '#server/http/allow-methods.ts';
import { following, requestLog } from '#server/http/request-log.ts';
import { readForwardedFor } from '#server/http/visitor-address.ts';
import type { Logger } from '#server/service/logger.ts';
import { addHealthRoutes, type HealthProbes } from './health-routes.ts';
import { addProbeMetrics, METRICS_PATH, metricsRoute } from './metrics.ts';
import { opsErrors, opsHeaders, opsNotFound, type RenderFailure } from './ops-protection.ts';
import { type Credentials, createGuessLimit, requirePassword } from './require-password.ts';

interface OpsDependencies {
  probes: HealthProbes;
  /** The credentials for `/metrics`, and for all unknown paths. */
  credentials: Credentials;
  metrics: Registry;
  logger: Logger;
  /** Whether the process is about to stop. */
  isDraining?: () => boolean;
  /** Which proxies may say where a request comes from; none if left out. */
  trustProxy?: AppConfig['trustProxy'];
  /** For how many seconds wrong passwords count; overrides the default. */
  guessWindowS?: number | undefined;
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
  const { probes, credentials, metrics, logger, trustProxy = 0, guessWindowS: windowS } = dependencies;
  const log = requestLog(logger, ['/', METRICS_PATH, ...(more?.knownPaths ?? [])]);
  addProbeMetrics(metrics, probes);
  const app = express();
  app.disable('x-powered-by');
  // Otherwise Express shows stack traces.
  app.set('env', 'production');
  app.set('trust proxy', trustProxy);
  app.use(opsHeaders);
  addHealthRoutes(app, { isDraining: dependencies.isDraining, probes });
  app.use(following(log.follow), readForwardedFor(logger));
  if (more) app.use(more.router);
  app.use(requirePassword(credentials, createGuessLimit({ metrics, logger, windowS })));
  app.use(allow('GET', 'HEAD'));
  app.use(metricsRoute(metrics));
  app.use(opsNotFound);
  app.use(opsErrors(log.failed, more?.renderFailure));
  return app;
}
