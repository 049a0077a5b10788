import type { IncomingMessage, RequestListener } from 'node:http';
import express, { type RequestHandler } from 'express';
import type { Database } from '#server/database/database.ts';
import type { Places, PlacesShown, WaitingList } from '#server/registration/registration.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { isRegistrationOpen, opensLater } from '#shared/content/moments.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import { CREATE_PAYMENT_PATH, RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { VITALS_PATH } from '#shared/vitals.ts';
import { JOIN_WAITING_PATH } from '#shared/waiting.ts';
import type { AppConfig } from './config/config.ts';
import type { Logger } from './config/logger.ts';
import type { RegistrationLimits } from './intake/registration-limits.ts';
import { addConsentRoute, addRegistrationRoute, requireOpen } from './intake/registration-route.ts';
import { addWaitingRoutes, nameOfWaitingPath, WAITING_NAMES } from './intake/waiting-routes.ts';
import { addMailEventRoutes, MAIL_EVENTS_PATH } from './letters/mail-events.ts';
import type { MailQueue } from './letters/queue.ts';
import { addHealthRoutes } from './ops/health.ts';
import type { Metrics } from './ops/metrics.ts';
import {
  createOwnPageRoutes,
  nameOfOwnPagePath,
  OWN_PAGE_NAMES,
  OWN_PAGE_POST_PATHS,
} from './own-page/own-page-routes.ts';
import type { Payments } from './stripe/connect-stripe.ts';
import { addWebhookRoute, WEBHOOK_PATH } from './stripe/webhook-route.ts';
import { errorHandler, notFound } from './web/app-error.ts';
import type { Assets } from './web/assets.ts';
import { keptByNobody, keptForSeconds } from './web/cache-policy.ts';
import { duePage, pageUrl } from './web/due-page.ts';
import {
  addSearchRoutes,
  addSecurityTxt,
  addSitePages,
  addTermsRoutes,
  createErrorPages,
} from './web/fixed-routes.ts';
import type { Limiter } from './web/limiter.ts';
import { answerPage, PageCache, type RenderPage, renderToMemory } from './web/page-cache.ts';
import { allow } from './web/request-guards.ts';
import { type Follow, following, pathOf, requestLog, timeRequests } from './web/request-log.ts';
import { addCalendarRoute } from './web/retreat-calendar.ts';
import { securityHeaders } from './web/security-headers.ts';
import { staticFiles } from './web/static-files.ts';
import { readForwardedFor } from './web/visitor-address.ts';
import { addVitalsRoute } from './web/vitals-route.ts';

/** The paths that accept POST; all others can only be read. */
const POST_PATHS = [
  CREATE_PAYMENT_PATH,
  RECORD_CONSENT_PATH,
  WEBHOOK_PATH,
  MAIL_EVENTS_PATH,
  VITALS_PATH,
  ...OWN_PAGE_POST_PATHS,
  JOIN_WAITING_PATH,
];

/** The paths whose answers are timed apart. */
const ROUTES = new Map([
  ['/', 'page'],
  [CREATE_PAYMENT_PATH, 'registration'],
  [RECORD_CONSENT_PATH, 'consent'],
  [WEBHOOK_PATH, 'webhook'],
  [MAIL_EVENTS_PATH, 'mail-events'],
  [VITALS_PATH, 'vitals'],
  [OWN_PAGE_PATH, 'place'],
]);

function routeOf(path: string): string {
  if (path.startsWith('/static/')) return 'static';
  // Each link below this path is a path of its own.
  if (path.startsWith(ownPagePaths.enter)) return 'place';
  return ROUTES.get(path) ?? 'other';
}

export interface AppDependencies {
  config: AppConfig;
  logger: Logger;
  database: Database;
  payments: Payments;
  mailQueue: MailQueue;
  limits: RegistrationLimits;
  places: Places;
  placesShown: Pick<PlacesShown, 'isFull'>;
  waitingList: WaitingList;
  limiter: Limiter;
  /** Asks the worker to do what is due now. */
  askForDueWork: () => Promise<void>;
  assets: Assets;
  metrics: Metrics;
  /** The site's business date, see `Clock`. */
  now: () => Date;
  /** See `addHealthRoutes`. */
  whyNotReady?: () => string | undefined;
  renderPage?: RenderPage;
}

