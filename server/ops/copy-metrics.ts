import { Gauge, type Registry } from 'prom-client';

/** Reports when the register's newest copy was made, 0 before it is known. Returns the function that is told. */
export function addCopyMetrics(registry: Registry): (at: Date) => void {
  const newest = new Gauge({
    name: 'register_newest_copy_timestamp_seconds',
    help: 'When the newest copy of the register was made, in seconds since the epoch',
    registers: [registry],
  });
  return (at) => newest.set(at.getTime() / 1000);
}
