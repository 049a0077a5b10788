import { Counter, type Registry } from 'prom-client';

/** Counts the mails that registrations still owe when they are answered. */
export function addRegistrationMetrics(registry: Registry) {
  const owed = new Counter({
    name: 'mails_owed_total',
    help: 'Mails that could not be queued when they fell due; the sweep sends them later',
    registers: [registry],
  });
  return { mailsOwed: (count: number) => owed.inc(count) };
}
