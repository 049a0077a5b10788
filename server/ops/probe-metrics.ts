import { Gauge, type Registry } from 'prom-client';
import type { HealthProbes } from './health-routes.ts';

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
