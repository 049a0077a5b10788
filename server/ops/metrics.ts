import { type RequestHandler, Router } from 'express';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { version } from '#server/service/version.ts';
import type { HealthProbes } from './health-routes.ts';

/** A process's own metrics: memory, CPU, event loop. The parts of the product add their own. */
export function createMetrics(service: 'app' | 'worker'): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  gaugeOfCounts(
    registry,
    'build_info',
    'The version of this release, with the value 1',
    ['version'],
    async () => [{ version, count: 1 }],
  );
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
 * Makes a counter. It reports these series from the beginning: if one appeared with the value 1, Prometheus would see
 * no increase.
 */
export function counter<Label extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  series: readonly Readonly<Record<Label, string | number>>[] = [],
): Counter<Label> {
  const labelNames = Object.keys(series[0] ?? {}) as Label[];
  const made = new Counter({ name, help, labelNames, registers: [registry] });
  for (const labels of series) made.inc(labels, 0);
  return made;
}

/** Makes a gauge, whose value is read for each scrape if it is not set. */
export function gauge(registry: Registry, name: string, help: string, read?: () => Promise<number>): Gauge {
  if (!read) return new Gauge({ name, help, registers: [registry] });
  return new Gauge({
    ...{ name, help, registers: [registry] },
    async collect() {
      this.set(await read());
    },
  });
}

/** Makes a gauge of counts that are read for each scrape; there are none while they cannot be read. */
export function gaugeOfCounts<Label extends string>(
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly Label[],
  read: () => Promise<readonly Readonly<{ count: number } & Record<Label, string>>[] | undefined>,
): void {
  new Gauge<string>({
    ...{ name, help, labelNames, registers: [registry] },
    async collect() {
      const counts = await read();
      this.reset();
      for (const { count, ...labels } of counts ?? []) this.set(labels, count);
    },
  });
}

/** One reading for all metrics of a scrape, which are collected in parallel. */
export function sharedWhileRunning<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  return () => {
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };
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
