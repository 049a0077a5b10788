import { type IRouter, type RequestHandler, Router, urlencoded } from 'express';

import type { AppConfig } from '#server/config/config.ts';
import type { Logger } from '#server/config/logger.ts';
import { OFFICE_PATH } from '#server/letters/render/parts.ts';
import { createAudit, findSignedIn, isTokenOf, logged, signedInOf } from '#server/office/users/user.ts';
import { createUsers } from '#server/office/users/users.ts';
import type { Metrics } from '#server/ops/metrics.ts';
import type { Assets } from '#server/web/assets.ts';
import { type MorePages, opsNotFound } from '#server/web/create-ops-app.ts';
import type { Limiter } from '#server/web/limiter.ts';
import { allow, requireSameOrigin } from '#server/web/request-guards.ts';
import { staticFiles } from '#server/web/static-files.ts';
import { editions as allEditions } from '#shared/content/compiled/editions.ts';
import { edition as onSale } from '#shared/content/compiled/on-sale.ts';
import { addBookkeepingPages } from './bookkeeping/bookkeeping-pages.tsx';
import { addCommandPages } from './commands/command-pages.tsx';
import { addLettersPages } from './letters/letters-page.tsx';
import { addListsToHandOn } from './list/hand-on.tsx';
import { addListPage } from './list/list-page.tsx';
import type { Office } from './office.ts';
import { pageSender, renderFailure } from './office-document.tsx';
import { isOfficePath, officePaths } from './paths.ts';
import { addRegistrationPages } from './registration/registration-page.tsx';
import { addSignInPages } from './sign-in-pages.tsx';
import { addStatusPage } from './status/status-page.tsx';
import { addTodayPage } from './today/today-page.tsx';
import { addWaitingPage } from './waiting/waiting-page.tsx';

const SITE_ICON = '/favicon.svg';

/** The largest form of the office's pages: a letter of ten thousand characters in any script, as a form sends it. */
const FORM_LIMIT = '96kb';

const OTHERS = allEditions.filter(({ facts }) => facts.id !== onSale.facts.id);

type Connections = Omit<Office, 'queue' | 'audit' | 'send' | 'editions'>;

interface OfficeOptions extends Connections {
  config: AppConfig;
  limiter: Limiter;
  metrics: Metrics;
  /** The time for sessions and sign-in limits: the machine's time, unless a test moves it. */
  time?: (() => Date) | undefined;
}

/**
 * The office's pages for signed-in users, and the sign-in page. Every route under `/office` that is added after the
 * session check below requires a session, and each press also the token of its form.
 */
export function createOffice(options: OfficeOptions): MorePages {
  const { assets, logger } = options;
  const users = createUsers({ ...options, signInPath: officePaths.signIn });
  const router = Router();
  addOfficeFiles(router, assets);
  router.get('/', (_req, res) => res.redirect(303, OFFICE_PATH));
  router.use(OFFICE_PATH, allow('GET', 'HEAD', 'POST'), ...readForm(options.config));
  const renderSignIn = addSignInPages(router, { assets, users });
  router.use(OFFICE_PATH, users.require(), requireToken, logLook(logger));
  // From here on, routes are for signed-in users only.
  router.use(officePaths.status, users.require('support'));
  addOfficePages(router, { ...options, audit: createAudit(logger) });
  router.use(OFFICE_PATH, opsNotFound);
  return {
    router,
    knownPaths: Object.values(officePaths).filter((path) => typeof path === 'string'),
    renderFailure(failure, req, res) {
      if (!isOfficePath(req.path)) return undefined;
      if (failure.status === 401) return renderSignIn(req, failure.message);
      return renderFailure(failure, assets.officeStyle, findSignedIn(res));
    },
  };
}

export function addOfficePages(
  router: IRouter,
  options: Connections & Pick<Office, 'audit'> & Partial<Pick<Office, 'editions'>>,
): void {
  const { assets, mailQueue } = options;
  const office: Office = {
    editions: [onSale, ...OTHERS],
    ...options,
    queue: mailQueue.bullQueue,
    send: pageSender(assets),
  };
  addTodayPage(router, office);
  addListPage(router, office);
  addListsToHandOn(router, office);
  addLettersPages(router, office);
  addWaitingPage(router, office);
  addBookkeepingPages(router, office);
  addStatusPage(router, office);
  addRegistrationPages(router, office);
  addCommandPages(router, office);
}

/** What the office's pages load: their files, and the site's icon under a path that the proxy publishes. */
export function addOfficeFiles(router: IRouter, assets: Assets): void {
  const files = staticFiles(assets);
  router.get('/static/*path', files);
  router.get(officePaths.icon, (req, res, next) => {
    req.url = SITE_ICON;
    return files(req, res, next);
  });
}

function readForm({ officeUrl }: Pick<AppConfig, 'officeUrl'>): RequestHandler[] {
  const sameOrigin = requireSameOrigin(officeUrl, { requireHeader: true });
  return [
    (req, res, next) => (req.method === 'POST' ? sameOrigin(req, res, next) : next()),
    urlencoded({ extended: false, limit: FORM_LIMIT }),
  ];
}

/**
 * In addition to the same-origin check: a press must come from a form that was made for this session. One from another
 * form opens its page, as a link would, with what was typed in it.
 */
const requireToken: RequestHandler = (req, res, next) => {
  if (req.method === 'POST' && !isTokenOf(signedInOf(res), req.body?.token)) req.method = 'GET';
  next();
};

/** Answers that show what was asked for: also a form that was not accepted, and an act that is not possible now. */
const SHOWING: readonly number[] = [200, 409, 422];

/** Writes into the log who of the office looked at whom: the path of what was shown has ids only, and no words of a search. */
function logLook(logger: Logger): RequestHandler {
  return (req, res, next) => {
    const look = `${req.baseUrl}${req.path}`.replace(/\/$/, '');
    const { user } = signedInOf(res);
    res.once('finish', () => {
      if (SHOWING.includes(res.statusCode)) logger.info({ look, ...logged(user) }, 'Look of a user');
    });
    next();
  };
}
