import { type RequestHandler, Router } from 'express';
import { type Counter, collectDefaultMetrics, Gauge, type LabelValues, Registry } from 'prom-client';
import { version } from '#server/service/version.ts';
import type { HealthProbes } from './health-routes.ts';

/** A process's own metrics: memory, CPU, event loop. The parts of the product add theirs. */
export function createMetrics(service: 'app' | 'worker'): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const info = new Gauge({
    name: 'build_info',
    help: 'The version of this release, with the value 1',
    labelNames: ['version'],
    registers: [registry],
  });
  info.set({ version }, 1);
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

/** Has a counter report these from the beginning: of what appears at 1, Prometheus sees no increase. */
export function startAtZero<Label extends string>(
  counter: Counter<Label>,
  ...labels: readonly LabelValues<Label>[]
): void {
  for (const values of labels) counter.inc(values, 0);
}

/** What this process leans on, as it finds it; what was not asked yet is left out. */
export function addProbeMetrics(registry: Registry, probes: HealthProbes): void {
  new Gauge({
    name: 'dependency_up',
    help: 'Whether Redis is connected, and whether Stripe answered last, as this process sees it',
    labelNames: ['name'],
    registers: [registry],
    collect() {
      for (const [name, probe] of Object.entries(probes)) {
        const there = probe();
        if (there !== undefined) this.set({ name }, there ? 1 : 0);
      }
    },
  });
}
