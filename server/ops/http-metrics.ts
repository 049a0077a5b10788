import type { Registry } from 'prom-client';
import { type Follow, pathOf } from '#server/http/request-log.ts';
import { MAIL_EVENTS_PATH } from '#server/mail-events/mail-events.ts';
import type { PageWatcher } from '#server/page/page-cache.ts';
import { WEBHOOK_PATH } from '#server/stripe/webhook-route.ts';
import { OWN_PAGE_PATH, ownPagePaths } from '#shared/own-page.ts';
import { CREATE_PAYMENT_PATH, RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { metricsIn } from './monitoring.ts';

const BUCKETS_S = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The routes with a label of their own; a label for each path that somebody tries would fill the memory. */
const ROUTES = new Map([
  ['/', 'page'],
  [CREATE_PAYMENT_PATH, 'registration'],
  [RECORD_CONSENT_PATH, 'consent'],
  [WEBHOOK_PATH, 'webhook'],
  [MAIL_EVENTS_PATH, 'mail-events'],
  ['/vitals', 'vitals'],
  [OWN_PAGE_PATH, 'place'],
]);

export function httpMetrics(registry: Registry): Follow {
  const { histogram } = metricsIn(registry);
  const help = 'Time to answer, by route and status';
  const durations = histogram('http_request_duration_seconds', help, ['route', 'status'], BUCKETS_S);
  return (req, res) => {
    const start = performance.now();
    const route = routeOf(pathOf(req.url ?? '') ?? '');
    res.once('close', () => {
      const status = res.writableFinished ? String(res.statusCode) : 'aborted';
      durations.observe({ route, status }, (performance.now() - start) / 1000);
    });
  };
}

function routeOf(path: string): string {
  if (path.startsWith('/static/')) return 'static';
  // Each link below this path is a path of its own.
  if (path.startsWith(ownPagePaths.enter)) return 'place';
  return ROUTES.get(path) ?? 'other';
}

const RENDER_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Times the page's renders by outcome, and counts how often a cached page made one unnecessary. */
export function pageMetrics(registry: Registry): PageWatcher {
  const { counter, histogram } = metricsIn(registry);
  const renders = histogram(
    'page_render_duration_seconds',
    'Time to render the page, by outcome; an incomplete page was sent without a part that failed',
    ['outcome'],
    RENDER_BUCKETS_S,
  );
  const requests = counter(
    'page_cache_requests_total',
    'Requests for the page: hit came from memory, miss was rendered, shared waited for the render of another request',
    ['hit', 'miss', 'shared'].map((result) => ({ result })),
  );
  return {
    asked: (result) => requests.inc({ result }),
    rendered: (outcome, seconds) => renders.observe({ outcome }, seconds),
  };
}