/**
 * The public site; its handlers are in the order in which a request passes them. It does not listen by
 * itself. All routes are in one router: a request that passes through a nested router waits for a turn of the
 * event loop.
 */
export function createApp(dependencies: AppDependencies): RequestListener {
  const { config, logger, assets, metrics, placesShown, now } = dependencies;
  const { publicUrl, registration } = config;
  const headers = securityHeaders(config, assets);
  const isOpen = () => isRegistrationOpen(edition.facts, registration, now());
  const opensAt = () => opensLater(edition.facts, registration, now());
  const time = timeRequests(metrics, routeOf);
  const page = new PageCache({
    metrics,
    keyNow: duePage(config, assets, now, placesShown.isFull),
    render: dependencies.renderPage ?? renderToMemory,
    headers,
    policy: keptForSeconds,
    onFailure: (error) => logger.error({ err: error }, 'The page was not rendered completely'),
  });
  const log = requestLog(logger, ['/', ...POST_PATHS, ...OWN_PAGE_NAMES, ...WAITING_NAMES], (path) =>
    nameOfWaitingPath(nameOfOwnPagePath(path)),
  );
  const ownPage = createOwnPageRoutes(dependencies);
  const whileOpen = requireOpen(isOpen, opensAt);
  const follow: Follow = (req, res) => {
    time(req, res);
    log.follow(req, res);
  };
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', config.trustProxy);
  app.use(setting({ ...headers, ...keptByNobody }));
  addHealthRoutes(app, { whyNotReady: dependencies.whyNotReady });
  app.use(following(follow), readForwardedFor(logger));
  const secret = config.stripe.secretKey;
  addRegistrationRoute(app, {
    ...dependencies,
    requireOpen: whileOpen,
    publicUrl,
    secret,
  });
  addConsentRoute(app, { ...dependencies, publicUrl, now });
  addWebhookRoute(app, {
    ...dependencies,
    secret: config.stripe.webhookSecret,
  });
  addMailEventRoutes(app, {
    ...dependencies,
    secrets: config.mail.eventsSecrets,
    officeEmail: config.office.email,
  });
  addVitalsRoute(app, { metrics, publicUrl });
  ownPage.addActs(app);
  addWaitingRoutes(app, {
    ...dependencies,
    requireOpen: whileOpen,
  });
  app.all(POST_PATHS, allow('POST'));
  app.use(allow('GET', 'HEAD'));
  app.get('/', answerPage(page));
  app.use(staticFiles(assets));
  addSearchRoutes(app, config);
  addTermsRoutes(app, config, assets);
  addSitePages(app, config, assets);
  addSecurityTxt(app, config);
  ownPage.addPages(app);
  addCalendarRoute(app, edition, pageUrl(config));
  app.use(notFound);
  app.use(errorHandler(createErrorPages(config, assets), log.failed));
  // Ahead of Express: through it the cached page would miss its budget, 0.3 of bare Node. What is in memory already
  // contains the headers that every answer has.
  return (req, res) => {
    const inMemory = isFirstRead(req) ? page.find(req) : undefined;
    if (!inMemory) {
      app(req, res);
      return;
    }
    follow(req, res);
    res.writeHead(200, inMemory.headers).end(inMemory.body);
  };
}

/** Whether the page is asked for by a client that does not have it; Express compares what the others have. */
function isFirstRead({ method, url = '', headers }: IncomingMessage): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && pathOf(url) === '/' && headers['if-none-match'] === undefined;
}

function setting(headers: Readonly<Record<string, string>>): RequestHandler {
  const all = new Map(Object.entries(headers));
  return (_req, res, next) => {
    res.setHeaders(all);
    next();
  };
}
