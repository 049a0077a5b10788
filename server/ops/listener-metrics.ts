import { Counter, Gauge, type Registry } from 'prom-client';
import type { ServerWatcher } from '#server/http/bounded-server.ts';
import type { Logger } from '#server/service/logger.ts';
import { startAtZero } from './metrics.ts';

/** The statuses of bare refusals. */
const STATUSES = [400, 405, 408, 413, 431];

/** The log warns of refused connections at most this often. */
const WARN_MS = 60_000;

/** Counts the connections of a process's listeners, and what they turn away before any handler sees it. */
export function addListenerMetrics(registry: Registry, logger: Logger): ServerWatcher {
  const registers = [registry];
  const refused = new Counter({
    name: 'http_refused_total',
    help: 'Malformed or too slow requests, refused with a status only',
    labelNames: ['status'],
    registers,
  });
  const connections = new Gauge({ name: 'http_connections', help: 'Open connections', registers });
  const dropped = new Counter({
    name: 'http_connections_dropped_total',
    help: 'Connections that were closed at once, because there were too many',
    registers,
  });
  const warn = rarely(() => logger.warn('Connections are refused: there are too many'));
  startAtZero(refused, ...STATUSES.map((status) => ({ status })));
  return {
    refused: (status) => refused.inc({ status }),
    opened: () => connections.inc(),
    closed: () => connections.dec(),
    dropped() {
      dropped.inc();
      warn();
    },
  };
}

function rarely(action: () => void): () => void {
  let lastMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    if (nowMs - lastMs < WARN_MS) return;
    lastMs = nowMs;
    action();
  };
}
