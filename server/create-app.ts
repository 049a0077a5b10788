import express, { type Express } from 'express';
import type { Registry } from 'prom-client';
import { isRegistrationOpen } from '#shared/registration-window.ts';
import { calendarRoute } from './calendar/calendar-route.ts';
import { createRetreatCalendar } from './calendar/retreat-calendar.ts';
import type { Config } from './config.ts';
import { errorHandler, notFound } from './error-handler.ts';
import type { Logger } from './logger.ts';
import type { MailQueue } from './mail/queue.ts';
import { healthRoutes } from './ops/health-routes.ts';
import { httpMetrics } from './ops/http-metrics.ts';
import type { Assets } from './page/assets.ts';
import { createErrorPages } from './page/error-page.ts';
import { pageRoute } from './page/page-route.ts';
import { pageUrl } from './page/page-url.ts';
import { searchRoutes } from './page/search-routes.ts';
import { staticFiles } from './page/static-files.ts';
import type { Payments } from './payments/payments.ts';
import { webhookRoute } from './payments/webhook-route.ts';
import type { RegistrationLimits } from './registration/registration-limits.ts';
import { registrationRoute } from './registration/registration-route.ts';
import { requestLog } from './request-log.ts';
import { securityHeaders } from './security-headers.ts';

export interface AppDependencies {
  config: Config;
  logger: Logger;
  payments: Payments;
  mailQueue: MailQueue;
  limits: RegistrationLimits;
  assets: Assets;
  metrics: Registry;
}

/** The public site, in the order a request meets it. It listens nowhere by itself. */
export function createApp(dependencies: AppDependencies): Express {
  const { config, logger, assets, mailQueue, payments, metrics } = dependencies;
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', config.trustProxy);
  app.use(healthRoutes({ redis: mailQueue.isReady, stripe: payments.isReachable }));
  app.use(httpMetrics(metrics));
  app.use(requestLog(logger));
  app.use(securityHeaders(config));
  app.use(webhookRoute(dependencies));
  const isOpen = () => isRegistrationOpen(config.registration, new Date());
  app.use(registrationRoute({ ...dependencies, isOpen, publicUrl: config.publicUrl }));
  app.use(staticFiles(assets));
  app.use(searchRoutes(config));
  app.use(calendarRoute(createRetreatCalendar(pageUrl(config))));
  app.use(pageRoute(config, assets, logger));
  app.use(notFound);
  app.use(errorHandler(createErrorPages(config, assets)));
  return app;
}
