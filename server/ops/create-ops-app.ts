import express, { type Express, type RequestHandler, Router } from 'express';
import type { Registry } from 'prom-client';
import { following, requestLog } from '#server/http/request-log.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { Logger } from '#server/service/logger.ts';
import { addHealthRoutes, type HealthProbes } from './health-routes.ts';
import { createGuessLimit } from './limit-guesses.ts';
import type { Dismiss } from './mail-board.ts';
import { measureInTime } from './mail-metrics.ts';
import { addProbeMetrics, METRICS_PATH, metricsRoute } from './metrics.ts';
import { boardHeaders, opsErrors, opsHeaders, opsMethods, opsNotFound } from './ops-protection.ts';
import { type Credentials, requirePassword } from './require-password.ts';
import { renderStatusPage } from './status-page.tsx';

interface OpsDependencies {
  probes: HealthProbes;
  credentials: Credentials;
  metrics: Registry;
  logger: Logger;
  /** For how many seconds wrong passwords count, if not as usual. */
  guessWindowS?: number | undefined;
}

const BOARD_PATH = '/queues';

/** A process's listener for operators: health for the container, and behind a password metrics and what is added. */
export function createOpsApp(dependencies: OpsDependencies, more = Router()): Express {
  const { probes, credentials, metrics, logger, guessWindowS: windowS } = dependencies;
  const log = requestLog(logger, ['/', METRICS_PATH, BOARD_PATH]);
  addProbeMetrics(metrics, probes);
  const app = express();
  app.disable('x-powered-by');
  // Express shows stacks otherwise.
  app.set('env', 'production');
  app.use(opsHeaders);
  addHealthRoutes(app, probes);
  app.use(following(log.follow));
  app.use(requirePassword(credentials, createGuessLimit({ metrics, logger, windowS })));
  app.use(opsMethods(BOARD_PATH));
  app.use(metricsRoute(metrics));
  app.use(more);
  app.use(opsNotFound);
  app.use(opsErrors(log.failed));
  return app;
}

interface AppOpsDependencies extends OpsDependencies {
  mailQueue: MailQueue;
  dismiss: Dismiss;
}

/** The app's, which shows how things stand, and the mail queue. */
export function createAppOps(dependencies: AppOpsDependencies): Express {
  const { mailQueue, dismiss } = dependencies;
  const pages = Router();
  pages.get('/', statusPage(dependencies));
  pages.use(BOARD_PATH, boardHeaders, whileReady(mailQueue), mailBoard(mailQueue, dismiss));
  return createOpsApp(dependencies, pages);
}

function statusPage({ probes, mailQueue }: AppOpsDependencies): RequestHandler {
  return async (_req, res) => {
    const answers = Object.entries(probes).map(([name, probe]) => [name, probe()]);
    const status = {
      probes: Object.fromEntries(answers),
      uptimeSeconds: process.uptime(),
      mails: await measureInTime(mailQueue),
    };
    res.set('Cache-Control', 'no-store').type('html').send(renderStatusPage(status));
  };
}

/** The board itself would wait for Redis forever: the operator gets a 503 at once. */
function whileReady(mailQueue: MailQueue): RequestHandler {
  return (_req, res, next) => {
    if (mailQueue.isReady()) next();
    else
      res
        .status(503)
        .type('text')
        .send('Redis is not available. Its mails are shown here when it is back.\n');
  };
}

/** The board loads when somebody first opens it: it takes a tenth of the app's memory. */
function mailBoard(mailQueue: MailQueue, dismiss: Dismiss): RequestHandler {
  let board: Promise<RequestHandler> | undefined;
  const load = async (): Promise<RequestHandler> => {
    const { createMailBoard } = await import('./mail-board.ts');
    return createMailBoard(mailQueue, BOARD_PATH, dismiss);
  };
  return async (req, res, next) => {
    board ??= load();
    (await board)(req, res, next);
  };
}
