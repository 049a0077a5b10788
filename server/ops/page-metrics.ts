import { Counter, Histogram, type Registry } from 'prom-client';
import type { PageWatcher } from '#server/page/page-cache.ts';
import { startAtZero } from './metrics.ts';

const BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Times the page's renders by outcome, and counts how often its kept bytes spared one. */
export function pageMetrics(registry: Registry): PageWatcher {
  const registers = [registry];
  const renders = new Histogram({
    name: 'page_render_duration_seconds',
    help: 'Time to render the page, by outcome; an incomplete page was sent without a part that failed',
    labelNames: ['outcome'],
    buckets: BUCKETS_S,
    registers,
  });
  const requests = new Counter({
    name: 'page_cache_requests_total',
    help: 'Requests for the page: hit came from memory, miss was rendered, shared waited for the render of another request',
    labelNames: ['result'],
    registers,
  });
  startAtZero(requests, { result: 'hit' }, { result: 'miss' }, { result: 'shared' });
  return {
    asked: (result) => requests.inc({ result }),
    rendered: (outcome, seconds) => renders.observe({ outcome }, seconds),
  };
}
