import express, { type Express, type Router } from 'express';
import type { Registry } from 'prom-client';
import type { Config } from '#server/config/config.ts';
import { allow } from '#server/http/allow-methods.ts';
import { following, requestLog } from '#server/http/request-log.ts';
import { readForwardedFor } from '#server/http/visitor-address.ts';
import type { Logger } from '#server/service/logger.ts';
import { addHealthRoutes, type HealthProbes } from './health-routes.ts';
import { createGuessLimit } from './limit-guesses.ts';
import { addProbeMetrics, METRICS_PATH, metricsRoute } from './metrics.ts';
import { opsErrors, opsHeaders, opsNotFound, type RenderFailure } from './ops-protection.ts';
import { type Credentials, requirePassword } from './require-password.ts';

interface OpsDependencies {
  probes: HealthProbes;
  /** What `/metrics` wants, and whatever is not there. */
  credentials: Credentials;
  metrics: Registry;
  logger: Logger;
  /** Whether it is about to stop. */
  isDraining?: () => boolean;
  /** Which proxies may say whose request it is; none if left out. */
  trustProxy?: Config['trustProxy'];
  /** For how many seconds wrong passwords count, if not as usual. */
  guessWindowS?: number | undefined;
}

/** What a listener answers besides, behind a door of its own. */
export interface MorePages {
  router: Router;
  /** Paths that are logged even if they are refused. */
  knownPaths: readonly string[];
  /** The page that tells people of a failure at an address of theirs. */
  renderFailure: RenderFailure;
}

/** A process's listener for operators: health for the container, metrics behind a password, and what is added. */
export function createOpsApp(dependencies: OpsDependencies, more?: MorePages): Express {
  const { probes, credentials, metrics, logger, trustProxy = 0, guessWindowS: windowS } = dependencies;
  const log = requestLog(logger, ['/', METRICS_PATH, ...(more?.knownPaths ?? [])]);
  addProbeMetrics(metrics, probes);
  const app = express();
  app.disable('x-powered-by');
  // Express shows stacks otherwise.
  app.set('env', 'production');
  app.set('trust proxy', trustProxy);
  app.use(opsHeaders);
  addHealthRoutes(app, probes, dependencies.isDraining);
  app.use(following(log.follow), readForwardedFor(logger));
  if (more) app.use(more.router);
  app.use(requirePassword(credentials, createGuessLimit({ metrics, logger, windowS })));
  app.use(allow('GET', 'HEAD'));
  app.use(metricsRoute(metrics));
  app.use(opsNotFound);
  app.use(opsErrors(log.failed, more?.renderFailure));
  return app;
}
