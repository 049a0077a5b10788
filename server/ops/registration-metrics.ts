import { Counter, type Registry } from 'prom-client';
import { startAtZero } from './start-at-zero.ts';

/** Counts what becomes of registrations: their deposits, and the mails that they still owe when they are answered. */
export function addRegistrationMetrics(registry: Registry) {
  const registers = [registry];
  const deposits = new Counter({
    name: 'deposits_total',
    help: 'Deposits begun, paid, held back (paid with another amount than expected), declined (each attempt) and closed after too many; what Stripe reports twice counts twice',
    labelNames: ['event'],
    registers,
  });
  const owed = new Counter({
    name: 'mails_owed_total',
    help: 'Mails that could not be queued when they fell due; the walk sends them later',
    registers,
  });
  const counted = (event: 'begun' | 'paid' | 'held' | 'declined' | 'closed') => {
    startAtZero(deposits, { event });
    return () => deposits.inc({ event });
  };
  return {
    begun: counted('begun'),
    paid: counted('paid'),
    held: counted('held'),
    declined: counted('declined'),
    closed: counted('closed'),
    mailsOwed: (count: number) => owed.inc(count),
  };
}
