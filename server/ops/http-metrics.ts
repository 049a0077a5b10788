import { Histogram, type Registry } from 'prom-client';
import { type Follow, pathOf } from '#server/http/request-log.ts';
import { WEBHOOK_PATH } from '#server/payments/webhook-route.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';

const BUCKETS_S = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Addresses that are counted by themselves; a label for each that people try would fill the memory. */
const ROUTES = new Map([
  ['/', 'page'],
  [CREATE_PAYMENT_PATH, 'registration'],
  [WEBHOOK_PATH, 'webhook'],
  ['/vitals', 'vitals'],
]);

/** Counts and times the answers of the public listener, by route and status. */
export function httpMetrics(registry: Registry): Follow {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer, by route and status',
    labelNames: ['route', 'status'],
    buckets: BUCKETS_S,
    registers: [registry],
  });
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
  return ROUTES.get(path) ?? (path.startsWith('/static/') ? 'static' : 'other');
}
