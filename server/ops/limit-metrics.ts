import { Counter, type Registry } from 'prom-client';
import type { LimitWatcher } from '#server/registration/registration-limits.ts';
import { LIMITS } from '#server/registration/registration-places.ts';
import { startAtZero } from './start-at-zero.ts';

/** Counts the registrations that a limit refused, and those that Redis did not count. */
export function addLimitMetrics(registry: Registry): LimitWatcher {
  const registers = [registry];
  const refused = new Counter({
    name: 'registrations_refused_total',
    help: 'Registrations that were refused because there were too many, by limit',
    labelNames: ['limit'],
    registers,
  });
  const inMemory = new Counter({
    name: 'registrations_counted_in_memory_total',
    help: 'Registrations that this process counted by itself, because Redis could not',
    registers,
  });
  startAtZero(refused, ...Object.values(LIMITS).map((limit) => ({ limit })));
  return { refused: (limit) => refused.inc({ limit }), countedInMemory: () => inMemory.inc() };
}
