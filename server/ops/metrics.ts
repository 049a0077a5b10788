import { type RequestHandler, Router } from 'express';
import { type Counter, collectDefaultMetrics, Gauge, type LabelValues, Registry } from 'prom-client';
import { version } from '#server/service/version.ts';
import type { HealthProbes } from './health-routes.ts';

/** A process's own metrics: memory, CPU, event loop. The parts of the product add their own. */
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

/** The path that Prometheus scrapes. */
export const METRICS_PATH = '/metrics';

/** `GET /metrics`, for Prometheus. */
export function metricsRoute(registry: Registry): Router {
  const serve: RequestHandler = async (_req, res) => {
    res.type(registry.contentType).send(await registry.metrics());
  };
  return Router().get(METRICS_PATH, serve);
}

/**
 * Makes a counter report these labels from the beginning: if a series appeared with the value 1, Prometheus
 * would see no increase.
 */
export function startAtZero<Label extends string>(
  counter: Counter<Label>,
  ...labels: readonly LabelValues<Label>[]
): void {
  for (const values of labels) counter.inc(values, 0);
}

/** The dependencies of this process, as it sees them; one that was not used yet is left out. */
export function addProbeMetrics(registry: Registry, probes: HealthProbes): void {
  new Gauge({
    name: 'dependency_up',
    help: 'Whether Redis is connected, Stripe answered last and the register was written last, as this process sees it',
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
