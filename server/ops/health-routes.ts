import type { IRouter } from 'express';

/** The dependencies of a process, by name: whether each is available; undefined before it was used. */
export type HealthProbes = Record<string, () => boolean | undefined>;

interface HealthOptions {
  isDraining?: (() => boolean) | undefined;
  /** Anyone who asks is told, so only where no stranger can ask. */
  probes?: HealthProbes;
}

/**
 * `GET /healthz`: this process is alive. `GET /readyz`: it can serve, and is not about to stop; its dependencies are
 * reported, but not required.
 */
export function addHealthRoutes(
  app: IRouter,
  { isDraining = () => false, probes = {} }: HealthOptions,
): void {
  app.get('/healthz', (_req, res) => {
    res.json({ status: 'ok' });
  });
  app.get('/readyz', (_req, res) => {
    const reports = Object.entries(probes).map(([name, probe]) => [name, wordFor(probe())]);
    const draining = isDraining();
    res.status(draining ? 503 : 200);
    res.json({ status: draining ? 'stopping' : 'ok', ...Object.fromEntries(reports) });
  });
}

function wordFor(there: boolean | undefined): string {
  if (there === undefined) return 'unknown';
  return there ? 'ok' : 'away';
}
