import type { RequestListener } from 'node:http';
import express from 'express';
import type { Registry } from 'prom-client';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';
import { isRegistrationOpen } from '#shared/registration-window.ts';
import { VITALS_PATH } from '#shared/vitals.ts';
import { calendarRoute } from './calendar/calendar-route.ts';
import { createRetreatCalendar } from './calendar/retreat-calendar.ts';
import type { Config } from './config.ts';
import { errorHandler, notFound } from './error-handler.ts';
import { knownMethods } from './known-methods.ts';
import type { Logger } from './logger.ts';
import type { MailQueue } from './mail/queue.ts';
import { healthRoutes } from './ops/health-routes.ts';
import { httpMetrics } from './ops/http-metrics.ts';
import { pageMetrics } from './ops/page-metrics.ts';
import { addRegistrationMetrics } from './ops/registration-metrics.ts';
import { answerFromMemory } from './page/answer-from-memory.ts';
import type { Assets } from './page/assets.ts';
import { duePage } from './page/due-page.ts';
import { createErrorPages } from './page/error-page.ts';
import { fixedHeaders } from './page/fixed-headers.ts';
import { PageCache } from './page/page-cache.ts';
import { pageRoute } from './page/page-route.ts';
import { pageUrl } from './page/page-url.ts';
import { type RenderPage, renderToMemory } from './page/render-page.ts';
import { searchRoutes } from './page/search-routes.ts';
import { staticFiles } from './page/static-files.ts';
import type { Payments } from './payments/payments.ts';
import { WEBHOOK_PATH, webhookRoute } from './payments/webhook-route.ts';
import type { RegistrationLimits } from './registration/registration-limits.ts';
import { registrationRoute } from './registration/registration-route.ts';
import { requestLog } from './request-log.ts';
import { securityHeaders } from './security-headers.ts';
import { vitalsRoute } from './vitals/vitals-route.ts';

/** What takes something; all else is for reading. */
const POST_PATHS = [CREATE_PAYMENT_PATH, WEBHOOK_PATH, VITALS_PATH];

export interface AppDependencies {
  config: Config;
  logger: Logger;
  /** Of pages that are answered from memory. */
  pageLogger?: Logger;
  payments: Payments;
  mailQueue: MailQueue;
  limits: RegistrationLimits;
  assets: Assets;
  metrics: Registry;
  now?: () => Date;
  renderPage?: RenderPage;
}

/** The public site, in the order a request meets it. It listens nowhere by itself. */
export function createApp(dependencies: AppDependencies): RequestListener {
  const { config, logger, assets, mailQueue, payments, metrics, now = () => new Date() } = dependencies;
  const headers = securityHeaders(config, assets);
  const { watch, countPage } = httpMetrics(metrics);
  const watcher = pageMetrics(metrics);
  const registrations = addRegistrationMetrics(metrics);
  const page = new PageCache({
    watcher,
    keyNow: duePage(config, assets, now),
    render: dependencies.renderPage ?? renderToMemory,
    headers: { ...fixedHeaders(headers), 'Cache-Control': 'no-cache' },
    onFailure: (error) => logger.error({ err: error }, 'The page did not render whole'),
  });
  const log = requestLog(logger, ['/', ...POST_PATHS], dependencies.pageLogger);
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', config.trustProxy);
  app.use(headers);
  app.use(healthRoutes({ redis: mailQueue.isReady, stripe: payments.isReachable }));
  app.use(watch);
  app.use(log.watch);
  app.use(knownMethods(POST_PATHS));
  app.use(pageRoute(page));
  app.use(staticFiles(assets));
  app.use(webhookRoute({ ...dependencies, watcher: registrations }));
  const isOpen = () => isRegistrationOpen(config.registration, now());
  app.use(
    registrationRoute({ ...dependencies, watcher: registrations, isOpen, publicUrl: config.publicUrl }),
  );
  app.use(vitalsRoute({ metrics, publicUrl: config.publicUrl }));
  app.use(searchRoutes(config));
  app.use(calendarRoute(createRetreatCalendar(pageUrl(config))));
  app.use(notFound);
  app.use(errorHandler(createErrorPages(config, assets), log.failed));
  return answerFromMemory(page, app, (answer) => {
    watcher.asked('hit');
    countPage(answer.status, answer.durationMs);
    log.answered(answer);
  });
}
