import { type IRouter, type RequestHandler, Router } from 'express';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { version } from '#server/service/version.ts';

/** The dependencies of a process, by name: whether each is available; undefined before it was used. */
export type HealthProbes = Record<string, () => boolean | undefined>;

interface HealthOptions {
  /** A word for why the process cannot serve, or is about to stop. */
  whyNotReady?: (() => string | undefined) | undefined;
  /** Anyone who asks is told, so only where no stranger can ask. */
  probes?: HealthProbes;
}

/**
 * `GET /healthz`: this process is alive. `GET /readyz`: it can serve, and is not about to stop; its dependencies are
 * reported, but not required, unless waiting for them does not help.
 */
export function addHealthRoutes(
  app: IRouter,
  { whyNotReady = () => undefined, probes = {} }: HealthOptions,
): void {
  app.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  app.get('/readyz', (_req, res) => {
    const reports = Object.entries(probes).map(([name, probe]) => [name, wordFor(probe())]);
    const why = whyNotReady();
    res.status(why ? 503 : 200);
    res.json({ status: why ?? 'ok', ...Object.fromEntries(reports) });
  });
}

function wordFor(there: boolean | undefined): string {
  if (there === undefined) return 'unknown';
  return there ? 'ok' : 'away';
}

/** A process's own metrics: memory, CPU, event loop. The parts of the product add their own. */
export function createMetrics(service: 'app' | 'worker'): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  const help = 'The version of this release, with the value 1';
  metricsIn(registry).gaugeOfCounts('build_info', help, ['version'], async () => [{ version, count: 1 }]);
  return registry;
}

export const METRICS_PATH = '/metrics';

/** `GET /metrics`, for Prometheus. */
export function metricsRoute(registry: Registry): Router {
  const serve: RequestHandler = async (_req, res) => {
    res.type(registry.contentType).send(await registry.metrics());
  };
  return Router().get(METRICS_PATH, serve);
}

export function metricsIn(registry: Registry) {
  const registers = [registry];
  return {
    /**
     * Makes a counter. It reports these series from the beginning: if one appeared with the value 1, Prometheus would
     * see no increase.
     */
    counter<Label extends string = never>(
      name: string,
      help: string,
      series: readonly Readonly<Record<Label, string | number>>[] = [],
    ): Counter<Label> {
      const labelNames = Object.keys(series[0] ?? {}) as Label[];
      const made = new Counter({ name, help, labelNames, registers });
      for (const labels of series) made.inc(labels, 0);
      return made;
    },
    /** Makes a gauge, whose value is read for each scrape if it is not set. */
    gauge(name: string, help: string, read?: () => Promise<number>): Gauge {
      if (!read) return new Gauge({ name, help, registers });
      return new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.set(await read());
        },
      });
    },
    /** Makes a gauge of counts that are read for each scrape; there are none while they cannot be read. */
    gaugeOfCounts<Label extends string>(
      name: string,
      help: string,
      labelNames: readonly Label[],
      read: () => Promise<readonly Readonly<{ count: number } & Record<Label, string>>[] | undefined>,
    ): void {
      new Gauge<string>({
        name,
        help,
        labelNames,
        registers,
        async collect() {
          const counts = await read();
          this.reset();
          for (const { count, ...labels } of counts ?? []) this.set(labels, count);
        },
      });
    },
    /** Makes a histogram. */
    histogram: <Label extends string>(name: string, help: string, labelNames: Label[], buckets: number[]) =>
      new Histogram({ name, help, labelNames, buckets, registers }),
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
