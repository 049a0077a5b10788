import { type RequestHandler, Router } from 'express';
import { collectDefaultMetrics, Registry } from 'prom-client';

/** A process's own metrics: memory, CPU, event loop. The parts of the product add theirs. */
export function createMetrics(service: 'app' | 'worker'): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Where Prometheus asks. */
export const METRICS_PATH = '/metrics';

/** `GET /metrics`, for Prometheus. */
export function metricsRoute(registry: Registry): Router {
  const serve: RequestHandler = async (_req, res) => {
    res.type(registry.contentType).send(await registry.metrics());
  };
  return Router().get(METRICS_PATH, serve);
}
