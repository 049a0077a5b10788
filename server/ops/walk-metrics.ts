import { Gauge, type Registry } from 'prom-client';
import { withTimeout } from '#server/service/with-timeout.ts';

const REDIS_TIMEOUT_MS = 1_000;

/** Tells when registrations were last looked through, 0 before the first time. Returns what notes that. */
export function addWalkMetrics(registry: Registry): () => void {
  const last = new Gauge({
    name: 'walk_last_success_timestamp_seconds',
    help: 'When this worker last looked through the registrations, in seconds since the epoch',
    registers: [registry],
  });
  return () => last.setToCurrentTime();
}

/** What a walk through all registrations found. */
interface WholeWalk {
  attention: number;
  registrations: readonly { edition: string; state: string; count: number }[];
}

/** What the last walk through all registrations found, whichever worker walked. */
export function addFoundMetrics(
  registry: Registry,
  walker: { lastWhole(): Promise<WholeWalk | undefined> },
): void {
  const registers = [registry];
  const read = () => withTimeout(walker.lastWhole(), REDIS_TIMEOUT_MS).catch(() => undefined);
  new Gauge({
    name: 'payments_needing_attention',
    help: 'Payments that a person must look at: paid with another amount than expected, unknown to this release, or unreadable',
    registers,
    async collect() {
      this.set((await read())?.attention ?? Number.NaN);
    },
  });
  new Gauge({
    name: 'registrations',
    help: 'Registrations by edition and state',
    labelNames: ['edition', 'state'],
    registers,
    async collect() {
      const whole = await read();
      this.reset();
      for (const { count, ...labels } of whole?.registrations ?? []) this.set(labels, count);
    },
  });
}
