import { Counter, type Registry } from 'prom-client';
import type { ServerWatcher } from '#server/bounded-server.ts';
import { startAtZero } from './start-at-zero.ts';

/** The statuses of bare refusals. */
const STATUSES = [400, 405, 408, 413, 417, 431];

/** Counts what a process's listeners turn away before any handler sees it. */
export function addListenerMetrics(registry: Registry): ServerWatcher {
  const registers = [registry];
  const refused = new Counter({
    name: 'http_refused_total',
    help: 'What was no request, or came too slowly, and got a bare status',
    labelNames: ['status'],
    registers,
  });
  startAtZero(refused, ...STATUSES.map((status) => ({ status })));
  return { refused: (status) => refused.inc({ status }) };
}
