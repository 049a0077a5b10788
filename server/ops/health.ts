import type { IRouter } from 'express';

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
